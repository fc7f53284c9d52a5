//! The promises of a release besides its API: versions that fit each other, and the Rust that it builds with.

use std::env;

use hookkit_tests::RECORDED_WITH;
use hookkit_tests::prelude::*;
use hookkit_tests::xtask::cargo_program;
use serde::Deserialize;

/// Packages that are published, and compiled by users.
const PUBLISHED: [&str; 13] = [
    "hookkit", "hookkit-audit", "hookkit-effects", "hookkit-json", "hookkit-macros", "hookkit-protocol",
    "hookkit-secrets", "hookkit-service", "hookkit-shell", "hookkit-snapshot", "hookkit-spool", "hookkit-verdict",
    "hookkit-xtask",
];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    rust_version: Option<String>,
    description: Option<String>,
    readme: Option<String>,
    repository: Option<String>,
    homepage: Option<String>,
    keywords: Vec<String>,
    categories: Vec<String>,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    req: String,
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<EdgeKind>,
}

#[derive(Deserialize)]
struct EdgeKind {
    kind: Option<String>,
}

impl Metadata {
    /// The workspace as Cargo.lock has it, for this machine: what others need may not be downloaded.
    fn read() -> Result<Self> {
        let rustc = Command::new("rustc").arg("-vV").out(0)?;
        let host = rustc.lines().find_map(|line| line.strip_prefix("host: "));
        let mut cargo = Command::new(cargo_program());
        cargo
            .args(["metadata", "--format-version=1", "--locked", "--all-features"])
            .args(["--filter-platform", host.context("rustc has no host")?])
            .current_dir(repository());
        Ok(serde_json::from_str(&cargo.out(0)?)?)
    }

    fn published(&self) -> Result<Vec<&Package>> {
        let find = |name: &&str| {
            let package = self.packages.iter().find(|package| package.name == **name);
            package.with_context(|| format!("no package {name}"))
        };
        PUBLISHED.iter().map(find).collect()
    }

    /// The packages that users compile: no dev-dependencies.
    fn compiled_by_users(&self) -> Result<Vec<&Package>> {
        let nodes: BTreeMap<&str, &Node> = self.resolve.nodes.iter().map(|node| (&*node.id, node)).collect();
        let mut open: Vec<&str> = self.published()?.iter().map(|package| &*package.id).collect();
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                let edges = &nodes.get(id).with_context(|| format!("no node {id}"))?.deps;
                let is_normal = |edge: &&Edge| edge.dep_kinds.iter().any(|kind| kind.kind.as_deref() != Some("dev"));
                open.extend(edges.iter().filter(is_normal).map(|edge| &*edge.pkg));
            }
        }
        let packages = self.packages.iter();
        Ok(packages.filter(|package| seen.contains(&*package.id)).collect())
    }
}

/// `1.89` and `1.89.0` are the same.
fn numbers(version: &str) -> Result<[u32; 3]> {
    let mut numbers = [0; 3];
    for (number, part) in numbers.iter_mut().zip(version.split('.')) {
        *number = part.parse().with_context(|| format!("the version `{version}`"))?;
    }
    Ok(numbers)
}

#[test]
fn the_readme_has_the_times_of_its_picture() -> Result<()> {
    let read = |path: &str| fs::read_to_string(repository().join(path));
    let (readme, picture) = (read("README.md")?, read("docs/book/src/pictures/cost.svg")?);
    let texts = picture.split("</text>").filter_map(|text| text.rsplit('>').next());
    let times: Vec<f64> = texts.filter_map(|text| text.split(' ').next()?.parse().ok()).collect();
    let line = readme.lines().find(|line| line.contains("pictures/cost.svg")).context("no picture")?;
    let shown: Vec<f64> = line.split([' ', ',', ']']).filter_map(|word| word.parse().ok()).collect();
    assert_eq!(shown, times);
    assert_eq!(shown.len(), 5);
    Ok(())
}

#[test]
fn what_users_compile_needs_no_newer_rust_than_ours() -> Result<()> {
    let metadata = Metadata::read()?;
    let ours = metadata.published()?[0].rust_version.as_deref().context("no rust-version")?;
    let readme = fs::read_to_string(repository().join("README.md"))?;
    let holds = readme.contains(&format!("{ours} or later"));
    assert!(holds, "README.md names another Rust than {ours}");

    let compiled = metadata.compiled_by_users()?;
    let holds = compiled.iter().any(|package| package.name == "syn");
    assert!(holds, "the graph has lost its edges");
    let mut newer = Vec::new();
    for package in compiled {
        if let Some(theirs) = &package.rust_version
            && numbers(theirs)? > numbers(ours)?
        {
            newer.push(format!("{} {} needs {theirs}", package.name, package.version));
        }
    }
    assert!(newer.is_empty(), "newer than our {ours}: {newer:?}; take an older version, or raise ours in Cargo.toml");
    Ok(())
}

#[test]
fn our_crates_are_one_version_and_pin_each_other() -> Result<()> {
    let metadata = Metadata::read()?;
    let published = metadata.published()?;
    let version = &published[0].version;
    let mut pins = 0;
    for package in &published {
        assert_eq!(&package.version, version, "{}", package.name);
        for dependency in package
            .dependencies
            .iter()
            // cargo does not publish a path without a version: the examples of a part of hookkit name hookkit so.
            .filter(|other| PUBLISHED.contains(&&*other.name) && other.kind.as_deref() != Some("dev"))
        {
            let what = format!("{} on {}", package.name, dependency.name);
            assert_eq!(dependency.req, format!("={version}"), "{what}");
            pins += 1;
        }
    }
    // The library on its parts and the attribute; the effects on the grammar and the names of secrets; the verdict and xtask on what they read; the rest on the facts.
    assert_eq!(pins, 24, "a dependency between our crates has come or gone");
    Ok(())
}

/// Each crate has the metadata that a registry shows, and cargo makes a package of each. Nothing is built or sent.
#[test]
fn our_crates_can_be_packaged() -> Result<()> {
    let metadata = Metadata::read()?;
    let addresses = |package: &Package| Some((package.repository.clone()?, package.homepage.clone()?));
    let ours = metadata.published()?.first().and_then(|first| addresses(first));
    for package in metadata.published()? {
        let holds = package.description.is_some() && package.readme.is_some();
        assert!(holds, "{}", package.name);
        let holds = ours.is_some() && addresses(package) == ours;
        assert!(holds, "{} has other addresses than the workspace", package.name);
        let holds = !package.keywords.is_empty() && !package.categories.is_empty();
        assert!(holds, "{}", package.name);
    }
    // Before 1.90 cargo packages one crate at a time.
    let version = Command::new("cargo").arg("--version").out(0)?;
    let version = semver::Version::parse(version.split(' ').nth(1).context("a version")?)?;
    if (version.major, version.minor) < (1, 90) {
        let why = "cargo before 1.90 packages no crates that need each other";
        skip("our_crates_can_be_packaged", why);
        return Ok(());
    }
    let target = test_support::folder();
    let mut cargo = Command::new(cargo_program());
    cargo
        .args(["package", "--no-verify", "--offline", "--allow-dirty", "--target-dir"])
        .arg(target.path())
        .current_dir(repository());
    for name in PUBLISHED {
        cargo.args(["--package", name]);
    }
    cargo.out(0)?;
    for name in PUBLISHED {
        let file = format!("package/{name}-{}.crate", env!("CARGO_PKG_VERSION"));
        assert!(target.path().join(&file).is_file(), "{file}");
    }
    Ok(())
}

#[test]
fn security_md_names_each_command_of_xtask() -> Result<()> {
    let read = |file: &str| fs::read_to_string(repository().join(file));
    let page = read("SECURITY.md")?;
    let help = xtask_ok(repository(), &["--help"])?;
    let (_, commands) = help.split_once("Commands:\n").context("a list of commands")?;
    let (commands, _) = commands.split_once("\n\n").context("the end of the list")?;
    // Some lines are the rest of a description.
    let lines = commands.lines().filter_map(|line| line.strip_prefix("  "));
    let lines = lines.filter(|line| !line.starts_with(' '));
    let names = lines.filter_map(|line| line.split(' ').next());
    let names: Vec<&str> = names.filter(|name| *name != "help").collect();
    assert!(names.contains(&"install") && names.contains(&"add"), "{names:?}");
    let rows: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("| `")).collect();
    for name in names {
        let is_named = |row: &&str| {
            let first = row.split(" |").next().unwrap_or_default();
            format!("`{first}").contains(&format!("`{name}`"))
        };
        assert!(rows.iter().any(is_named), "SECURITY.md has no row for `{name}`");
    }
    for file in ["README.md", "CONTRIBUTING.md"] {
        assert!(read(file)?.contains("[SECURITY.md](SECURITY.md)"), "{file}");
    }
    Ok(())
}

#[test]
fn recordings_are_of_one_toolchain() -> Result<()> {
    let ui = fs::read_to_string(repository().join("hookkit/tests/ui.rs"))?;
    let constant = format!("const RECORDED_WITH: &str = {RECORDED_WITH:?};");
    ensure!(ui.contains(&constant), "hookkit/tests/ui.rs has another one than {RECORDED_WITH}");
    Ok(())
}
