//! The layers of xtask, as ARCHITECTURE.md draws them: a file imports from its own layer and from those below, and no
//! files import each other in a circle.

use hookkit_tests::prelude::*;

/// The folders of `xtask/src`, from the top down. Above them is `lib`, and below them `terminal`.
const LAYERS: [&str; 8] = ["commands", "history", "diagnose", "settings", "agents", "binaries", "cargo", "disk"];

/// The code of each module by its path, as in `settings/place`, without tests. The crate's root is `lib`.
type Modules = BTreeMap<String, String>;

/// The modules that each module imports from.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Adds the modules below a folder, but for tests and templates.
fn add_modules(root: &Path, folder: &Path, modules: &mut Modules) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.strip_prefix(root)?.to_str().context("a path in UTF-8")?;
        if path.is_dir() {
            if !name.ends_with("/templates") && !name.ends_with("/tests") && name != "bin" {
                add_modules(root, &path, modules)?;
            }
        } else if let Some(name) = name.strip_suffix(".rs")
            && name != "main"
        {
            let name = name.strip_suffix("/mod").unwrap_or(name);
            modules.insert(name.to_owned(), code(&fs::read_to_string(&path)?));
        }
    }
    Ok(())
}

/// Returns the modules without those that are only there for tests.
fn without_tests(mut modules: Modules) -> Modules {
    let mut tests = Vec::new();
    for (name, code) in &modules {
        let lines: Vec<&str> = code.lines().map(str::trim).collect();
        for pair in lines.windows(2) {
            let is_test = pair[0].starts_with("#[cfg(") && pair[0].contains("test");
            tests.extend(declared(pair[1]).filter(|_| is_test).map(|child| joined(name, child)));
        }
    }
    modules.retain(|name, _| !tests.contains(name));
    modules
}

/// Returns the module that a line declares, in a file of its own.
fn declared(line: &str) -> Option<&str> {
    let (_, name) = line.trim().strip_suffix(';')?.split_once("mod ")?;
    name.chars().all(is_of_word).then_some(name)
}

/// Returns the path of a module within another one.
fn joined(module: &str, child: &str) -> String {
    match module {
        "lib" | "" => child.to_owned(),
        _ => format!("{module}/{child}"),
    }
}

/// Returns a file's code without its comments, without lines that are only for tests, and without unit tests.
fn code(text: &str) -> String {
    let (before, tests) = text.split_once("mod tests {").unwrap_or((text, ""));
    let behind = tests.split_once("\n}\n").map_or("", |(_, behind)| behind);
    let lines = before.lines().chain([""]).chain(behind.lines());
    let mut code = String::new();
    let mut is_for_test = false;
    for line in lines.filter(|line| !line.trim_start().starts_with("//")) {
        if !is_for_test || declared(line).is_some() {
            code += line;
            code.push('\n');
        }
        is_for_test = line.trim() == "#[cfg(test)]";
    }
    code
}

fn is_of_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// Returns the paths that begin with this word, each with the names behind it: of `crate::a::{b, c::D}` that are `a/b` and
/// `a/c/D`.
fn paths(code: &str, root: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(&format!("{root}::")) {
        let is_word = !code[..at].ends_with(|char| is_of_word(char) || char == ':' || char == '$');
        if is_word {
            add_paths(&code[at + root.len()..], "", &mut found);
        }
    }
    found
}

/// Adds the paths of a tree that begins with `::`, and returns what is behind it.
fn add_paths<'c>(code: &'c str, within: &str, found: &mut Vec<String>) -> &'c str {
    let Some(rest) = code.strip_prefix("::") else {
        found.push(within.to_owned());
        return code;
    };
    let Some(mut rest) = rest.strip_prefix('{') else {
        let end = rest.find(|char| !is_of_word(char)).unwrap_or(rest.len());
        return match &rest[..end] {
            "" | "self" => add_paths(&rest[end..], within, found),
            name => add_paths(&rest[end..], &joined(within, name), found),
        };
    };
    loop {
        rest = rest.trim_start_matches(|char: char| char.is_whitespace() || char == ',');
        if rest.is_empty() {
            return rest;
        }
        if let Some(behind) = rest.strip_prefix('}') {
            return behind;
        }
        let end = rest.find(|char| !is_of_word(char)).unwrap_or(rest.len());
        let name = if &rest[..end] == "self" { within.to_owned() } else { joined(within, &rest[..end]) };
        rest = add_paths(&rest[end..], &name, found);
        // `as` another name.
        rest = &rest[rest.find([',', '}']).unwrap_or(rest.len())..];
    }
}

/// Returns the module that has what a path names.
fn module_of<'m>(modules: &'m Modules, path: &str) -> &'m str {
    let mut path = path;
    loop {
        if let Some((name, _)) = modules.get_key_value(path) {
            return name;
        }
        path = match path.rsplit_once('/') {
            Some((outer, _)) => outer,
            None => "lib",
        };
    }
}

/// Returns the path that `super::` and this path are in a module.
fn outside(module: &str, path: &str) -> String {
    let outer = module.rsplit_once('/').map_or("", |(outer, _)| outer);
    match path.strip_prefix("super/") {
        Some(path) => outside(outer, path),
        None => joined(outer, path),
    }
}

/// Returns what each module imports, or names by its path.
fn imports(modules: &Modules) -> Imports {
    let mut imports = Imports::new();
    for (name, code) in modules {
        let mut named = paths(code, "crate");
        named.extend(paths(code, "super").iter().map(|path| outside(name, path)));
        for child in code.lines().filter_map(declared) {
            let within = joined(name, child);
            named.extend(paths(code, child).iter().map(|path| joined(&within, path)));
        }
        let found = named.iter().map(|path| module_of(modules, path).to_owned());
        imports.insert(name.clone(), found.filter(|found| found != name).collect());
    }
    imports
}

/// Returns the place of a module's layer, from the top down.
fn rank(module: &str) -> Option<usize> {
    match module.split('/').next()? {
        "lib" => Some(0),
        "terminal" => Some(LAYERS.len() + 1),
        layer => Some(1 + LAYERS.iter().position(|name| *name == layer)?),
    }
}

/// Returns what is wrong with the imports, a line each.
fn faults(modules: &Modules) -> Vec<String> {
    let mut faults = Vec::new();
    let mut open = imports(modules);
    for (name, imported) in &open {
        if rank(name).is_none() {
            faults.push(format!("xtask/src/{name}.rs is in no layer"));
        }
        for other in imported {
            if rank(other) < rank(name) {
                faults.push(format!("xtask/src/{name}.rs imports upwards, from xtask/src/{other}.rs"));
            } else if LAYERS.contains(&other.as_str()) {
                faults.push(format!("xtask/src/{name}.rs imports the layer {other}, and names no file of it"));
            }
        }
    }
    // What imports nothing, or only what is in no circle, is in none.
    while let Some(done) = open.iter().find(|(_, imported)| imported.is_empty()).map(|(name, _)| name.clone()) {
        open.remove(&done);
        for imported in open.values_mut() {
            imported.remove(&done);
        }
    }
    if let Some(mut at) = open.keys().next() {
        let mut way: Vec<&String> = Vec::new();
        while !way.contains(&at) {
            way.push(at);
            at = open[at].first().expect("one that imports nothing is done");
        }
        let circle = way.into_iter().skip_while(|name| *name != at).chain([at]);
        let circle: Vec<String> = circle.map(|name| format!("xtask/src/{name}.rs")).collect();
        faults.push(format!("these import each other: {}", circle.join(" → ")));
    }
    faults
}

#[test]
fn xtask_imports_downwards_and_in_no_circle() -> Result<()> {
    let root = repository().join("xtask/src");
    let mut modules = Modules::new();
    add_modules(&root, &root, &mut modules)?;
    let modules = without_tests(modules);
    assert!(modules.len() > 80, "{:?}", modules.keys());
    for layer in LAYERS {
        assert!(modules.contains_key(layer), "there is no layer {layer}");
        let holds = !modules[layer].contains("use ");
        assert!(holds, "xtask/src/{layer}/mod.rs only declares modules");
    }
    let count: usize = imports(&modules).values().map(BTreeSet::len).sum();
    assert!(count > 300, "{count} imports are found");
    assert_eq!(faults(&modules), Vec::<String>::new());
    Ok(())
}

#[test]
fn an_import_upwards_and_a_circle_are_found() {
    let faults = |files: &[(&str, &str)]| {
        let modules = files.iter().map(|(name, text)| ((*name).to_owned(), code(text)));
        faults(&without_tests(modules.collect()))
    };
    let lib = ("lib", "mod binaries;\nmod commands;\nmod terminal;");
    let upwards =
        |code| faults(&[lib, ("binaries/link", code), ("binaries/lister", ""), ("commands/run", ""), ("terminal", "")]);
    let expected = ["xtask/src/binaries/link.rs imports upwards, from xtask/src/commands/run.rs"];
    assert_eq!(upwards("use crate::commands::run;"), expected);
    assert_eq!(upwards("use crate::{\n    commands::run::{self, Options as Run},\n    terminal,\n};"), expected);
    assert_eq!(upwards("fn link() { crate::commands::run::run() }"), expected);
    assert_eq!(upwards("use super::super::commands::run::run;"), expected);
    let found = upwards("#[cfg(test)]\nmod tests {\n}\nuse crate::commands::run;");
    assert_eq!(found, expected);
    for right in [
        "use crate::terminal::tell;",
        "use super::lister::Lister;",
        "// crate::commands::run",
        "fn link() {}\n\n#[cfg(test)]\nmod tests {\n    use crate::commands::run;\n}",
    ] {
        assert_eq!(upwards(right), [""; 0], "{right}");
    }
    let circle = faults(&[
        lib,
        ("binaries/link", "use super::lister::Lister;"),
        ("binaries/lister", "mod output;\nfn list() { output::read() }"),
        ("binaries/lister/output", "use crate::binaries::link::Link;"),
    ]);
    assert_eq!(
        circle,
        [
            "these import each other: xtask/src/binaries/link.rs → xtask/src/binaries/lister.rs → xtask/src/binaries/lister/output.rs → \
          xtask/src/binaries/link.rs"
        ]
    );
    let of_tests = faults(&[
        lib,
        ("binaries", "pub(crate) mod link;\n#[cfg(test)]\nmod proofs;"),
        ("binaries/link", ""),
        ("binaries/proofs", "use crate::commands::run;"),
        ("commands/run", ""),
    ]);
    assert_eq!(of_tests, [""; 0]);
}
