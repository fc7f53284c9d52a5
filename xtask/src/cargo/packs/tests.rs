use serde_json::{Value, json};

use super::*;
use crate::cargo::hookkit::{CRATES_IO, ensure_same_hookkit, hookkit};

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

/// A dependency on a package of the registry that needs no name, with other members where these are given.
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

/// A workspace whose xtask depends on `guards` in this way.
fn holding(guards: Value) -> Result<Metadata> {
    metadata(json!([package("xtask", json!([guards]))]))
}

/// A Cargo.lock with these packages, each as `NAME VERSION SOURCE: WHAT IT NEEDS, …`; a path is not a source.
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

/// One of a pack that has a source.
fn locked(version: &str, needs: &str) -> String {
    format!("guards {version} {INDEX}: {needs}")
}

fn ours() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

fn named() -> [String; 1] {
    ["guards".to_owned()]
}

/// Returns the message about `guards`, once all versions are known.
fn refused(metadata: &Metadata, lock: &Lockfile) -> String {
    let found = find(metadata, &named(), Some(lock)).and_then(|packs| hookkit(metadata, &packs, Some(lock)));
    found.expect_err("it is refused").to_string()
}

/// The lines of a generated manifest.
fn lines(metadata: &Metadata, lock: Option<&Lockfile>) -> Result<Vec<String>> {
    let packs = find(metadata, &named(), lock)?;
    Ok(packs.iter().map(Pack::dependency).collect())
}

#[test]
fn a_pack_without_a_dependent_is_reported_with_the_fix() -> Result<()> {
    let message = "`packs` in [workspace.metadata.hookkit] names `guards`, which no package of the workspace depends \
                on; remove it there, or depend on it: cargo xtask add guards --git … or --path …";
    assert_eq!(refused(&metadata(json!([]))?, &lock(&[])?), message);
    let misspelt = refused(&holding(dependency("guard", json!({})))?, &lock(&[])?);
    assert!(misspelt.ends_with("depends on; did you mean `guard`?"), "{misspelt}");
    // A build or a test that needs it is not a use of its hooks.
    for kind in ["dev", "build"] {
        let metadata = holding(dependency("guards", json!({ "kind": kind })))?;
        assert_eq!(refused(&metadata, &lock(&[])?), message);
    }
    Ok(())
}

#[test]
fn a_pack_that_the_lock_does_not_have_is_reported() -> Result<()> {
    let mut metadata = holding(dependency("guards", json!({})))?;
    assert_eq!(
        refused(&metadata, &lock(&["xtask 0.0.0"])?),
        "Cargo.lock does not have `guards` yet; write it anew: cargo update --workspace"
    );
    let packs = find(&metadata, &named(), None)?;
    let folder = test_support::folder();
    std::fs::write(folder.path().join("Cargo.toml"), "[workspace]\n")?;
    metadata.workspace_root = folder.path().to_owned();
    assert_eq!(
        hookkit(&metadata, &packs, None)
            .expect_err("the version is not known yet")
            .to_string(),
        "no Cargo.lock says for which hookkit the packs are written; write it: cargo update --workspace"
    );
    Ok(())
}

#[test]
fn two_versions_of_a_pack_are_reported_with_who_needs_them() -> Result<()> {
    let metadata = holding(dependency("guards", json!({})))?;
    let lock = lock(&[
        "xtask 0.0.0: guards 1.0.0, more",
        "more 0.3.0: guards 2.0.0",
        "most 0.4.0: guards 2.0.0, more",
        &locked("1.0.0", "hookkit"),
        &locked("2.0.0", "hookkit"),
        &format!("hookkit {} {INDEX}", ours()),
    ])?;
    assert_eq!(
        refused(&metadata, &lock),
        "`guards` is here in two versions, and a hook cannot be installed from both:\n  \
           guards 1.0.0, needed by `xtask`\n  \
           guards 2.0.0, needed by `more`, `most`\n\
         Have all of them need one, or remove one of those: cargo xtask remove"
    );
    Ok(())
}

#[test]
fn packs_for_two_versions_of_hookkit_are_reported_with_the_edit() -> Result<()> {
    let guards = dependency("guards", json!({}));
    let own = dependency("hookkit", json!({ "path": "/hookkit", "source": null }));
    let metadata = metadata(json!([package("own", json!([own])), package("xtask", json!([guards]))]))?;
    for (source, edit) in [
        (
            INDEX,
            "version = \"=0.8.0\", registry-index = \"https://index.example.com/git\"",
        ),
        (
            "git+https://git.example.com/hookkit?tag=v0.8.0#0123",
            "git = \"https://git.example.com/hookkit\", tag = \"v0.8.0\"",
        ),
    ] {
        let lock = lock(&[
            "own 0.1.0: hookkit 0.9.0",
            "xtask 0.0.0: guards",
            &locked("1.0.0", "hookkit 0.8.0"),
            &format!("hookkit 0.8.0 {source}"),
            "hookkit 0.9.0",
        ])?;
        assert_eq!(
            refused(&metadata, &lock),
            format!(
                "the packs are written for different versions of hookkit, and one program has one:\n  \
                   hookkit 0.8.0 ({source}): `guards 1.0.0`\n  \
                   hookkit 0.9.0 (a path): `own 0.1.0`\n\
                 Have the workspace take that of `guards 1.0.0`: write `{{ {edit} }}` for hookkit and hookkit-xtask in its \
                 Cargo.toml, in `[workspace.dependencies]` if they are there; or have that pack take the workspace's"
            )
        );
    }
    Ok(())
}

#[test]
fn a_candidate_is_written_for_the_hookkit_of_the_others() -> Result<()> {
    let own = dependency("hookkit", json!({ "path": "/hookkit", "source": null }));
    let guards = dependency("guards", json!({}));
    let metadata = metadata(json!([package("own", json!([own])), package("xtask", json!([guards]))]))?;
    let present = lock(&[
        "own 0.1.0: hookkit",
        "xtask 0.0.0: guards",
        &locked("1.0.0", "hookkit"),
        "hookkit 0.9.0",
    ])?;
    let packs = find(&metadata, &named(), Some(&present))?;
    let candidate = |hookkit: &str| -> Result<Option<String>> {
        let newer = lock(&["xtask 0.0.0: guards", &locked("2.0.0", "hookkit"), hookkit])?;
        let found = find(&holding(dependency("guards", json!({})))?, &named(), Some(&newer))?;
        let done = ensure_same_hookkit((&packs, &present), (&found, &newer));
        Ok(done.err().map(|err| err.to_string()))
    };
    assert_eq!(candidate("hookkit 0.9.0")?, None);
    let git = "hookkit 0.9.0 git+https://git.example.com/hookkit?tag=v0.9.0#0123";
    let refused = candidate(git)?.unwrap_or_default();
    assert!(
        refused.starts_with("the packs are written for different versions of hookkit")
            && refused.contains("): `guards 2.0.0`\n")
            && refused.contains("(a path): `own 0.1.0`\n")
            && !refused.contains("guards 1.0.0"),
        "{refused}"
    );
    Ok(())
}

#[test]
fn third_party_packs_for_two_versions_of_hookkit_are_for_the_team_to_choose() -> Result<()> {
    let guards = dependency("guards", json!({}));
    let more = dependency("more", json!({}));
    let metadata = metadata(json!([package("xtask", json!([guards, more]))]))?;
    let lock = lock(&[
        "xtask 0.0.0: guards, more",
        &locked("1.0.0", "hookkit 0.8.0"),
        &format!("more 1.0.0 {INDEX}: hookkit 0.9.0"),
        &format!("hookkit 0.8.0 {INDEX}"),
        &format!("hookkit 0.9.0 {INDEX}"),
    ])?;
    let named = ["guards", "more"].map(str::to_owned);
    let packs = find(&metadata, &named, Some(&lock))?;
    let refused = hookkit(&metadata, &packs, Some(&lock))
        .expect_err("there are two")
        .to_string();
    let fix =
        "Take versions of the packs that agree: remove one (cargo xtask remove PACKAGE), and add it in another version";
    assert!(refused.ends_with(fix), "{refused}");
    Ok(())
}

#[test]
fn packs_for_a_hookkit_that_this_xtask_does_not_know_are_reported() -> Result<()> {
    let metadata = holding(dependency("guards", json!({})))?;
    let ours = semver::Version::parse(ours())?;
    let with = |hookkit: semver::Version| {
        lock(&[
            "xtask 0.0.0: guards",
            &locked("1.0.0", "hookkit"),
            &format!("hookkit {hookkit} {INDEX}"),
        ])
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
                "the hooks are written for hookkit {other}, and this xtask is that of hookkit {ours}; give both one \
                 version: `hookkit-xtask` in xtask's Cargo.toml, and hookkit in the packs'"
            )
        );
    }
    let newer = semver::Version::new(ours.major, ours.minor, ours.patch + 7);
    let lock = with(newer.clone())?;
    let packs = find(&metadata, &named(), Some(&lock))?;
    let line = hookkit(&metadata, &packs, Some(&lock))?;
    assert_eq!(
        line,
        format!("version = \"={newer}\", registry-index = \"https://index.example.com/git\"")
    );
    Ok(())
}

#[test]
fn a_package_without_hookkit_is_not_a_pack() -> Result<()> {
    let metadata = holding(dependency("guards", json!({})))?;
    let lock = lock(&[
        "xtask 0.0.0: guards, hookkit",
        &locked("1.0.0", ""),
        &format!("hookkit {} {INDEX}", ours()),
    ])?;
    assert_eq!(
        refused(&metadata, &lock),
        "`guards` does not depend on hookkit, so it has no hooks, and is none of the `packs` of \
         [workspace.metadata.hookkit]; remove it there"
    );
    Ok(())
}

#[test]
fn a_generated_manifest_names_a_pack_as_the_workspace_does() {
    test_support::lines!("lines/packs.txt").check(|_, other| {
        let other = serde_json::from_str(other).expect(other);
        let lines = lines(&holding(dependency("guards", other)).expect("metadata"), None).expect("one pack");
        let line = lines.concat();
        let line = line
            .strip_prefix("guards = { package = \"guards\", ")
            .expect("the pack");
        line.strip_suffix(", features = [] }\n").expect("the pack").to_owned()
    });
}

#[test]
fn what_any_dependent_asks_of_a_pack_is_asked() -> Result<()> {
    let metadata = metadata(json!([
        package(
            "app",
            json!([dependency(
                "guards",
                json!({ "features": ["git", "db"], "uses_default_features": false })
            )])
        ),
        package(
            "xtask",
            json!([dependency("guards", json!({ "features": ["git", "api"] }))])
        ),
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
        package(
            "acme-xtask",
            json!([dependency("hookkit", json!({})), dependency("hookkit-xtask", json!({}))]),
        ),
        package("other", json!([])),
        program,
    ]))?;
    let packs = find(&metadata, &["acme-hooks".to_owned()], Some(&lock(&[])?))?;
    let [pack] = &packs[..] else {
        panic!("one pack: {packs:?}")
    };
    assert_eq!((&*pack.krate(), pack.is_foreign), ("acme_hooks", false));
    assert_eq!(
        pack.dependency(),
        "acme-hooks = { package = \"acme-hooks\", path = \"/acme/acme-hooks\", features = [] }\n"
    );
    Ok(())
}

#[test]
fn hookkit_is_the_one_that_the_packs_are_locked_with() -> Result<()> {
    let mut metadata = holding(dependency("guards", json!({})))?;
    let with = |metadata: &Metadata, source: &str| -> Result<String> {
        let lock = lock(&[
            "xtask 0.0.0: guards",
            &locked("1.0.0", "hookkit"),
            &format!("hookkit {}{source}", ours()),
        ])?;
        let packs = find(metadata, &named(), Some(&lock))?;
        hookkit(metadata, &packs, Some(&lock))
    };
    let version = format!("version = \"={}\"", ours());
    let other = |index: &str| format!("{version}, registry-index = {index:?}");
    for (source, expected) in [
        (format!(" registry+{CRATES_IO}"), version.clone()),
        (format!(" {INDEX}"), other("https://index.example.com/git")),
        (
            " sparse+https://index.example.com/".to_owned(),
            other("sparse+https://index.example.com/"),
        ),
        (
            " git+https://git.example.com/hookkit?tag=hookkit%2Fv1#0123".to_owned(),
            r#"git = "https://git.example.com/hookkit", tag = "hookkit/v1""#.to_owned(),
        ),
        (
            " git+https://git.example.com/hookkit#0123".to_owned(),
            r#"git = "https://git.example.com/hookkit""#.to_owned(),
        ),
    ] {
        assert_eq!(with(&metadata, &source)?, expected, "{source}");
    }

    // Only a patch can have given it a path.
    let folder = test_support::folder();
    metadata.workspace_root = folder.path().to_owned();
    let path = format!("path = {}", toml_string(&folder.path().join("hookkit"))?);
    for (patch, expected) in [
        ("[patch.crates-io]\nhookkit.path = \"hookkit\"\n", &path),
        (
            "[patch.acme]\nother.path = \"other\"\nhk = { package = \"hookkit\", path = \"hookkit\" }\n",
            &path,
        ),
        ("", &version),
    ] {
        std::fs::write(folder.path().join("Cargo.toml"), patch)?;
        assert_eq!(&with(&metadata, "")?, expected, "{patch}");
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
