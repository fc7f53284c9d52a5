//! Tests of installs on real files.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use std::{env, fs, thread};

use anyhow::ensure;
use hookkit_protocol::agents::Agent;
use serde_json::{Value, json};
use tempfile::TempDir;
use test_support::{Has, steps};

use super::*;
use crate::binaries::definition::{self, Definition};
use crate::binaries::link::Link;
use crate::disk::{faults, files};
use crate::settings::drift::{Difference, differing};
use crate::settings::everywhere;
use crate::settings::place::PlaceKind;
use crate::settings::place::commands::is_startup_command;
use crate::settings::within::{Folders, Within};
use crate::soak;

mod agents;
mod hostile;
mod kept;
mod killed;
mod meanwhile;
mod paused;

/// A project and binaries that were built elsewhere.
struct Site {
    folder: PathBuf,
    _temporary: Option<TempDir>,
}

impl Site {
    fn new(settings: Option<&str>) -> Result<Self> {
        Self::of("", settings)
    }

    /// Creates a project with another agent's settings. A file next to it names the agent.
    fn of(agent: &str, settings: Option<&str>) -> Result<Self> {
        let temporary = test_support::folder();
        let site = Self { folder: temporary.path().canonicalize()?, _temporary: Some(temporary) };
        fs::create_dir(site.project())?;
        fs::write(site.folder.join("agent"), agent)?;
        if let Some(settings) = settings {
            fs::create_dir_all(site.settings().parent().context("a folder")?)?;
            fs::write(site.settings(), settings)?;
        }
        Ok(site)
    }

    fn agent(&self) -> Option<&'static Agent> {
        Agent::of_id(&fs::read_to_string(self.folder.join("agent")).unwrap_or_default())
    }

    fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    fn settings(&self) -> PathBuf {
        let file = self.agent().map_or(".claude/settings.json", |agent| agent.file.path);
        self.project().join(file)
    }

    fn place(&self, workspace: &str) -> Result<Place> {
        let project = self.project();
        let kind = match self.agent() {
            Some(agent) => {
                let project = agent.file.of_user.is_none().then_some(project);
                PlaceKind::Agent { agent, project }
            }
            None => PlaceKind::Project(project),
        };
        Place::new(kind, &self.settings(), workspace)
    }

    /// Installs hooks whose binaries contain `content`.
    fn install(&self, workspace: &str, hooks: &[&str], content: &str) -> Result<()> {
        self.install_at(&self.place(workspace)?, hooks, content, false)
    }

    /// Installs hooks even if the client ignores the settings.
    fn force(&self, workspace: &str, hooks: &[&str], content: &str) -> Result<()> {
        self.install_at(&self.place(workspace)?, hooks, content, true)
    }

    fn install_at(&self, place: &Place, hooks: &[&str], content: &str, is_forced: bool) -> Result<()> {
        self.install_everywhere(place, hooks, content, is_forced, &Folders::default())
    }

    fn install_everywhere(
        &self,
        place: &Place,
        hooks: &[&str],
        content: &str,
        is_forced: bool,
        folders: &Folders,
    ) -> Result<()> {
        let workspace = &place.workspace;
        let (binaries, links) = built(hooks, content);
        let definitions: Vec<Definition> = hooks.iter().map(|hook| definition(hook)).collect();
        let mut hooks = chosen(&definitions, &binaries, &links, folders);
        hooks.is_forced = is_forced;
        let locked = Locked::new(place)?;
        let checkout = Checkout::of(Path::new(workspace), place.sharing_project())?.with_version()?;
        locked.install(&State::read(place)?, &checkout, &hooks)?;
        drop(locked);
        let (root, within) = (place, folders.within.in_place(&self.project()));
        let places = within.places(root)?;
        let install = |place| everywhere::install(root, place, &checkout, &hooks, None);
        places.iter().try_for_each(|(_, place)| install(place))
    }

    fn uninstall(&self, workspace: &str) -> Result<bool> {
        uninstall(&self.place(workspace)?, Path::new(workspace))
    }

    fn read(&self) -> Result<Option<String>> {
        Ok(files::read(&self.settings())?.map(String::from_utf8).transpose()?)
    }

    fn parsed(&self) -> Result<Value> {
        Ok(serde_json::from_str(&self.read()?.context("settings")?)?)
    }

    /// Checks that there are no entries without a binary, and no incomplete binaries.
    fn check(&self, workspace: &str) -> Result<()> {
        let place = self.place(workspace)?;
        let text = self.read()?.unwrap_or_default();
        for hook in named(&text, &place) {
            let path = place.binary(&hook).path();
            let binary = fs::read_to_string(&path).with_context(|| format!("the binary of {hook}"))?;
            ensure!(binary.ends_with(&format!(" of {hook}")), "half a binary: {binary}");
            ensure!(fs::metadata(&path)?.permissions().mode() & 0o777 == 0o755, "{hook}");
        }
        let has_check = commands(&text).iter().any(|command| is_startup_command(command));
        let is_whole = !has_check || startup::is_written(&place)?;
        ensure!(is_whole, "an entry without its script");
        Ok(())
    }

    /// Returns the names of all files, sorted.
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
        let root = self.place("acme").ok().filter(|_| self._temporary.is_some());
        let within = everywhere().within;
        let folders = root.iter().flat_map(|root| within.places(root).unwrap_or_default());
        for place in root.iter().cloned().chain(folders.map(|(_, place)| place)) {
            if let Some(notes) = place.notes.path("") {
                // The state of other tests is next to it.
                let _ = fs::remove_dir_all(notes);
            }
        }
    }
}

/// Removes a workspace's hooks. Returns `false` if there were none.
fn uninstall(place: &Place, root: &Path) -> Result<bool> {
    let in_folders = everywhere::uninstall_all(place, root)?;
    Ok(super::uninstall(place, root)?.is_some() || in_folders)
}

/// Returns the folders in a project.
fn everywhere() -> Folders {
    let packages = BTreeSet::from(["app/core".to_owned()]);
    let within = Within { packages: packages.clone(), repositories: ["nested".to_owned()].into() };
    Folders { listed: packages, within, ..Folders::default() }
}

/// Returns the hooks of a settings location that are in a text.
fn named(text: &str, place: &Place) -> BTreeSet<String> {
    installed::named(Document::parse(text).ok().as_ref(), place)
}

fn commands(text: &str) -> Vec<String> {
    let document = Document::parse(text).ok();
    document.iter().flat_map(Document::commands).map(str::to_owned).collect()
}

/// Returns the text of the settings, which is editable.
fn text_of(place: &Place) -> Result<String> {
    Ok(installed::settings(place)?.context("settings")?.text().to_owned())
}

fn definition(name: &str) -> Definition {
    let entry = json!({"event": "PreToolUse", "matcher": "Bash", "blocks_in_settings": true});
    definition::tests::hook(name, &json!({"on_failure": "block", "entries": [entry]}))
}

/// Returns the difference between an installed hook and one whose binary has this content.
fn drift(place: &Place, hook: &str, content: &str) -> Result<Option<String>> {
    let mut drift = differences(place, hook, content)?.into_iter();
    Ok(drift.find(|found| found.name == hook).map(|found| found.what))
}

/// Returns the changes that an install of one hook would make.
fn differences(place: &Place, hook: &str, content: &str) -> Result<Vec<Difference>> {
    let (binaries, links) = built(&[hook], content);
    let (definitions, folders) = ([definition(hook)], Folders::default());
    let hooks = chosen(&definitions, &binaries, &links, &folders);
    differing(&State::read(place)?, &hooks)
}

type Built = (BTreeMap<String, Vec<u8>>, BTreeMap<String, Link>);

/// Returns the binaries of hooks with their link types.
fn built(hooks: &[&str], content: &str) -> Built {
    let binary = |hook: &&str| ((*hook).to_owned(), format!("{content} of {hook}").into_bytes());
    let links = hooks.iter().map(|hook| ((*hook).to_owned(), Link::Dynamic));
    (hooks.iter().map(binary).collect(), links.collect())
}

fn chosen<'h>(
    definitions: &'h [Definition],
    binaries: &'h BTreeMap<String, Vec<u8>>,
    links: &'h BTreeMap<String, Link>,
    folders: &'h Folders,
) -> Hooks<'h> {
    Hooks {
        all: definitions,
        definitions,
        binaries,
        links,
        chosen: None,
        folders,
        owner: None,
        is_forced: false,
        min_client: None,
        left_out: &folders.gone.packages,
        record_runs: false,
        audit: None,
    }
}

/// Environment variable with the site and task of a child process.
const CHILD: &str = "HOOKKIT_CHILD";

/// The process that the tests kill; not a test itself.
#[test]
fn child() -> Result<()> {
    let Ok(message) = env::var(CHILD) else { return Ok(()) };
    let (what, folder) = message.split_once(' ').context("what, and where")?;
    act(what, &Site { folder: folder.into(), _temporary: None })
}

fn act(what: &str, site: &Site) -> Result<()> {
    match what {
        "install" => site.install("acme", &["a", "b", "c"], "the first"),
        "folders" => {
            for folder in ["app/core/.claude", "nested/.git"] {
                fs::create_dir_all(site.project().join(folder))?;
            }
            let settings = site.project().join("app/core/.claude/settings.json");
            Ok(fs::write(settings, OF_THE_USER)?)
        }
        "everywhere" => site.install_everywhere(&site.place("acme")?, &["a", "b"], "the first", false, &everywhere()),
        "renew" => site.install("acme", &["b", "d"], "the second"),
        "off" | "allow-once" | "on" => paused::turn(what, site),
        _ => site.uninstall("acme").map(|_| ()),
    }
}

/// Returns the error message of a failed run.
fn refused(what: &str, site: &Site) -> Result<String> {
    let err = act(what, site).err().with_context(|| format!("{what} is refused"))?;
    Ok(format!("{err:#}"))
}

/// Runs a task with another action at its steps.
fn act_while(what: &str, site: &Site, meanwhile: impl FnMut(&str) + 'static) -> Result<()> {
    faults::during(meanwhile, || act(what, site))
}

const OF_THE_USER: &str = "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\"PreToolUse\": [ {\"hooks\": []} ]}\n}";

const OF_CODEX: &str = "{\n\t\"description\": \"ours\",\n\t\"hooks\": {\"PreToolUse\": [ {\"hooks\": []} ]}\n}";

const OF_COPILOT: &str = "{\n\t\"version\": 1,\n\t\"hooks\": {\"preToolUse\": [ {\"bash\": \"say\"} ]}\n}";

const COMMENTED: &str = "\u{feff}{\n  // why\n  \"model\": \"opus\", // the best\n}\n";

/// Settings of an agent that accepts comments.
const OF_AGENT: &str = "{\n  // why\n  \"model\": \"opus\" // the best\n}\n";

/// Kimi's configuration, in TOML.
const OF_KIMI: &str = "# mine\ndefault_model = \"mock\"\n\n[[hooks]] # done\nevent = \"PreToolUse\"\ncommand = 'say done'\n\
                       timeout = 3\n\n[models.mock]\nprovider = \"mock\" # no line end";

/// Runs `what` in another process, which dies after this many steps. Returns its stderr, or `None` if it finished
/// first.
fn killed(what: &str, site: &Site, steps: usize) -> Option<String> {
    let message = format!("{what} {}", site.folder.display());
    steps::killed("settings::apply::tests::child", CHILD, message, steps)
}

/// A new settings file has the same mode as any program's new file.
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
fn mode_and_link_stay() -> Result<()> {
    let site = Site::new(Some(OF_THE_USER))?;
    let dotfile = site.folder.join("dotfile.json");
    fs::rename(site.settings(), &dotfile)?;
    fs::set_permissions(&dotfile, fs::Permissions::from_mode(0o640))?;
    symlink("../../link", site.settings())?;
    symlink(&dotfile, site.folder.join("link"))?;
    let place = Place::new(PlaceKind::User, &site.settings(), "acme")?;
    site.install_at(&place, &["a"], "the first", false)?;
    assert!(site.settings().is_symlink() && fs::read_to_string(&dotfile)?.contains("hookkit"));
    assert_eq!(fs::metadata(&dotfile)?.permissions().mode() & 0o777, 0o640);
    assert!(uninstall(&place, Path::new("acme"))?);
    assert!(site.settings().is_symlink());
    assert_eq!(fs::read_to_string(&dotfile)?, OF_THE_USER);
    Ok(())
}

#[test]
fn what_is_in_the_way_is_reported_with_the_fix() -> Result<()> {
    type Spoil = fn(&Site) -> std::io::Result<()>;
    let cases: [(Spoil, &str); 5] = [
        (|site| fs::write(site.settings(), b"{\n  \"a\": \"\xc3"), "line 2, column 9: this is not UTF-8; save"),
        (
            |site| {
                fs::remove_file(site.settings())?;
                Ok(rustix::fs::mkfifoat(rustix::fs::CWD, site.settings(), 0o600.into())?)
            },
            "settings.json is not a regular file",
        ),
        (
            |site| fs::write(site.settings().with_file_name("hookkit"), ""),
            "hookkit should be a folder, but it is a file",
        ),
        (
            |site| {
                fs::remove_file(site.settings())?;
                symlink("../dotfiles/claude.json", site.settings())
            },
            ".claude/settings.json is a symbolic link to ../dotfiles/claude.json, and links below ",
        ),
        (
            |site| {
                fs::remove_dir_all(site.project().join(".claude"))?;
                symlink("dotfiles", site.project().join(".claude"))
            },
            ".claude is a symbolic link to dotfiles, and links below ",
        ),
    ];
    for (spoil, fix) in cases {
        let site = Site::new(Some(OF_THE_USER))?;
        spoil(&site)?;
        let before = site.files()?;
        let message = refused("install", &site)?;
        message.has(fix);
        assert_eq!(site.files()?, before, "{fix}");
    }
    Ok(())
}

/// Settings are read up to 2 MiB. Binaries may be larger.
#[test]
fn a_large_binary_is_compared_with_what_is_built() -> Result<()> {
    let site = Site::new(None)?;
    let content = "x".repeat(3 << 20);
    site.install("acme", &["a"], &content)?;
    assert_eq!(drift(&site.place("acme")?, "a", &content)?, None);
    let other = "binary not built from the current source";
    assert_eq!(drift(&site.place("acme")?, "a", "another")?.as_deref(), Some(other));
    Ok(())
}
