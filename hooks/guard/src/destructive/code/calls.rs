//! Calls of a language that start a program or delete files, and have what they are about as texts in the code.

use std::borrow::Cow;

use hookkit::process::shell_word;

use super::arguments::Arguments;
use super::functions::{self, imports_files};
use super::{Language, made};

/// The meaning of a call's texts.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// It runs the first as a script.
    Script,
    /// It runs one as a script, or several as the words of a command.
    Command,
    /// It deletes files.
    Files,
    /// It deletes folders, with what is in them.
    Folders,
    /// It opens a file, which is written where its mode has one of these letters: `w`, `a`, `x`, `+`.
    Opened,
    /// It writes a file anew.
    Written,
    /// It cuts a file.
    Cut,
    /// It is a path, of which a method is called behind it.
    Path,
    /// It runs the text behind it as a script, without a parenthesis.
    Statement,
}

/// The calls, in lowercase: in most languages these names are nothing else.
const CALLS: &[(&str, Kind)] = &[
    ("os.system(", Kind::Script),
    ("os.popen(", Kind::Script),
    ("os.execute(", Kind::Script),
    ("subprocess.getoutput(", Kind::Script),
    ("subprocess.getstatusoutput(", Kind::Script),
    ("execsync(", Kind::Script),
    ("shell_exec(", Kind::Script),
    ("passthru(", Kind::Script),
    ("subprocess.run(", Kind::Command),
    ("subprocess.call(", Kind::Command),
    ("subprocess.check_call(", Kind::Command),
    ("subprocess.check_output(", Kind::Command),
    ("subprocess.popen(", Kind::Command),
    ("execfilesync(", Kind::Command),
    ("spawnsync(", Kind::Command),
    ("system(", Kind::Command),
    ("os.remove(", Kind::Files),
    ("os.unlink(", Kind::Files),
    ("unlinksync(", Kind::Files),
    ("fs.unlink(", Kind::Files),
    ("file.delete(", Kind::Files),
    ("unlink(", Kind::Files),
    ("shutil.rmtree(", Kind::Folders),
    ("fileutils.rm_rf(", Kind::Folders),
    ("fileutils.rm_r(", Kind::Folders),
    ("rmsync(", Kind::Folders),
    ("fs.rm(", Kind::Folders),
    ("promises.rm(", Kind::Folders),
    ("deno.remove(", Kind::Folders),
    ("remove_tree(", Kind::Folders),
    ("writefilesync(", Kind::Written),
    ("fs.writefile(", Kind::Written),
    ("promises.writefile(", Kind::Written),
    ("deno.writetextfile(", Kind::Written),
    ("file_put_contents(", Kind::Written),
    ("truncatesync(", Kind::Cut),
    ("os.truncate(", Kind::Cut),
    ("doshellscript(", Kind::Script),
    ("do shell script ", Kind::Statement),
];

/// Calls of JavaScript, where the module for files is imported.
const OF_FILES: &[(&str, Kind)] = &[
    ("rm(", Kind::Folders),
    ("rmdir(", Kind::Folders),
    ("writefile(", Kind::Written),
];

/// Those of Python and Ruby. Classes have their capitals: `file.write(` and `path(` may be anything.
const OF_PYTHON: &[(&str, Kind)] = &[("open(", Kind::Opened), ("Path(", Kind::Path)];
const OF_RUBY: &[(&str, Kind)] = &[
    ("File.write(", Kind::Written),
    ("IO.write(", Kind::Written),
    ("File.truncate(", Kind::Cut),
];

/// Those of R and Julia.
const OF_OTHERS: &[(&str, Kind)] = &[("file.remove(", Kind::Files), ("rm(", Kind::Folders)];

/// Modules before the name of a call.
const MODULES: &[&str] = &[
    "require('child_process').", "require(\"child_process\").", "require('node:child_process').",
    "require(\"node:child_process\").",
];

/// Words by which a program, a file or a variable is another one than it seems, or a call has no name in the code.
const ELSEWHERE: &[&str] = &[
    "__dict__", "__import__", "chdir", "chroot", "env", "environ", "environb", "fchdir", "getattr", "globals",
    "import_module", "pushd", "putenv", "rename", "renames", "renamesync", "setenv", "unsetenv",
];

/// Parts of code that do the same.
const PARTS_ELSEWHERE: &[&str] = &[
    "cd(", "cd '", "cd \"", ".cd ", "%cd", ".cwd=", ".cwd =", "eval(", "os.replace", "shutil.move",
];

/// More of these in Perl, PHP and Ruby, with what a shell runs.
const PARTS_OF_PERL: &[&str] = &["`", "%x", "&$", "&{", "eval", "send", "syscall"];

/// Code with more calls is not taken apart.
const MOST: usize = 50;

/// A call whose texts are longer is not one.
const LONGEST: usize = 2_000;

/// Returns the commands that are as the calls of a code, and the code without these calls, in lowercase.
pub(super) fn of(language: Language, code: &str) -> (Vec<String>, String) {
    let lower = code.to_ascii_lowercase();
    if is_uncertain(language, &lower) {
        return (Vec::new(), lower);
    }
    let of_language = match language {
        Language::JavaScript if imports_files(&lower) => OF_FILES,
        Language::Python => OF_PYTHON,
        Language::Ruby => OF_RUBY,
        Language::Other => OF_OTHERS,
        _ => &[],
    };
    let has_one_of = |calls: &[&str]| calls.iter().any(|call| lower.contains(call));
    let writes = has_one_of(&[".write", "dump("]) && !has_one_of(&[".write('')", ".write(\"\")"]);
    let folders = made::names(language, code);
    let mut rest = lower.clone();
    let mut commands = Vec::new();
    let mut found = 0;
    for (name, kind) in CALLS.iter().chain(of_language) {
        let mut from = 0;
        let is_class = name.as_bytes()[0].is_ascii_uppercase();
        while let Some(at) = if is_class { code } else { &rest }[from..].find(name) {
            let at = from + at;
            from = at + name.len();
            let is_longer = rest[..at].ends_with(|char: char| char.is_alphanumeric() || matches!(char, '_' | '$'));
            if is_longer {
                continue;
            }
            found += 1;
            if found > MOST {
                return (Vec::new(), lower);
            }
            let end = (from + LONGEST..).find(|end| *end >= code.len() || code.is_char_boundary(*end));
            let arguments = end.and_then(|end| code.get(from..end)).unwrap_or(&code[from..]);
            if let Some((command, length)) = command(language, *kind, arguments, writes, &folders) {
                commands.push(command);
                let module = MODULES.iter().find(|module| rest[..at].ends_with(*module));
                let start = at - module.map_or(0, |module| module.len());
                blank(&mut rest, start, from + length);
            }
        }
    }
    let rest = match language {
        Language::Python => without_module(&rest),
        Language::JavaScript => without_names(rest),
        _ => rest,
    };
    (commands, rest)
}

/// Returns `true` for code whose calls may do something else than their texts say, or that starts programs in other ways.
fn is_uncertain(language: Language, code: &str) -> bool {
    let mut words = code.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    let is_perl = matches!(language, Language::Perl | Language::Php | Language::Ruby);
    // Of IPython, and of Ruby.
    let goes = |line: &str| line.trim_start().starts_with("cd ");
    PARTS_ELSEWHERE.iter().any(|part| code.contains(part))
        || is_perl
            && (PARTS_OF_PERL.iter().any(|part| code.contains(part)) || code.contains("open") && code.contains('|'))
        || code.split(['\n', ';']).any(goes)
        || words.any(|word| ELSEWHERE.contains(&word))
}

fn blank(text: &mut String, start: usize, end: usize) {
    text.replace_range(start..end, &" ".repeat(end - start));
}

/// Leaves out where Python's module for programs is imported, and its constants: what is called is another part of the code.
fn without_module(code: &str) -> String {
    const MODULE: &str = "subprocess";
    const CONSTANTS: &[&str] = &[
        ".calledprocesserror", ".completedprocess", ".devnull", ".pipe", ".stdout", ".timeoutexpired",
    ];
    let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | ',' | ' ');
    let statements = code.split_inclusive(['\n', ';']).map(|statement| {
        let names = statement.trim_start_matches([' ', '\t']).strip_prefix("import ");
        let names = names.map(|names| names.trim_end_matches(['\n', ';']));
        match names.is_some_and(|names| names.chars().all(is_name) && !functions::renames(names)) {
            true => statement.replace(MODULE, ""),
            false => CONSTANTS
                .iter()
                .fold(Cow::Borrowed(statement), |statement, constant| {
                    match statement.contains(constant) {
                        true => statement.replace(&format!("{MODULE}{constant}"), "").into(),
                        false => statement,
                    }
                })
                .into_owned(),
        }
    });
    statements.collect()
}

/// Leaves out where functions of JavaScript's module for programs are imported by names that are seen wherever they are used.
fn without_names(mut code: String) -> String {
    const NAMES: &[&str] = &["execfilesync", "execsync", "spawnsync"];
    const MODULE: &str = "child_process";
    let imports: Vec<_> = (code.match_indices(MODULE).take(MOST))
        .filter_map(|(at, module)| {
            let quotes = ['\'', '"'];
            let before = code[..at].strip_suffix("node:").unwrap_or(&code[..at]);
            let behind = code[at + module.len()..].strip_prefix(quotes)?;
            let before = before.strip_suffix(quotes)?;
            let (before, behind, starts) = match before.strip_suffix("require(") {
                Some(before) => (
                    before.trim_end().strip_suffix('=')?,
                    behind.strip_prefix(')')?,
                    &["const", "let", "var"][..],
                ),
                None => (before.trim_end().strip_suffix("from")?, behind, &["import"][..]),
            };
            let (before, names) = before.trim_end().strip_suffix('}')?.rsplit_once('{')?;
            let before = before.trim_end();
            let start = starts.iter().find_map(|start| before.strip_suffix(start))?;
            let is_whole = (start.is_empty() || start.ends_with([';', '\n', ' ']))
                && is_end(behind)
                && names.split(',').all(|name| NAMES.contains(&name.trim()));
            is_whole.then(|| start.len()..code.len() - behind.len())
        })
        .collect();
    for import in imports {
        blank(&mut code, import.start, import.end);
    }
    code
}

/// Returns `true` if a statement ends before this code: the next line may go on with it.
pub(super) fn is_end(behind: &str) -> bool {
    match behind.strip_prefix('\n').map(str::trim_start) {
        Some(next) => next.is_empty() || next.starts_with(|char: char| char.is_ascii_alphabetic()),
        None => behind.is_empty() || behind.starts_with(';'),
    }
}

/// Returns the command that is as a call, by the text behind its parenthesis, and the length of the texts; `None` if it is not
/// certain. What it opens is emptied, unless the code `writes`.
fn command(language: Language, kind: Kind, text: &str, writes: bool, folders: &[&str]) -> Option<(String, usize)> {
    let Arguments {
        kind,
        texts,
        count,
        has_list,
        has_shell,
        length,
    } = Arguments::of(language, kind, text, folders)?;
    // The text may be code, where the name of the call is within another text.
    let lower = texts.join("\n").to_ascii_lowercase();
    if functions::delete(language, &lower) || functions::delete_from_service(&lower) {
        return None;
    }
    let words = |before: &[&str]| {
        let quoted = texts.iter().map(|text| shell_word(text));
        let words: Vec<Cow<'_, str>> = before.iter().map(|word| Cow::Borrowed(*word)).chain(quoted).collect();
        words.join(" ")
    };
    let first = *texts.first()?;
    let is_one = count == 1 && !has_list;
    let command = match kind {
        // More than one may open it to be written to.
        Kind::Script | Kind::Statement | Kind::Command if is_one => first.to_owned(),
        Kind::Script | Kind::Statement => return None,
        Kind::Command => match language {
            // The others are the arguments of the script.
            Language::Python if count == 1 && has_shell => first.to_owned(),
            Language::Python if count == 1 => words(&[]),
            Language::JavaScript if has_shell => texts.join(" "),
            Language::JavaScript => words(&[]),
            // In Ruby, a list has another name of the program.
            _ if has_list || language == Language::Python => return None,
            _ => words(&[]),
        },
        // An option of R's and Julia's has them delete folders.
        Kind::Files if language != Language::Other => words(&["rm", "-f", "--"]),
        Kind::Files | Kind::Folders => words(&["rm", "-rf", "--"]),
        Kind::Opened | Kind::Written | Kind::Path => {
            let redirected = match texts[..] {
                [_, mode] if kind == Kind::Opened && mode.contains('w') && !writes => "> ",
                [_, mode] if kind == Kind::Opened && mode.contains('w') => "cat > ",
                [_, mode] if kind == Kind::Opened && mode.contains(['a', 'x', '+']) => "cat >> ",
                _ if kind == Kind::Opened => return None,
                [_] => "cat > ",
                _ => "> ",
            };
            [redirected, &shell_word(first)].concat()
        }
        Kind::Cut => words(&["truncate", "-s", "0", "--"]),
    };
    Some((command, length))
}

#[cfg(test)]
mod tests {
    use super::{Language, of};

    #[test]
    fn calls_with_texts_are_commands_and_others_are_left() {
        test_support::lines!("lines/calls.txt").check(|section, code| {
            let language = match section.name {
                "Python" => Language::Python,
                "JavaScript" => Language::JavaScript,
                "Perl" => Language::Perl,
                "Php" => Language::Php,
                "Ruby" => Language::Ruby,
                other => panic!("{other}"),
            };
            let (commands, rest) = of(language, code);
            if commands.is_empty() && rest == code.to_ascii_lowercase() {
                return "left".to_owned();
            }
            let commands = if commands.is_empty() {
                "none".to_owned()
            } else {
                commands.join("\n")
            };
            format!("{commands}\t{}", rest.replace(' ', ""))
        });
    }
}
