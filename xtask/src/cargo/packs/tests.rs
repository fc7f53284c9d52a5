use serde_json::{Value, json};

use super::*;
use crate::cargo::hookkit::{CRATES_IO, hookkit};

/// Returns the output of `cargo metadata --no-deps` for a workspace with these packages.
fn metadata(packages: Value) -> Result<Metadata> {
    Ok(serde_json::from_value(json!({
        "packages": packages,
        "workspace_root": "/acme",
        "target_directory": "/acme/target",
        "metadata": null,
    }))?)
}

fn package(name: &str, dependencies: Value) -> Value {
    json!({
        "name": name,
        "manifest_path": format!("/acme/{name}/Cargo.toml"),
        "targets": [{ "kind": ["lib"] }],
        "dependencies": dependencies,
    })
}

/// Returns a dependency on a package from crates.io; `other` replaces its members.
fn dependency(name: &str, other: Value) -> Value {
    let mut dependency = json!({
        "name": name,
        "source": format!("registry+{CRATES_IO}"),
        "req": "^1.0",
        "kind": null,
        "rename": null,
        "optional": false,
        "uses_default_features": true,
        "features": [],
        "target": null,
        "registry": null,
    });
    for (member, value) in other.as_object().into_iter().flatten() {
        dependency[member] = value.clone();
    }
    dependency
}

/// Returns a workspace whose xtask has this dependency on `guards`.
fn holding(guards: Value) -> Result<Metadata> {
    metadata(json!([package("xtask", json!([guards]))]))
}

/// Returns a Cargo.lock with these packages, each as `NAME VERSION SOURCE: DEPENDENCY, …`. A path package has no
/// source.
fn lock(packages: &[&str]) -> Result<Lockfile> {
    let mut text = "version = 4\n".to_owned();
    for package in packages {
        let (package, needs) = package.split_once(": ").unwrap_or((package, ""));
        let mut words = package.split(' ');
        text += "\n[[package]]\n";
        for key in ["name", "version", "source"] {
            if let Some(word) = words.next() {
                text += &format!("{key} = {word:?}\n");
            }
        }
        let needs: Vec<&str> = needs.split(", ").filter(|needs| !needs.is_empty()).collect();
        text += &format!("dependencies = {needs:?}\n");
    }
    Lockfile::parse(&text)
}

const INDEX: &str = "registry+https://index.example.com/git";

/// Returns the Cargo.lock entry for a pack that has a source.
fn locked(version: &str, needs: &str) -> String {
    format!("guards {version} {INDEX}: {needs}")
}

fn ours() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

fn named() -> [String; 1] {
    ["guards".to_owned()]
}

/// Returns the error about `guards`, with all versions in the Cargo.lock.
fn refused(metadata: &Metadata, lock: &Lockfile) -> String {
    let found = find(metadata, &named(), Some(lock)).and_then(|packs| hookkit(metadata, &packs, Some(lock)));
    found.expect_err("it is refused").to_string()
}

/// Returns the lines of a generated manifest.
fn lines(metadata: &Metadata, lock: Option<&Lockfile>) -> Result<Vec<String>> {
    let packs = find(metadata, &named(), lock)?;
    Ok(packs.iter().map(Pack::dependency).collect())
}

#[test]
fn a_pack_without_a_dependent_is_reported_with_the_fix() -> Result<()> {
    let message = "`packs` in [workspace.metadata.hookkit] lists `guards`, which no package of the workspace depends \
                   on; remove it there, or depend on it: cargo xtask add guards --git … or --path …";
    assert_eq!(refused(&metadata(json!([]))?, &lock(&[])?), message);
    let misspelt = refused(&holding(dependency("guard", json!({})))?, &lock(&[])?);
    assert!(misspelt.ends_with("depends on; did you mean `guard`?"), "{misspelt}");
    // A build script or test that needs it does not use its hooks.
    for kind in ["dev", "build"] {
        let metadata = holding(dependency("guards", json!({ "kind": kind })))?;
        assert_eq!(refused(&metadata, &lock(&[])?), message);
    }
    Ok(())
}

#[test]
fn packs_without_a_lock_are_reported() -> Result<()> {
    let mut metadata = holding(dependency("guards", json!({})))?;
    let packs = find(&metadata, &named(), None)?;
    let folder = test_support::folder();
    std::fs::write(folder.path().join("Cargo.toml"), "[workspace]\n")?;
    metadata.workspace_root = folder.path().to_owned();
    assert_eq!(
        hookkit(&metadata, &packs, None).expect_err("the version is not known yet").to_string(),
        "there is no Cargo.lock with the packs' version of hookkit; create it: cargo update --workspace"
    );
    Ok(())
}

#[test]
fn packs_for_a_hookkit_that_this_xtask_does_not_know_are_reported() -> Result<()> {
    let metadata = holding(dependency("guards", json!({})))?;
    let ours = semver::Version::parse(ours())?;
    let with = |hookkit: semver::Version| {
        lock(&["xtask 0.0.0: guards", &locked("1.0.0", "hookkit"), &format!("hookkit {hookkit} {INDEX}")])
    };
    let next_major = semver::Version::new(ours.major + 1, 0, 0);
    let next_minor = semver::Version::new(0, ours.minor + 1, 0);
    let others = [
        Some(next_major),
        Some(next_minor).filter(|_| ours.major == 0),
        ours.major.checked_sub(1).map(|major| semver::Version::new(major, 0, 0)),
    ];
    for other in others.into_iter().flatten() {
        assert_eq!(
            refused(&metadata, &with(other.clone())?),
            format!(
                "the hooks are written for hookkit {other}, and this xtask belongs to hookkit {ours}; use the same \
                 version for both: `hookkit-xtask` in xtask's Cargo.toml, and hookkit in the packs'"
            )
        );
    }
    let newer = semver::Version::new(ours.major, ours.minor, ours.patch + 7);
    let lock = with(newer.clone())?;
    let packs = find(&metadata, &named(), Some(&lock))?;
    let line = hookkit(&metadata, &packs, Some(&lock))?;
    assert_eq!(line, format!("version = \"={newer}\", registry-index = \"https://index.example.com/git\""));
    Ok(())
}

/// Returns a generated manifest's dependency on a pack, without the common parts.
fn generated(other: &str) -> String {
    let other = serde_json::from_str(other).expect(other);
    let lines = lines(&holding(dependency("guards", other)).expect("metadata"), None).expect("one pack");
    let line = lines.concat();
    let line = line.strip_prefix("guards = { package = \"guards\", ").expect("the pack");
    line.strip_suffix(", features = [] }\n").expect("the pack").to_owned()
}

#[test]
fn what_any_dependent_asks_of_a_pack_is_asked() -> Result<()> {
    let metadata = metadata(json!([
        package(
            "app",
            json!([dependency("guards", json!({ "features": ["git", "db"], "uses_default_features": false }))])
        ),
        package("xtask", json!([dependency("guards", json!({ "features": ["git", "api"] }))])),
    ]))?;
    assert_eq!(
        lines(&metadata, None)?,
        ["guards = { package = \"guards\", version = \"^1.0\", features = [\"api\", \"db\", \"git\"] }\n"]
    );
    Ok(())
}

#[test]
fn a_library_that_depends_on_hookkit_is_a_pack_and_an_xtask_is_not() -> Result<()> {
    let on_hookkit = || json!([dependency("hookkit", json!({}))]);
    let mut program = package("program", on_hookkit());
    program["targets"] = json!([{ "kind": ["bin"] }]);
    let metadata = metadata(json!([
        package("acme-hooks", on_hookkit()),
        package("hookkit-xtask", on_hookkit()),
        package("acme-xtask", json!([dependency("hookkit", json!({})), dependency("hookkit-xtask", json!({}))]),),
        package("other", json!([])),
        program,
    ]))?;
    let packs = find(&metadata, &["acme-hooks".to_owned()], Some(&lock(&[])?))?;
    let [pack] = &packs[..] else { panic!("one pack: {packs:?}") };
    assert_eq!((&*krate(&pack.package), pack.is_foreign), ("acme_hooks", false));
    assert_eq!(
        pack.dependency(),
        "acme-hooks = { package = \"acme-hooks\", path = \"/acme/acme-hooks\", features = [] }\n"
    );
    Ok(())
}

#[test]
fn hookkit_is_the_one_that_the_packs_are_locked_with() {
    let own = dependency("hookkit", json!({ "path": "/hookkit", "source": null }));
    let guards = || dependency("guards", json!({}));
    test_support::lines!("lines/packs.txt").check(|section, line| match section.name {
        "dependencies" => generated(line),
        name => {
            let (packages, named) = match name.rsplit(' ').next() {
                Some("own") => {
                    (json!([package("own", json!([own])), package("xtask", json!([guards()]))]), &["guards"][..])
                }
                Some("more") => {
                    let more = dependency("more", json!({}));
                    (json!([package("xtask", json!([guards(), more]))]), &["guards", "more"][..])
                }
                _ => (json!([package("xtask", json!([guards()]))]), &["guards"][..]),
            };
            let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
            let metadata = metadata(packages).expect("metadata");
            let lock = lock(&line.replace("OURS", ours()).lines().collect::<Vec<_>>()).expect(line);
            let found = find(&metadata, &named, Some(&lock));
            let found = found.and_then(|packs| hookkit(&metadata, &packs, Some(&lock)));
            found.unwrap_or_else(|err| err.to_string()).replace(&format!("={}", ours()), "=OURS")
        }
    });
}

#[test]
fn a_hookkit_without_a_source_has_the_path_of_a_patch() -> Result<()> {
    let mut metadata = holding(dependency("guards", json!({})))?;
    let hookkit_of = format!("hookkit {}", ours());
    let lock = lock(&["xtask 0.0.0: guards", &locked("1.0.0", "hookkit"), &hookkit_of])?;
    // Only a patch can have given it a path.
    let folder = test_support::folder();
    metadata.workspace_root = folder.path().to_owned();
    let path = format!("path = {}", toml_string(&folder.path().join("hookkit"))?);
    for (patch, expected) in [
        ("[patch.crates-io]\nhookkit.path = \"hookkit\"\n", &path),
        ("[patch.acme]\nother.path = \"other\"\nhk = { package = \"hookkit\", path = \"hookkit\" }\n", &path),
        ("", &format!("version = \"={}\"", ours())),
    ] {
        std::fs::write(folder.path().join("Cargo.toml"), patch)?;
        let packs = find(&metadata, &named(), Some(&lock))?;
        assert_eq!(&hookkit(&metadata, &packs, Some(&lock))?, expected, "{patch}");
    }
    Ok(())
}

#[test]
fn a_hookkit_with_a_path_is_the_one_that_a_package_of_the_workspace_names() -> Result<()> {
    let of_path = dependency("hookkit", json!({ "source": null, "path": "/hookkit" }));
    let metadata = metadata(json!([package("own", json!([of_path]))]))?;
    let lock = lock(&["own 0.1.0: hookkit", &format!("hookkit {}", ours())])?;
    for lock in [Some(&lock), None] {
        let packs = find(&metadata, &[], lock)?;
        assert_eq!(hookkit(&metadata, &packs, lock)?, "path = \"/hookkit\"");
        assert_eq!(hookkit(&metadata, &[], lock)?, "", "without packs there is none");
    }
    Ok(())
}
