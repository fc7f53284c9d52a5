//! Runs that are killed at each step, and runs that are in each other's way.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::ensure;
use hookkit_protocol::hook::{Declaration, Mode, OnEvent, OnFailure};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::build::definition::Changes;
use crate::disk::faults::{self, DIES_AT};
use crate::settings::place::{Kind, is_startup_command};
use crate::soak;

mod hostile;

/// A project, and what was built elsewhere.
struct Site {
    folder: PathBuf,
    _temporary: Option<TempDir>,
}

impl Site {
    fn new(settings: Option<&str>) -> Result<Self> {
        let temporary = tempfile::tempdir()?;
        let site = Self {
            folder: temporary.path().canonicalize()?,
            _temporary: Some(temporary),
        };
        fs::create_dir(site.project())?;
        if let Some(settings) = settings {
            fs::create_dir(site.project().join(".claude"))?;
            fs::write(site.settings(), settings)?;
        }
        Ok(site)
    }

    fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    fn settings(&self) -> PathBuf {
        self.project().join(".claude/settings.json")
    }

    fn place(&self, workspace: &str) -> Result<Place> {
        Place::new(Kind::Project(self.project()), &self.settings(), workspace)
    }

    /// Installs hooks whose binaries hold `content`.
    fn install(&self, workspace: &str, hooks: &[&str], content: &str) -> Result<()> {
        self.install_with(workspace, hooks, content, false)
    }

    /// Installs them even where the client reads nothing of the settings.
    fn force(&self, workspace: &str, hooks: &[&str], content: &str) -> Result<()> {
        self.install_with(workspace, hooks, content, true)
    }

    fn install_with(&self, workspace: &str, hooks: &[&str], content: &str, is_forced: bool) -> Result<()> {
        self.install_at(&self.place(workspace)?, hooks, content, is_forced)
    }

    fn install_at(&self, place: &Place, hooks: &[&str], content: &str, is_forced: bool) -> Result<()> {
        let workspace = &place.workspace;
        let built = self.folder.join(workspace);
        fs::create_dir_all(&built)?;
        let mut binaries = BTreeMap::new();
        for hook in hooks {
            fs::write(built.join(hook), format!("{content} of {hook}"))?;
            binaries.insert((*hook).to_owned(), built.join(hook));
        }
        let definitions: Vec<Definition> = hooks.iter().map(|hook| definition(hook)).collect();
        Locked::new(place)?.install(&Hooks {
            root: Path::new(workspace),
            definitions: &definitions,
            binaries: &binaries,
            links: hooks.iter().map(|hook| ((*hook).to_owned(), Link::Dynamic)).collect(),
            chosen: None,
            is_forced,
        })
    }

    fn uninstall(&self, workspace: &str) -> Result<bool> {
        uninstall(&self.place(workspace)?, Path::new(workspace))
    }

    fn read(&self) -> Result<Option<String>> {
        Ok(files::read(&self.settings())?.map(String::from_utf8).transpose()?)
    }

    /// What never is: an entry without its binary, or a binary that is not whole.
    fn check(&self, workspace: &str) -> Result<()> {
        let place = self.place(workspace)?;
        let text = self.read()?.unwrap_or_default();
        for hook in named(&text, &place) {
            let binary =
                fs::read_to_string(place.binary(&hook).path()).with_context(|| format!("the binary of {hook}"))?;
            ensure!(binary.ends_with(&format!(" of {hook}")), "half a binary: {binary}");
            ensure!(
                fs::metadata(place.binary(&hook).path())?.permissions().mode() & 0o777 == 0o755,
                "{hook}"
            );
        }
        let has_check = commands(&text).iter().any(|command| is_startup_command(command));
        ensure!(
            !has_check || startup::is_written(&place)?,
            "an entry without its script"
        );
        Ok(())
    }

    /// Every file's name, in order.
    fn files(&self) -> Result<Vec<String>> {
        fn walk(folder: &Path, found: &mut Vec<String>) -> Result<()> {
            for file in fs::read_dir(folder)? {
                let path = file?.path();
                found.push(path.display().to_string());
                if path.is_dir() {
                    walk(&path, found)?;
                }
            }
            Ok(())
        }
        let mut found = Vec::new();
        walk(&self.project(), &mut found)?;
        let project = self.project().display().to_string();
        let mut found: Vec<String> = found.into_iter().map(|file| file.replacen(&project, "", 1)).collect();
        found.sort();
        Ok(found)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let notes = self.place("acme").ok().and_then(|place| place.notes.path(""));
        if let Some(notes) = notes.filter(|_| self._temporary.is_some()) {
            // Those of other tests are beside it.
            let _ = fs::remove_dir_all(notes);
        }
    }
}

/// The hooks of a place that a text names.
fn named(text: &str, place: &Place) -> BTreeSet<String> {
    installed::named(Document::parse(text).ok().as_ref(), place)
}

fn commands(text: &str) -> Vec<String> {
    let document = Document::parse(text).ok();
    document
        .iter()
        .flat_map(Document::commands)
        .map(str::to_owned)
        .collect()
}

/// The text of a place's settings, which can be edited.
fn text_of(place: &Place) -> Result<String> {
    Ok(installed::settings(place)?.context("settings")?.text().to_owned())
}

fn definition(name: &str) -> Definition {
    Definition {
        declared: Declaration {
            name: name.to_owned(),
            description: String::new(),
            condition: None,
            timeout: None,
            status_message: None,
            on_failure: OnFailure::Block,
            mode: Mode::Awaited,
            path: format!("pack::{name}"),
            package: "hooks".to_owned(),
            package_version: "0.1.0".to_owned(),
        },
        entries: vec![OnEvent {
            event: "PreToolUse".to_owned(),
            matcher: Some("Bash".to_owned()),
            blocks_in_settings: true,
        }],
        written_matcher: None,
        written_condition: None,
        config: None,
        changes: Changes::default(),
    }
}

/// Which site the child works on, and what it does there.
const CHILD: &str = "HOOKKIT_CHILD";

/// No test: the process that the tests kill.
#[test]
fn child() -> Result<()> {
    let Ok(told) = env::var(CHILD) else { return Ok(()) };
    let (what, folder) = told.split_once(' ').context("what, and where")?;
    act(
        what,
        &Site {
            folder: folder.into(),
            _temporary: None,
        },
    )
}

fn act(what: &str, site: &Site) -> Result<()> {
    match what {
        "install" => site.install("acme", &["a", "b", "c"], "the first"),
        "renew" => site.install("acme", &["b", "d"], "the second"),
        _ => site.uninstall("acme").map(|_| ()),
    }
}

/// Does it in another process, which dies after so many steps. Whether it did, and where.
fn killed(what: &str, site: &Site, steps: usize) -> Result<Option<String>> {
    let output = Command::new(env::current_exe()?)
        .args(["settings::apply::tests::child", "--exact", "--nocapture"])
        .env(CHILD, format!("{what} {}", site.folder.display()))
        .env(DIES_AT, steps.to_string())
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success() != said.contains("dies at"), "{said}");
    Ok((!output.status.success()).then_some(said))
}

const OF_THE_USER: &str = "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\"PreToolUse\": [ {\"hooks\": []} ]}\n}";

#[test]
fn killed_at_any_step_it_leaves_all_whole_and_the_next_run_fixes_it() -> Result<()> {
    // They wait for disks and processes, so they do it side by side.
    thread::scope(|scope| {
        let cases = [
            (None, &[][..], "install"),
            (Some(OF_THE_USER), &[], "install"),
            (Some(OF_THE_USER), &["install"], "renew"),
            (None, &["install"], "uninstall"),
            (Some(OF_THE_USER), &["install"], "uninstall"),
        ];
        let cases =
            cases.map(|(settings, so_far, what)| scope.spawn(move || killed_at_each_step(settings, so_far, what)));
        let killed: Result<Vec<usize>> = cases
            .into_iter()
            .map(|case| case.join().expect("it does not panic"))
            .collect();
        eprintln!("{} kills", killed?.iter().sum::<usize>());
        Ok(())
    })
}

/// Kills a run at each of its steps, completes each by the same run and by its opposite, and returns the number of kills. A plain
/// `cargo test` kills at every fifth step.
fn killed_at_each_step(settings: Option<&str>, so_far: &[&str], what: &str) -> Result<usize> {
    let start = || -> Result<Site> {
        let site = Site::new(settings)?;
        so_far.iter().try_for_each(|what| act(what, &site))?;
        Ok(site)
    };
    let (old, done) = (start()?.read()?, start()?);
    act(what, &done)?;
    let recovered = |site: &Site, by: &str, after: &Site| -> Result<()> {
        act(by, site)?;
        site.check("acme")?;
        ensure!(site.read()? == after.read()?, "by {by}: {:?}", site.read()?);
        ensure!(site.files()? == after.files()?, "by {by}: {:?}", site.files()?);
        Ok(())
    };
    let (mut steps, mut kills) = (0, 0);
    loop {
        let (site, other) = (start()?, start()?);
        let Some(told) = killed(what, &site, steps)? else { break };
        let faultless = || -> Result<()> {
            let now = site.read()?;
            ensure!(now == old || now == done.read()?, "{now:?}");
            site.check("acme")?;
            // Whoever comes next undoes what was not done to its end, be it another workspace.
            drop(Locked::new(&site.place("other")?)?);
            let now = site.read()?;
            ensure!(now == old || now == done.read()?, "to another one: {now:?}");
            site.check("acme")?;
            recovered(&site, what, &done)?;
            killed(what, &other, steps)?;
            recovered(&other, "uninstall", &Site::new(settings)?)
        };
        faultless().with_context(|| format!("{what}, {settings:?}, step {steps}: {told}"))?;
        kills += 1;
        steps += soak::size(5, 1);
    }
    ensure!(steps >= 10, "{what}: {steps}");
    Ok(kills)
}

#[test]
fn what_is_written_in_the_last_instant_is_not_lost() -> Result<()> {
    for (instant, what) in [
        ("before the edit", "install"),
        ("before the last look", "install"),
        ("the last look", "install"),
        ("the last look", "uninstall"),
        ("the exchange", "install"),
    ] {
        let site = Site::new(Some(OF_THE_USER))?;
        if what == "uninstall" {
            act("install", &site)?;
        }
        let (settings, mut is_written) = (site.settings(), false);
        faults::meanwhile(move |step| {
            if step == instant && !is_written {
                is_written = true;
                let edited = fs::read_to_string(&settings).map(|text| text.replace("opus", "haiku"));
                let beside = settings.with_extension("new");
                let written = edited.and_then(|edited| fs::write(&beside, edited));
                written
                    .and_then(|()| fs::rename(&beside, &settings))
                    .expect("it can be written");
            }
        });
        act(what, &site)?;
        faults::meanwhile(|_| {});
        assert!(
            site.read()?.is_some_and(|text| text.contains("haiku")),
            "{what}, {instant}"
        );
        site.check("acme")?;
        act("uninstall", &site)?;
        assert_eq!(
            site.read()?,
            Some(OF_THE_USER.replace("opus", "haiku")),
            "{what}, {instant}"
        );
        assert_eq!(site.files()?, ["/.claude", "/.claude/settings.json"]);
    }
    Ok(())
}

/// Who writes again and again, or takes the file away for an instant, as vim does, finds what was written last.
#[test]
fn what_is_written_while_a_file_goes_back_is_not_lost() -> Result<()> {
    // What the editor does at which step; the last text counts.
    let remove = None;
    for meanwhile in [
        vec![("the last look", Some("one")), ("the exchange", remove)],
        vec![("the last look", Some("one")), ("the exchange", Some("two"))],
        vec![
            ("the last look", Some("one")),
            ("the exchange", Some("two")),
            ("the exchange back", Some("three")),
        ],
        vec![
            ("the last look", Some("one")),
            ("the exchange", Some("two")),
            ("the exchange back", remove),
        ],
        vec![("the last look", remove)],
        vec![("before the last look", remove)],
    ] {
        let site = Site::new(Some(OF_THE_USER))?;
        let last = meanwhile.iter().filter_map(|(_, text)| *text).next_back();
        let (settings, mut to_do) = (site.settings(), meanwhile.clone().into_iter().peekable());
        faults::meanwhile(move |step| {
            let Some((_, text)) = to_do.next_if(|(instant, _)| *instant == step) else {
                return;
            };
            let beside = settings.with_extension("new");
            let done = match text {
                None => fs::remove_file(&settings),
                Some(text) => {
                    fs::write(&beside, OF_THE_USER.replace("opus", text)).and_then(|()| fs::rename(&beside, &settings))
                }
            };
            done.expect("it can be written");
        });
        let installed = act("install", &site);
        faults::meanwhile(|_| {});
        installed.with_context(|| format!("{meanwhile:?}"))?;
        site.check("acme")?;
        assert_eq!(named(&site.read()?.unwrap_or_default(), &site.place("acme")?).len(), 3);
        act("uninstall", &site)?;
        assert_eq!(
            site.read()?,
            last.map(|last| OF_THE_USER.replace("opus", last)),
            "{meanwhile:?}"
        );
        let left = if last.is_some() {
            &["/.claude", "/.claude/settings.json"][..]
        } else {
            &["/.claude"]
        };
        assert_eq!(site.files()?, left, "{meanwhile:?}");
    }
    Ok(())
}

#[test]
fn a_file_that_goes_while_it_is_taken_away_is_gone() -> Result<()> {
    let site = Site::new(None)?;
    act("install", &site)?;
    let settings = site.settings();
    faults::meanwhile(move |step| {
        if step == "before the edit" {
            // There is an edit of another file, too.
            let _ = fs::remove_file(&settings);
        }
    });
    let uninstalled = act("uninstall", &site);
    faults::meanwhile(|_| {});
    uninstalled?;
    assert!(site.files()?.is_empty(), "{:?}", site.files()?);
    Ok(())
}

/// A new settings file has the mode that any program would have given it.
#[test]
fn a_umask_holds_for_a_new_file() -> Result<()> {
    let site = Site::new(None)?;
    let status = Command::new("sh")
        .args(["-c", "umask 077 && exec \"$@\"", "sh"])
        .arg(env::current_exe()?)
        .args(["settings::apply::tests::child", "--exact"])
        .env(CHILD, format!("install {}", site.folder.display()))
        .stdout(std::process::Stdio::null())
        .status()?;
    assert!(status.success());
    assert_eq!(fs::metadata(site.settings())?.permissions().mode() & 0o777, 0o600);
    Ok(())
}

#[test]
fn what_was_taken_out_by_a_run_that_was_killed_goes_back_unless_the_file_was_written_since() -> Result<()> {
    let site = Site::new(Some(OF_THE_USER))?;
    act("install", &site)?;
    let ours = site.read()?.context("settings")?;
    let newer = OF_THE_USER.replace("opus", "haiku");
    let leave = |text: &str| -> Result<PathBuf> {
        use std::os::unix::fs::MetadataExt;

        let left = site.settings().with_file_name(".settings.json.hookkit-7");
        let journal = json!({
            "run": "7",
            "edit": {"file": site.settings(), "inode": fs::metadata(site.settings())?.ino()},
        });
        site.place("acme")?
            .notes
            .write("journal.json", journal.to_string().as_bytes())?;
        fs::write(&left, text)?;
        Ok(left)
    };
    // What ours was made of.
    leave(OF_THE_USER)?;
    drop(Locked::new(&site.place("acme")?)?);
    assert_eq!(site.read()?.as_deref(), Some(OF_THE_USER));
    act("install", &site)?;
    assert_eq!(site.read()?.as_ref(), Some(&ours));
    // What somebody wrote in the instant before.
    leave(&newer)?;
    drop(Locked::new(&site.place("acme")?)?);
    assert_eq!(site.read()?.as_ref(), Some(&newer));
    // The file was edited since.
    act("install", &site)?;
    let left = leave(OF_THE_USER)?;
    thread::sleep(Duration::from_millis(20));
    let edited = ours.replace("opus", "sonnet");
    fs::write(site.settings(), &edited)?;
    drop(Locked::new(&site.place("acme")?)?);
    assert_eq!(site.read()?.as_ref(), Some(&edited));
    assert!(!left.exists());
    Ok(())
}

#[test]
fn mode_and_link_stay() -> Result<()> {
    let site = Site::new(Some(OF_THE_USER))?;
    let dotfile = site.folder.join("dotfile.json");
    fs::rename(site.settings(), &dotfile)?;
    fs::set_permissions(&dotfile, fs::Permissions::from_mode(0o640))?;
    std::os::unix::fs::symlink("../../link", site.settings())?;
    std::os::unix::fs::symlink(&dotfile, site.folder.join("link"))?;
    let place = Place::new(Kind::User, &site.settings(), "acme")?;
    site.install_at(&place, &["a"], "the first", false)?;
    assert!(site.settings().is_symlink() && fs::read_to_string(&dotfile)?.contains("hookkit"));
    assert_eq!(fs::metadata(&dotfile)?.permissions().mode() & 0o777, 0o640);
    assert!(uninstall(&place, Path::new("acme"))?);
    assert!(site.settings().is_symlink());
    assert_eq!(fs::read_to_string(&dotfile)?, OF_THE_USER);
    Ok(())
}

#[test]
fn who_comes_last_takes_away_what_was_created() -> Result<()> {
    for order in [["one", "two"], ["two", "one"]] {
        let site = Site::new(None)?;
        site.install("one", &["a"], "the first")?;
        site.install("two", &["a", "b"], "the second")?;
        site.check("one")?;
        site.check("two")?;
        assert!(site.uninstall(order[0])?);
        site.check(order[1])?;
        let place = site.place(order[1])?;
        assert!(place.has_binary("a") && !named(&site.read()?.unwrap_or_default(), &place).is_empty());
        assert!(site.uninstall(order[1])?);
        assert!(site.files()?.is_empty(), "{:?}", site.files()?);
    }
    Ok(())
}

#[test]
fn what_somebody_wrote_in_the_place_of_a_file_of_ours_stays() -> Result<()> {
    let site = Site::new(None)?;
    act("install", &site)?;
    fs::write(site.settings(), "{}")?;
    assert!(site.uninstall("acme")?);
    assert_eq!(site.read()?.as_deref(), Some("{}"));
    Ok(())
}

#[test]
fn containers_stay_that_were_there_before_all_of_us() -> Result<()> {
    for settings in [
        "{\"hooks\": {\"PreToolUse\": []}}",
        "{\"hooks\": {}}",
        "{\"a\": 1}",
        "{}",
    ] {
        for order in [["one", "two"], ["two", "one"]] {
            let site = Site::new(Some(settings))?;
            site.install("one", &["a"], "the first")?;
            site.install("two", &["a", "b"], "the second")?;
            // Written anew it has no longer the entry that its author made the list with.
            site.install("one", &["b"], "the third")?;
            for workspace in order {
                assert!(site.uninstall(workspace)?);
            }
            let left: Value = serde_json::from_str(&site.read()?.context("settings")?)?;
            assert_eq!(left, serde_json::from_str::<Value>(settings)?, "{order:?}");
            assert_eq!(site.files()?, ["/.claude", "/.claude/settings.json"]);
        }
    }
    Ok(())
}

#[test]
fn without_its_record_what_was_there_before_stays() -> Result<()> {
    for settings in ["{\"hooks\": {\"PreToolUse\": []}}", "{\"hooks\": {}}", "{}"] {
        let site = Site::new(Some(settings))?;
        act("install", &site)?;
        let place = site.place("acme")?;
        place.notes.remove(&place.record())?;
        act("uninstall", &site)?;
        let left: Value = serde_json::from_str(&site.read()?.context("settings")?)?;
        assert_eq!(left, serde_json::from_str::<Value>(settings)?);
    }
    Ok(())
}

/// As an editor does that writes a file anew.
fn rewrite(file: &Path) -> Result<()> {
    let settings: Value = serde_json::from_slice(&fs::read(file)?)?;
    Ok(fs::write(file, serde_json::to_string(&settings)?)?)
}

/// Its entries name the folder where it was, and would have the client refuse every call.
#[test]
fn a_project_that_was_moved_keeps_no_entry_of_before() -> Result<()> {
    let site = Site::new(None)?;
    let place = |root: &Path| {
        let settings = root.join(".claude/settings.local.json");
        Place::new(Kind::Local(root.to_owned()), &settings, "acme")
    };
    let before = place(&site.project())?;
    let foreign = "/elsewhere/bin/guard";
    fs::create_dir(before.claude().path())?;
    fs::write(
        before.settings(),
        format!("{{\"hooks\":{{\"Stop\":[{{\"hooks\":[{{\"command\":\"{foreign}\"}}]}}]}}}}"),
    )?;
    site.install_at(&before, &["a"], "the first", false)?;
    rewrite(before.settings())?;
    let moved = site.folder.join("moved");
    fs::rename(site.project(), &moved)?;
    let after = place(&moved)?;
    let text = text_of(&after)?;
    assert_eq!(named(&text, &after).len(), 1, "the old one is known");
    // Whether it is installed anew or not.
    for is_installed in [true, false] {
        if is_installed {
            site.install_at(&after, &["a"], "the second", false)?;
            let text = text_of(&after)?;
            assert_eq!(commands(&text), [foreign.to_owned(), after.command("a")]);
        } else {
            fs::write(after.settings(), &text)?;
        }
        assert!(uninstall(&after, Path::new("acme"))?);
        let text = text_of(&after)?;
        assert_eq!(commands(&text), [foreign]);
        assert!(!uninstall(&after, Path::new("acme"))?);
    }
    Ok(())
}

/// A folder can be the user's own, where `CLAUDE_CONFIG_DIR` says so, and a project's where it does not.
#[test]
fn a_file_that_is_somebody_else_s_now_keeps_no_entry_of_before() -> Result<()> {
    for is_project in [false, true] {
        let site = Site::new(None)?;
        let kinds = [Kind::User, Kind::Project(site.project())];
        let (before, after) = (&kinds[usize::from(is_project)], &kinds[usize::from(!is_project)]);
        let place = |kind: &Kind| Place::new(kind.clone(), &site.settings(), "acme");
        site.install_at(&place(before)?, &["a"], "the first", false)?;
        rewrite(&site.settings())?;
        site.install_at(&place(after)?, &["a"], "the second", false)?;
        let text = site.read()?.context("settings")?;
        let after_place = place(after)?;
        let check = after_place.is_shared().then(|| after_place.startup_command());
        let expected: Vec<String> = [after_place.command("a")].into_iter().chain(check).collect();
        assert_eq!(commands(&text), expected);
        rewrite(&site.settings())?;
        assert!(uninstall(&place(before)?, Path::new("acme"))?);
        // What a project says of itself is not for the user's own settings to change.
        let left = match after {
            Kind::Project(_) => &[
                "/.claude",
                "/.claude/hookkit.lock",
                "/.claude/hookkit.sh",
                "/.claude/hookkit.toml",
            ][..],
            _ => &[],
        };
        assert_eq!(site.files()?, left);
    }
    Ok(())
}

#[test]
fn what_goes_with_our_entries_is_told_once_it_has_gone() -> Result<()> {
    for steps in 0.. {
        let site = Site::new(None)?;
        act("install", &site)?;
        let text = site.read()?.context("settings")?;
        fs::write(site.settings(), text.replacen("\"type\"", "\"note\": 1, \"type\"", 1))?;
        let told = killed("renew", &site, steps)?.context("there is an edit")?;
        if told.contains("dies at: before the edit") {
            assert!(!told.contains("went with it"), "{told}");
            break;
        }
    }
    Ok(())
}

const COMMENTED: &str = "\u{feff}{\n  // why\n  \"model\": \"opus\", // the best\n}\n";

#[test]
fn what_the_client_would_drop_is_refused_under_the_lock_too() -> Result<()> {
    let site = Site::new(Some(COMMENTED))?;
    let refused = act("install", &site).map_err(|err| err.to_string());
    assert!(refused.is_err_and(|told| told.contains("--force")));
    assert_eq!(site.read()?.as_deref(), Some(COMMENTED));
    assert_eq!(site.files()?, ["/.claude", "/.claude/settings.json"]);
    // An editor spoils it in the last instant.
    let site = Site::new(Some(OF_THE_USER))?;
    let settings = site.settings();
    faults::meanwhile(move |step| {
        if step == "before the last look" {
            fs::write(&settings, COMMENTED).expect("it can be written");
        }
    });
    let refused = act("install", &site).map_err(|err| err.to_string());
    faults::meanwhile(|_| {});
    assert!(refused.is_err_and(|told| told.contains("--force")));
    assert_eq!(site.read()?.as_deref(), Some(COMMENTED));
    assert_eq!(site.files()?, ["/.claude", "/.claude/settings.json"]);
    Ok(())
}

/// Some editors empty a file first, and then write it.
#[test]
fn who_is_writing_meanwhile_is_waited_for() -> Result<()> {
    for spoilt in ["", "{\n  \"model\""] {
        let site = Site::new(Some(spoilt))?;
        let settings = site.settings();
        faults::meanwhile(move |step| {
            if step == "a file that is not understood" {
                fs::write(&settings, OF_THE_USER).expect("it can be written");
            }
        });
        let installed = act("install", &site);
        faults::meanwhile(|_| {});
        installed?;
        act("uninstall", &site)?;
        assert_eq!(site.read()?.as_deref(), Some(OF_THE_USER));
    }
    Ok(())
}

#[test]
fn what_is_in_the_way_is_told_with_the_fix() -> Result<()> {
    type Spoil = fn(&Site) -> std::io::Result<()>;
    let cases: [(Spoil, &str); 5] = [
        (
            |site| {
                fs::write(
                    site.settings(),
                    "{\n  \"a\": \"\u{e4}".as_bytes().split_last().expect("bytes").1,
                )
            },
            "line 2, column 9: this is not UTF-8; save",
        ),
        (
            |site| {
                fs::remove_file(site.settings())
                    .and_then(|()| Ok(rustix::fs::mkfifoat(rustix::fs::CWD, site.settings(), 0o600.into())?))
            },
            "settings.json is not a regular file",
        ),
        (
            |site| fs::write(site.settings().with_file_name("hookkit"), ""),
            "hookkit should be a folder, and it is a file",
        ),
        (
            |site| {
                fs::remove_file(site.settings())?;
                std::os::unix::fs::symlink("../dotfiles/claude.json", site.settings())
            },
            ".claude/settings.json is a symbolic link to ../dotfiles/claude.json, and none is followed below ",
        ),
        (
            |site| {
                fs::remove_dir_all(site.project().join(".claude"))?;
                std::os::unix::fs::symlink("dotfiles", site.project().join(".claude"))
            },
            ".claude is a symbolic link to dotfiles, and none is followed below ",
        ),
    ];
    for (spoil, fix) in cases {
        let site = Site::new(Some(OF_THE_USER))?;
        spoil(&site)?;
        let before = site.files()?;
        let refused = act("install", &site).map_err(|err| format!("{err:#}"));
        assert!(
            refused.as_ref().is_err_and(|told| told.contains(fix)),
            "{fix}: {refused:?}"
        );
        assert_eq!(site.files()?, before, "{fix}");
    }
    Ok(())
}

/// What follows an edit can fail, too: the entries are there by then.
#[test]
fn what_fails_behind_the_edit_takes_no_binary_away() -> Result<()> {
    let site = Site::new(None)?;
    let place = site.place("acme")?;
    let record = place
        .notes
        .path(&place.record())
        .context("there is a folder for notes")?;
    faults::meanwhile(move |step| {
        if step == "a new file" {
            fs::remove_file(&record)
                .and_then(|()| fs::create_dir_all(record.join("in the way")))
                .expect("it is there");
        }
    });
    let installed = act("install", &site);
    faults::meanwhile(|_| {});
    assert!(installed.is_err());
    let place = site.place("acme")?;
    assert!(place.has_binary("a") && named(&site.read()?.context("settings")?, &place).contains("a"));
    Ok(())
}

#[test]
fn a_file_with_comments_is_no_hiding_place() -> Result<()> {
    let site = Site::new(Some(COMMENTED))?;
    site.force("acme", &["a", "b"], "the first")?;
    let installed = site.read()?.context("settings")?;
    site.check("acme")?;
    let place = site.place("acme")?;
    assert_eq!(named(&installed, &place).len(), 2);
    site.force("acme", &["a", "b"], "the first")?;
    assert_eq!(site.read()?, Some(installed));
    // As in a clone.
    fs::remove_dir_all(place.hookkit().path())?;
    place.notes.remove(&place.record())?;
    place.notes.remove(CREATED)?;
    assert!(site.uninstall("acme")?);
    assert!(!site.read()?.context("settings")?.contains("hookkit"));
    Ok(())
}

#[test]
fn a_record_is_read_by_the_settings_that_it_is_about() -> Result<()> {
    let site = Site::new(Some(OF_THE_USER))?;
    let place = site.place("acme")?;
    act("install", &site)?;
    let (first, text) = (Record::read(&place)?.context("a record")?, site.read()?);
    act("renew", &site)?;
    let second = Record::read(&place)?.context("a record")?;
    assert!(second.replaced == Inserted::default() && second.inserted != first.inserted);
    // Killed before it wrote the settings.
    let killed = Record {
        replaced: first.inserted.clone(),
        ..second.clone()
    };
    let settled = |text: &str| {
        let mut record = killed.clone();
        record.settle(&Document::parse(text).expect("it parses"));
        record.inserted
    };
    assert_eq!(settled(&text.context("settings")?), first.inserted);
    assert_eq!(settled(&site.read()?.context("settings")?), second.inserted);
    // What another program wrote anew: the newer one knows what was there.
    assert_eq!(settled("{}"), second.inserted);
    Ok(())
}

#[test]
fn a_running_binary_is_replaced() -> Result<()> {
    let site = Site::new(None)?;
    act("install", &site)?;
    let binary = site.place("acme")?.binary("b").path();
    fs::remove_file(&binary)?;
    // In another process: a test beside this one may fork while the file is open, and it could not be run meanwhile.
    assert!(Command::new("cp").arg("/bin/sleep").arg(&binary).status()?.success());
    let mut running = Command::new(&binary).arg("30").spawn()?;
    let installed = act("renew", &site);
    running.kill()?;
    running.wait()?;
    installed?;
    site.check("acme")
}

/// Two workspaces come and go, an editor counts, and a reader looks on.
/// Repeats a run that is refused because an editor was faster each time, as on a busy machine.
fn patiently<T>(run: impl Fn() -> Result<T>) -> Result<T> {
    let is_outrun = |done: &Result<T>| {
        let refused = done.as_ref().err().map(ToString::to_string);
        refused.is_some_and(|refused| refused.contains("another program keeps writing"))
    };
    let mut runs = (0..100).map(|_| run());
    runs.find(|done| !is_outrun(done)).unwrap_or_else(run)
}

#[test]
fn two_installs_an_editor_and_a_reader_are_in_nobody_s_way() -> Result<()> {
    let first = "{\n  \"counter\": 0,\n  \"hooks\": {\"Stop\": [{\"hooks\": []}]}\n}\n";
    let site = &Site::new(Some(first))?;
    let (is_done, counted) = (&AtomicBool::new(false), &AtomicU64::new(0));
    let parsed = || -> Result<Value> { Ok(serde_json::from_slice(&fs::read(site.settings())?)?) };
    let counter = move || -> Result<u64> { parsed()?["counter"].as_u64().context("the editor's own member") };
    thread::scope(|scope| -> Result<()> {
        let come_and_go = |workspace: &'static str| {
            move || -> Result<()> {
                for round in soak::rounds(10, 100) {
                    patiently(|| site.install(workspace, &["a", "b"], &format!("round {round}")))?;
                    patiently(|| site.uninstall(workspace))?;
                }
                Ok(())
            }
        };
        let installs = [scope.spawn(come_and_go("one")), scope.spawn(come_and_go("two"))];
        let editor = scope.spawn(move || -> Result<()> {
            let beside = site.settings().with_extension("new");
            while !is_done.load(Ordering::Relaxed) {
                let last = counted.load(Ordering::Relaxed);
                // What is put back after an exchange is away for an instant.
                while counter()? != last && !is_done.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(2));
                }
                let text = fs::read_to_string(site.settings())?;
                let next = text.replace(&format!("\"counter\": {last}"), &format!("\"counter\": {}", last + 1));
                if next == text {
                    continue;
                }
                fs::write(&beside, next)?;
                fs::rename(&beside, site.settings())?;
                counted.store(last + 1, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(2));
            }
            Ok(())
        });
        let reader = scope.spawn(move || -> Result<()> {
            while !is_done.load(Ordering::Relaxed) {
                let settings = parsed()?;
                ensure!(
                    settings["counter"].is_u64() && settings["hooks"]["Stop"] == json!([{"hooks": []}]),
                    "{settings}"
                );
                thread::sleep(Duration::from_micros(200));
            }
            Ok(())
        });
        let join = |thread: thread::ScopedJoinHandle<'_, Result<()>>| thread.join().expect("it does not panic");
        let installed = installs.map(join);
        is_done.store(true, Ordering::Relaxed);
        [join(editor), join(reader)].into_iter().chain(installed).collect()
    })?;
    assert_eq!(counter()?, counted.load(Ordering::Relaxed));
    assert!(counter()? > 10, "the editor edited");
    // The editor may have written down entries that had just been taken out.
    for workspace in ["one", "two"] {
        site.install(workspace, &["a", "b"], "the last")?;
    }
    for workspace in ["one", "two"] {
        site.check(workspace)?;
        assert_eq!(
            named(&site.read()?.unwrap_or_default(), &site.place(workspace)?).len(),
            2
        );
    }
    for workspace in ["one", "two"] {
        site.uninstall(workspace)?;
    }
    assert_eq!(
        parsed()?,
        json!({"counter": counted.load(Ordering::Relaxed), "hooks": {"Stop": [{"hooks": []}]}})
    );
    assert_eq!(site.files()?, ["/.claude", "/.claude/settings.json"]);
    Ok(())
}
