//! The promises of a release besides its API: versions that fit each other, and the Rust that it builds with.

use std::env;

use hookkit_tests::RECORDED_WITH;
use hookkit_tests::prelude::*;
use serde::Deserialize;

/// Packages that are published, and compiled by users.
const PUBLISHED: [&str; 9] = [
    "hookkit", "hookkit-effects", "hookkit-json", "hookkit-macros", "hookkit-protocol", "hookkit-secrets",
    "hookkit-shell", "hookkit-verdict", "hookkit-xtask",
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
        let rustc = Command::new("rustc").arg("-vV").output()?;
        let rustc = String::from_utf8(rustc.stdout)?;
        let host = rustc.lines().find_map(|line| line.strip_prefix("host: "));
        let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["metadata", "--format-version=1", "--locked", "--all-features"])
            .args(["--filter-platform", host.context("rustc has no host")?])
            .current_dir(repository())
            .output()?;
        ensure!(
            output.status.success(),
            "cargo metadata: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(serde_json::from_slice(&output.stdout)?)
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
        Ok(self
            .packages
            .iter()
            .filter(|package| seen.contains(&*package.id))
            .collect())
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
fn what_users_compile_needs_no_newer_rust_than_ours() -> Result<()> {
    let metadata = Metadata::read()?;
    let ours = metadata.published()?[0]
        .rust_version
        .as_deref()
        .context("no rust-version")?;
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
    assert!(
        newer.is_empty(),
        "newer than our {ours}: {newer:?}; take an older version, or raise ours in Cargo.toml"
    );
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
    assert_eq!(pins, 17, "a dependency between our crates has come or gone");
    Ok(())
}

/// Each crate has the metadata that a registry shows, and cargo makes a package of each. Nothing is built or sent.
#[test]
fn our_crates_can_be_packaged() -> Result<()> {
    for package in Metadata::read()?.published()? {
        let holds = package.description.is_some() && package.readme.is_some();
        assert!(holds, "{}", package.name);
        let holds = !package.keywords.is_empty() && !package.categories.is_empty();
        assert!(holds, "{}", package.name);
    }
    // Before 1.90 cargo packages one crate at a time.
    let version = Command::new("cargo").arg("--version").output()?.stdout;
    let version = String::from_utf8(version)?
        .split(' ')
        .nth(1)
        .map(semver::Version::parse);
    if version
        .transpose()?
        .is_none_or(|version| (version.major, version.minor) < (1, 90))
    {
        skip(
            "our_crates_can_be_packaged",
            "cargo before 1.90 packages no crates that need each other",
        );
        return Ok(());
    }
    let target = test_support::folder();
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["package", "--no-verify", "--offline", "--allow-dirty", "--target-dir"])
        .arg(target.path())
        .current_dir(repository());
    for name in PUBLISHED {
        cargo.args(["--package", name]);
    }
    let done = cargo.output().context("cargo could not be run")?;
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
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
    let names = lines
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split(' ').next());
    let names: Vec<&str> = names.filter(|name| *name != "help").collect();
    assert!(names.contains(&"install") && names.contains(&"add"), "{names:?}");
    let rows: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("| `")).collect();
    for name in names {
        let is_named = |row: &&str| {
            row.split_once(" |")
                .is_some_and(|(first, _)| format!("`{first}").contains(&format!("`{name}`")))
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
    ensure!(
        ui.contains(&constant),
        "hookkit/tests/ui.rs has another one than {RECORDED_WITH}"
    );
    Ok(())
}
