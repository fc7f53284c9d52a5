//! Third-party packs: the choice of hooks, the sources that they are built from, `add` and `update`.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::SystemTime;

use hookkit_tests::files::contents as tree;
use hookkit_tests::prelude::*;

/// A workspace next to some packs, on the stage.
struct Acme {
    stage: Stage,
}

/// A workspace without hooks of its own, in the form that `add` writes.
const APP: &str = include_str!("../../fixtures/sources/packs-app.toml");

const MID: &str = include_str!("../../fixtures/sources/packs-mid.txt");

const LEAF: &str = include_str!("../../fixtures/sources/packs-leaf.txt");

const TWIN: &str = include_str!("../../fixtures/sources/packs-twin.txt");

fn manifest(pack: &str, dependencies: &str) -> String {
    let hookkit = repository().join("hookkit");
    format!(
        "[workspace]\n\n[package]\nname = \"{pack}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         hookkit.path = {hookkit:?}\n{dependencies}"
    )
}

impl Acme {
    /// Returns the workspace with this Cargo.toml, and the packs above.
    fn new(app: &str) -> Result<Self> {
        let [mid, leaf, twin] = [("mid", "leaf.path = \"../leaf\"\n"), ("leaf", ""), ("twin", "")]
            .map(|(pack, dependencies)| manifest(pack, dependencies));
        let stage = Stage::take(&[
            ("mid/Cargo.toml", &mid),
            ("mid/src/lib.rs", MID),
            ("leaf/Cargo.toml", &leaf),
            ("leaf/src/lib.rs", LEAF),
            ("twin/Cargo.toml", &twin),
            ("twin/src/lib.rs", TWIN),
            ("app/src/lib.rs", ""),
            ("app/Cargo.toml", app),
        ])?;
        stage.pin()?;
        Ok(Self { stage })
    }

    fn app(&self) -> PathBuf {
        self.stage.app()
    }

    fn write(&self, file: &str, text: &str) -> Result<()> {
        self.stage.write(file, text)
    }

    /// Returns the author's files, which xtask must not change.
    fn manifests(&self) -> Result<[String; 2]> {
        let read = |file| fs::read_to_string(self.stage.path().join(file));
        Ok([read("app/Cargo.toml")?, read("app/Cargo.lock")?])
    }

    fn run(&self, project: &Project, arguments: &[&str]) -> Result<Output> {
        xtask(&self.app(), &[arguments, &["--project", text(project.path())?]].concat())
    }

    /// Runs `install`, which must succeed, and returns its stderr.
    fn install(&self, project: &Project) -> Result<String> {
        self.run(project, &["install"])?.err(0)
    }

    /// Runs a command, which must fail, and returns its stderr.
    fn refused(&self, project: &Project, arguments: &[&str]) -> Result<String> {
        self.run(project, arguments)?.err(2)
    }
}

/// Returns the workspace of [`APP`] with a second pack.
fn with_twin() -> String {
    APP.replace("../mid\"\n", "../mid\"\ntwin.path = \"../twin\"\n").replace("[\"mid\"]", "[\"mid\", \"twin\"]")
}

/// Returns the names of the hooks that have a binary.
fn binaries(project: &Project) -> Vec<String> {
    files::names(&project.path().join(".claude/hookkit/app/bin"))
}

#[test]
fn hooks_of_packs_that_are_not_chosen_are_reported_and_not_installed() -> Result<()> {
    let acme = Acme::new(APP)?;
    let project = Project::new()?;
    let note = "note: leaf 0.1.0 is not a pack of this workspace, so its hooks are not installed: `uninvited`\n\
                To install them: cargo xtask add leaf\n";
    assert_eq!(acme.install(&project)?, note);
    assert_eq!(binaries(&project), ["guard"]);
    assert!(!project.read(".claude/settings.json")?.contains("uninvited"));
    let [printed, noted] = acme.run(&project, &["list", "--json"])?.both(0)?;
    let mut rows = rows(&printed)?;
    rows.retain(|row| row["kind"] == "own");
    let own = rows.iter().map(|row| json!([row["path"], row["installed"]]));
    assert_eq!(own.collect::<Value>(), json!([["mid::guard", true]]));
    assert_eq!(noted, note);

    // The hook can still call its functions.
    let call = call_with("PreToolUse-Bash", &json!({"command": "denied"}))?;
    run_installed(project.path(), "guard", &call)?.stdout.has("not at Acme");
    Ok(())
}

#[test]
fn hooks_of_one_name_are_an_error_with_the_lines_that_fix_it() -> Result<()> {
    let both = with_twin();
    let acme = Acme::new(&both)?;
    let project = Project::new()?;
    project.write(".claude/settings.json", "{ \"model\": \"opus\" }")?;
    let before = tree(project.path())?;
    let refused = acme.refused(&project, &["install"])?;
    let (_, error) = refused.split_once("error: ").context("an error")?;
    let (error, lines) = error.split_once("Cargo.toml:\n").context("lines for it")?;
    assert_eq!(
        error,
        "two hooks are called `guard`: mid::guard and twin::guard\n\
         To turn off the one of `twin`, write into the workspace's "
    );
    let (lines, to_have_both) = lines.split_once("To keep both, write `").context("another way")?;
    let (name, _) = to_have_both.split_once('`').context("what to write")?;
    assert!(tree(project.path())? == before);
    drop(acme);

    let acme = Acme::new(&format!("{both}\n{lines}"))?;
    acme.install(&project)?;
    assert_eq!(binaries(&project), ["guard"]);
    drop(acme);

    let acme = Acme::new(&format!("{both}\n{}", lines.replace("off = true", name)))?;
    acme.install(&project)?;
    assert_eq!(binaries(&project), ["guard", "twin-guard"]);
    Ok(())
}

#[test]
fn a_pack_that_does_not_build_changes_no_installed_hook() -> Result<()> {
    let acme = Acme::new(APP)?;
    let project = Project::new()?;
    acme.install(&project)?;
    let before = tree(project.path())?;
    let broken = MID.replace("PreToolUseAnswer::pass()", "\"fine\"");
    acme.write("mid/src/lib.rs", &broken)?;
    let refused = acme.refused(&project, &["install"])?;
    let before_it = broken.lines().position(|line| line.contains("\"fine\""));
    refused.has("error[E0308]: mismatched types");
    refused.has(&format!("../mid/src/lib.rs:{}:5\n", before_it.context("the line")? + 1));
    refused.ends(
        "error: `mid` does not build; see above. Installed hooks are unchanged\n\
             To continue without it, remove `mid` from `packs` in [workspace.metadata.hookkit]\n",
    );
    assert!(tree(project.path())? == before);
    let answer = run_installed(project.path(), "guard", &payload("PreToolUse-Bash")?)?;
    assert_eq!((answer.exit_code, &*answer.stderr), (Some(0), ""));
    Ok(())
}

/// A hook keeps its bytes, since crates have the features that all packs ask for: `twin` asks for one that `mid` uses.
#[test]
fn a_pack_that_is_not_chosen_is_not_compiled_and_its_features_are() -> Result<()> {
    let acme = Acme::new(&with_twin())?;
    let leaf = LEAF.replace("word == \"denied\"", "word == \"denied\" || cfg!(feature = \"strict\")");
    let features = manifest("leaf", "") + "\n[features]\nstrict = []\n";
    acme.write("leaf/Cargo.toml", &features)?;
    acme.write("leaf/src/lib.rs", &leaf)?;
    let dependency = "leaf = { path = \"../leaf\", features = [\"strict\"] }\n";
    acme.write("twin/Cargo.toml", &manifest("twin", dependency))?;
    acme.write("twin/src/lib.rs", "compile_error!(\"compiled\");\n")?;
    acme.stage.pin()?;
    let project = Project::new()?;
    let install = |options: &[&str]| -> Result<Value> {
        let printed = acme.run(&project, &[&["install", "--json"], options].concat())?.out(0)?;
        rows(&printed)?.pop().context("a summary")
    };
    assert_eq!(install(&["--pack", "mid"])?["other_packs"], json!(["twin"]));
    let guard = || -> Result<Vec<u8>> { Ok(fs::read(installed(project.path(), "guard")?)?) };
    let alone = guard()?;
    let answer = run_installed(project.path(), "guard", &payload("PreToolUse-Bash")?)?;
    answer.stdout.has("not at Acme");
    acme.refused(&project, &["install", "--hook", "guard"])?.has("error: compiled\n");

    // The installed hook of the other pack stays, also in a clone that has built nothing.
    acme.write("twin/src/lib.rs", &TWIN.replace("guard", "other"))?;
    fs::remove_file(acme.stage.target().join("hookkit/names"))?;
    let summary = install(&["--pack", "twin"])?;
    assert_eq!(json!([summary["hooks"], summary["removed"]]), json!([2, []]));
    assert!(guard()? == alone);
    let built = artifacts(acme.stage.target())?;
    let summary = install(&["--pack", "mid"])?;
    assert_eq!(json!([summary["hooks"], summary["changed"]]), json!([2, false]));
    acme.install(&project)?;
    assert!(artifacts(acme.stage.target())? == built);
    assert!(guard()? == alone);
    Ok(())
}

/// Returns the compiled files of hooks, which are in folders named after platforms, with their modification times. The
/// package that reads the author's flags is left out: it is built each time.
fn artifacts(target: &Path) -> Result<BTreeMap<PathBuf, SystemTime>> {
    let mut files = Vec::new();
    for folder in fs::read_dir(target)? {
        let folder = folder?.path();
        if folder.to_string_lossy().contains("-linux-") {
            files.extend(tree(&folder)?.into_keys());
        }
    }
    let is_compiled = |path: &PathBuf| {
        let text = path.to_string_lossy();
        text.contains("/deps/") && !text.contains("hookkit_flags")
    };
    let modified = |path: PathBuf| Ok((path.clone(), fs::metadata(path)?.modified()?));
    files.into_iter().filter(is_compiled).map(modified).collect()
}

#[test]
fn installs_change_no_manifest_or_lock_and_the_second_compiles_nothing() -> Result<()> {
    let acme = Acme::new(APP)?;
    let project = Project::new()?;
    let before = acme.manifests()?;
    acme.install(&project)?;
    assert_eq!(acme.manifests()?, before);
    let built = artifacts(acme.stage.target())?;
    assert!(!built.is_empty());
    acme.install(&project)?;
    assert!(artifacts(acme.stage.target())? == built);
    Ok(())
}

#[test]
fn packages_that_the_lock_does_not_pin_are_errors_unless_they_are_paths() -> Result<()> {
    let acme = Acme::new(APP)?;
    let project = Project::new()?;
    acme.install(&project)?;
    let files = acme.manifests()?;

    // Path dependencies are not pinned: other versions and packages are accepted.
    let mid = manifest("mid", "leaf.path = \"../leaf\"\ntwin.path = \"../twin\"\n").replace("0.1.0", "0.2.0");
    acme.write("mid/Cargo.toml", &mid)?;
    acme.install(&project)?;
    assert_eq!(acme.manifests()?, files);
    let before = tree(project.path())?;

    acme.write("mid/Cargo.toml", &format!("{mid}fastrand = \"2\"\n"))?;
    for _ in 0..2 {
        let refused = acme.refused(&project, &["install"])?;
        refused.starts("error: Cargo.lock does not pin `fastrand ");
        refused.ends("`, from which the hooks are built; update it: cargo update --workspace\n");
        assert_eq!(acme.manifests()?, files);
        assert!(tree(project.path())? == before);
    }
    acme.stage.pin()?;
    acme.install(&project).map(drop)
}

#[test]
fn add_shows_what_comes_and_changes_files_only_once_it_is_accepted() -> Result<()> {
    // What hookkit depends on, which stays pinned so.
    let macros = repository().join("hookkit-macros");
    let needed = format!(
        "hookkit-macros.path = {macros:?}\ninventory = \"*\"\nlibc = \"*\"\nserde.version = \"*\"\n\
         serde.features = [\"derive\"]\nserde_json = \"*\"\n"
    );
    let bare = format!(
        "[workspace]\n\n[package]\nname = \"acme-app\"\nedition = \"2024\" # of Rust\n\n\
         [dev-dependencies]\n{needed}\n[workspace.metadata.other]\nkey = [ 1,2 ]\n"
    );
    let acme = Acme::new(&bare)?;
    let before = acme.manifests()?;
    let add = |pack: &'static str| ["add", pack, "--path", "../mid", "--package", "acme-app"];

    // A refused one changes no files. A note is printed before code of the pack runs.
    acme.write("mid/src/lib.rs", "compile_error!(\"compiled\");")?;
    let stderr = refused(&acme.app(), &add("mid"))?;
    let note = "note: this runs code from these packages as you (build scripts, macros, and code before main): ";
    let (before_it, behind) = stderr.split_once(note).context(stderr.clone())?;
    let (packages, behind) = behind.split_once('\n').context("a line")?;
    packages.has("mid 0.1.0 (from a folder)");
    packages.has("leaf 0.1.0 (from a folder)");
    let holds = !before_it.contains("compiled") && behind.contains("compiled");
    assert!(holds, "{stderr}");
    acme.write("mid/src/lib.rs", "")?;
    let none = "nothing was changed, and all files are as they were: `mid` has no hooks; a hook is";
    refused(&acme.app(), &add("mid"))?.has(none);
    acme.write("mid/src/lib.rs", MID)?;
    // A pack cannot have the name of a package of the workspace.
    refused(&acme.app(), &add("acme-app"))?.has("nothing was changed, and all files are as they were: ");
    assert_eq!(acme.manifests()?, before);

    let found = xtask(&acme.app(), &add("mid"))?.out(1)?;
    found.has("  + hook guard: PreToolUse Bash; on failure: block\n");
    found.has("  + package leaf: 0.1.0\n");
    found.ends("\nNothing was changed yet; to accept the changes, add --yes\n");
    assert_eq!(acme.manifests()?, before);

    let added = xtask_ok(&acme.app(), &[&add("mid")[..], &["--yes", "--json"]].concat())?;
    let rows = Documented::read()?.rows("add", &added)?;
    let manifest = text(&acme.app().join("Cargo.toml"))?.to_owned();
    let manifest = rows.iter().find(|row| row["file"] == manifest);
    let lines = manifest.and_then(|row| row["added"].as_array());
    let lines = lines.context("Cargo.toml is changed")?;
    assert!(lines.contains(&"packs = [\"mid\"]".into()), "{lines:?}");
    assert!(rows.iter().any(|row| row["what"] == "package" && row["name"] == "leaf"));
    let lock = acme.manifests()?;
    assert_eq!(xtask_ok(&acme.app(), &add("mid"))?, "Nothing would change\n");
    assert_eq!(xtask_ok(&acme.app(), &["update"])?, "Nothing would change\n");
    assert_eq!(acme.manifests()?, lock);

    // A pack is run without the hooks of the workspace, and with those it is refused.
    let run = xtask_ok(&acme.app(), &["run", "--pack", "twin", "--path", "../twin"])?;
    let path = acme.stage.path().join("twin").canonicalize()?;
    run.ends(&format!("\nAdd it: cargo xtask add twin --path {}\n", path.display()));
    let twin = ["add", "twin", "--path", "../twin", "--package", "acme-app", "--yes"];
    refused(&acme.app(), &twin)?.has("two hooks are called `guard`: mid::guard and twin::guard\n");
    assert_eq!(acme.manifests()?, lock);
    Ok(())
}

#[test]
fn packs_that_are_dependencies_but_not_in_packs_are_reported() -> Result<()> {
    let acme = Acme::new(&APP.replace("packs = [\"mid\"]\n", ""))?;
    let note = "`mid` is in Cargo.toml, but not in `packs` of [workspace.metadata.hookkit], so its hooks are left out; \
                to install them, add it there\n";
    refused(&acme.app(), &["install", "--project", "."])?.has(note);
    let none = "error: there is no third-party pack here; to add one: cargo xtask add PACKAGE\n";
    assert_eq!(refused(&acme.app(), &["update"])?, none);
    Ok(())
}

#[test]
fn install_check_reports_differences_and_changes_nothing() -> Result<()> {
    let acme = Acme::new(APP)?;
    let project = Project::new()?;
    let settings = project.path().join(".claude/settings.json");
    let check = |code: i32| -> Result<String> {
        let (before, files) = (tree(project.path())?, acme.manifests()?);
        let printed = acme.run(&project, &["install", "--check"])?.out(code)?;
        ensure!(tree(project.path())? == before && acme.manifests()? == files, "changed");
        Ok(printed)
    };
    let drift = |what: &str| {
        let (settings, project) = (settings.display(), project.path().display());
        format!("Not up to date: {settings}\n\n  {what}\n\nTo fix this: cargo xtask install --project {project}\n")
    };
    assert_eq!(check(1)?, drift("+ guard: not installed"));
    assert!(!project.exists(".claude"));

    acme.install(&project)?;
    let up_to_date = format!("Up to date: {}\n", settings.display());
    assert_eq!(check(0)?, up_to_date);

    let guard = installed(project.path(), "guard")?;
    let binary = fs::read(&guard)?;
    fs::write(&guard, "#!/bin/sh\nexit 0\n")?;
    let other = "~ guard: binary not built from the current source";
    assert_eq!(check(1)?, drift(other));
    fs::write(&guard, binary)?;
    fs::set_permissions(&guard, fs::Permissions::from_mode(0o644))?;
    assert_eq!(check(1)?, drift("~ guard: binary not executable"));
    fs::remove_file(&guard)?;
    assert_eq!(check(1)?, drift("~ guard: binary missing"));
    acme.install(&project)?;
    assert_eq!(check(0)?, up_to_date);

    let entry = project.read(".claude/settings.json")?;
    project.write(".claude/settings.json", entry.replace("\"Bash\"", "\"Bash|Edit\""))?;
    let found = check(1)?;
    assert_eq!(found, drift("~ guard: PreToolUse \"Bash|Edit\" → \"Bash\""));
    project.write(".claude/settings.json", "{}")?;
    assert_eq!(check(1)?, drift("+ guard: not in the settings"));
    project.write(".claude/settings.json", entry)?;
    assert_eq!(check(0)?, up_to_date);
    Ok(())
}

/// `builds package` compares the builds of two folders.
#[test]
fn a_hooks_binary_contains_no_path_of_its_author() -> Result<()> {
    let acme = Acme::new(APP)?;
    let project = Project::new()?;
    acme.install(&project)?;
    let binary = fs::read(installed(project.path(), "guard")?)?;
    let text = String::from_utf8_lossy(&binary);
    let home = std::env::home_dir().context("a home")?;
    for folder in [repository(), &home] {
        let folder = folder.to_str().context("a UTF-8 path")?;
        assert!(!text.contains(folder), "{folder}");
    }
    assert!(text.contains("../mid/src/lib.rs"));
    Ok(())
}

/// The build script of the packages that a [`Registry`] publishes, which creates a file.
///
/// cargo runs it in every build, even if an earlier run of the tests has built the package.
const BUILD_SCRIPT: &str = "fn main() {
    std::fs::write(CANARY, \"\").unwrap();
    println!(\"cargo::rerun-if-changed={}\", CANARY);
}
";

/// A cargo registry in a folder: an index in git, and archives.
struct Registry {
    folder: PathBuf,
}

impl Registry {
    /// Creates a registry. cargo keeps its downloads from a registry, so another content has another address.
    fn new(contents: &impl Hash) -> Result<Self> {
        let mut hasher = DefaultHasher::new();
        (contents, BUILD_SCRIPT).hash(&mut hasher);
        let folder = repository().join(format!("target/tests/registry-{:016x}", hasher.finish()));
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let registry = Self { folder };
        for folder in ["index", "crates"] {
            fs::create_dir_all(registry.folder.join(folder))?;
        }
        registry.git(&["init", "--quiet", "--initial-branch=main", "--template="])?;
        let crates = registry.folder.join("crates");
        let config = json!({"dl": format!("file://{}/{{crate}}-{{version}}.crate", crates.display())});
        fs::write(registry.folder.join("index/config.json"), config.to_string())?;
        Ok(registry)
    }

    fn index(&self) -> String {
        format!("file://{}", self.folder.join("index").display())
    }

    /// Returns the file that exists once code of a version has run.
    fn canary(&self, version: &str) -> PathBuf {
        self.folder.join(format!("canary-{version}"))
    }

    fn git(&self, arguments: &[&str]) -> Result<()> {
        test_support::git(self.folder.join("index"), arguments);
        Ok(())
    }

    /// Publishes a version of a package whose only dependency is hookkit, from the same registry. Its build script
    /// creates the version's canary.
    fn publish(&self, package: &str, version: &str, code: &str) -> Result<()> {
        let hookkit = env!("CARGO_PKG_VERSION");
        let crates = self.folder.join("crates");
        let name = format!("{package}-{version}");
        fs::create_dir_all(crates.join(&name).join("src"))?;
        fs::write(crates.join(&name).join("src/lib.rs"), code)?;
        let script = BUILD_SCRIPT.replace("CANARY", &format!("{:?}", self.canary(version)));
        fs::write(crates.join(&name).join("build.rs"), script)?;
        let manifest = format!(
            "[package]\nname = \"{package}\"\nversion = \"{version}\"\nedition = \"2024\"\n\n[dependencies.hookkit]\n\
             version = \"{hookkit}\"\nregistry-index = {:?}\n",
            self.index()
        );
        fs::write(crates.join(&name).join("Cargo.toml"), manifest)?;
        let archive = format!("{name}.crate");
        Command::new("tar").args(["-czf", &archive, &name]).current_dir(&crates).out(0)?;
        let sum = Command::new("sha256sum").arg(&archive).current_dir(&crates).out(0)?;
        let sum = sum.split(' ').next().context("a sum")?;
        let on_hookkit = json!({
            "name": "hookkit", "req": format!("^{hookkit}"), "features": [], "optional": false, "default_features": true,
            "target": null, "kind": "normal",
        });
        let entry = json!({
            "name": package, "vers": version, "deps": [on_hookkit], "cksum": sum, "features": {}, "yanked": false,
        });
        let folder = self.folder.join("index").join(&package[..2]).join(&package[2..4]);
        fs::create_dir_all(&folder)?;
        let known = fs::read_to_string(folder.join(package)).unwrap_or_default();
        fs::write(folder.join(package), format!("{known}{entry}\n"))?;
        self.git(&["add", "."])?;
        self.git(&["commit", "--quiet", "--message", &name])
    }
}

#[test]
fn a_pack_of_a_private_registry_is_added_run_and_updated() -> Result<()> {
    let first = TWIN.replace("Has the name of another hook.", "Watches.");
    let second = first.replace("(Stop)", "(Stop, timeout = 5)").replace(
        "pub fn guard() {}",
        "pub fn guard() {}\n\n/// Greets.\n#[hookkit::hook(SessionStart)]\npub fn greet() {}",
    );
    let registry = Registry::new(&(repository(), &first, &second))?;
    registry.publish("acme-guards", "1.0.0", &first)?;
    // What hookkit depends on stays pinned: other versions would be compiled for this test, and these again for the next.
    let hookkit = repository().join("hookkit");
    let needed = format!("[target.\"cfg(any())\".dev-dependencies]\nhookkit.path = {hookkit:?}\n");
    let bare = format!(
        "[workspace]\n\n[workspace.metadata.hookkit]\nname = \"app\"\n\n[package]\nname = \"acme-app\"\nedition = \"2024\"\n\n{needed}\n[patch.acme]\nhookkit.path = {hookkit:?}\n",
    );
    let acme = Acme::new(&format!("[workspace]\n\n[package]\nname = \"acme-app\"\nedition = \"2024\"\n\n{needed}"))?;
    let content = &format!("[registries.acme]\nindex = {:?}\n", registry.index());
    acme.write("app/.cargo/config.toml", content)?;
    acme.write("app/Cargo.toml", &bare)?;
    let project = Project::new()?;
    let printed = RefCell::new(Vec::new());
    let xtask = |arguments: &[&str], code: i32| -> Result<String> {
        let [stdout, stderr] = xtask(&acme.app(), arguments)?.both(code)?;
        let notes = stderr.lines().filter(|line| line.starts_with("note: this runs code from "));
        *printed.borrow_mut() = notes.map(str::to_owned).collect();
        Ok(stdout)
    };
    let runs = |version: &str| {
        vec![format!(
            "note: this runs code from these packages as you (build scripts, macros, and code before main): \
             acme-guards {version} (from {})",
            registry.index()
        )]
    };

    let add = ["add", "acme-guards", "--registry", "acme", "--package", "acme-app", "--yes"];
    xtask(&add, 0)?.has("  + hook guard: Stop; on failure: continue\n");
    assert_eq!(printed.take(), runs("1.0.0"));
    assert!(registry.canary("1.0.0").exists());
    xtask(&["install", "--project", text(project.path())?], 0)?;
    assert_eq!(printed.take(), Vec::<String>::new(), "the pack is accepted");
    assert_eq!(binaries(&project), ["guard"]);

    registry.publish("acme-guards", "1.1.0", &second)?;
    let before = acme.manifests()?;
    // `install` uses the pinned version, not the newest, and runs no code of that.
    assert!(xtask(&["install", "--check", "--project", text(project.path())?], 0)?.starts_with("Up to date"));
    assert!(!registry.canary("1.1.0").exists());
    xtask(&["run", "--pack", "acme-guards@1.1.0", "--registry", "acme"], 0)?.has("guard on Stop, recorded\n");
    assert_eq!(printed.take(), runs("1.1.0"));
    assert!(registry.canary("1.1.0").exists());
    let changes = "  \
                     + hook greet: SessionStart; on failure: continue\n  \
                     ~ hook guard: timeout: none → 5 s\n  \
                     ~ package acme-guards: 1.0.0 → 1.1.0\n";
    for arguments in [&["update"][..], &["update", "acme-guards"]] {
        let shown = format!("{changes}\nNothing was changed yet; to accept the changes, add --yes\n");
        assert_eq!(xtask(arguments, 1)?, shown);
        assert_eq!(printed.take(), runs("1.1.0"));
        assert_eq!(acme.manifests()?, before);
    }
    let accepted = format!("{changes}\nAccepted. Install it: cargo xtask install\n");
    assert_eq!(xtask(&["update", "--yes"], 0)?, accepted);
    xtask(&["install", "--project", text(project.path())?], 0)?;
    assert_eq!(binaries(&project), ["greet", "guard"]);
    assert!(project.read(".claude/settings.json")?.contains("\"timeout\": 5"));

    // `update` also goes back to an older version.
    let back = ["update", "acme-guards", "--precise", "1.0.0", "--yes", "--json"];
    let rows = Documented::read()?.rows("update", &xtask(&back, 0)?)?;
    let is_greet = |row: &Value| row["change"] == "removed" && row["name"] == "greet";
    assert!(rows.iter().any(is_greet), "{rows:?}");
    let change = rows.iter().find(|row| row["field"] == "timeout").context("a change")?;
    assert_eq!(json!([change["before"], change["after"]]), json!(["5 s", "none"]));
    assert!(rows.iter().any(|row| row["kind"] == "changed_file"), "{rows:?}");
    let absent = refused(&acme.app(), &["update", "acme-guards", "--precise", "7.0.0", "--yes"])?;
    absent.has("nothing was changed, and all files are as they were");
    fs::remove_dir_all(acme.app().join(".cargo"))?;
    Ok(())
}
