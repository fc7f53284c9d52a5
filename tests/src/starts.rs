//! The places where a session can start, each with hooks of its own around it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Project, Session, Turn, parallel};

/// A session's start.
pub struct Start {
    /// Key in the record.
    pub name: &'static str,
    /// Folder, within [`Starts::outer`].
    pub folder: &'static str,
    /// Options of the client; `OUTER` is [`Starts::outer`].
    pub arguments: &'static [&'static str],
    /// Circumstances of the session.
    pub how: How,
    /// Folder of which `list` has the same hooks. `None` if it goes by something that is not in files of settings.
    pub listed: Option<&'static str>,
}

/// Circumstances of a session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Nothing special.
    Plainly,
    /// The user has not accepted that the folder is trusted.
    Untrusted,
    /// The model enters a worktree, before the call on which the hooks run.
    EnteringAWorktree,
    /// The model changes to a folder, before the call on which the hooks run.
    ChangingFolder,
    /// It goes on with a session that was started in the repository's root.
    Resuming,
}

/// The hooks of a session.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Started {
    /// Their names, in order.
    pub hooks: BTreeSet<String>,
    /// `CLAUDE_PROJECT_DIR` of each of them, within [`Starts::outer`].
    pub project_dir: String,
}

const fn plainly(name: &'static str, folder: &'static str) -> Start {
    with(name, folder, &[], Some(folder))
}

const fn with(
    name: &'static str,
    folder: &'static str,
    arguments: &'static [&'static str],
    listed: Option<&'static str>,
) -> Start {
    let how = How::Plainly;
    Start { name, folder, arguments, how, listed }
}

const fn how(name: &'static str, folder: &'static str, how: How, listed: Option<&'static str>) -> Start {
    let arguments = &[];
    Start { name, folder, arguments, how, listed }
}

/// All starts.
pub const STARTS: &[Start] = &[
    plainly("root", "main"),
    how("root, not trusted", "main", How::Untrusted, None),
    plainly("root, by a link", "link"),
    with("root, with --add-dir of a folder", "main", &["--add-dir", "OUTER/main/own"], Some("main")),
    with("root, with --worktree", "main", &["--worktree", "made"], Some("main/.claude/worktrees/inside")),
    how("root, entering a worktree", "main", How::EnteringAWorktree, Some("main")),
    how("root, changing to a folder", "main", How::ChangingFolder, Some("main")),
    plainly("folder", "main/app/deep"),
    plainly("folder with settings", "main/own"),
    how("folder, resuming a session of the root", "main/app", How::Resuming, Some("main/app")),
    with(
        "folder, with --add-dir of the root",
        "main/app",
        &["--add-dir", "OUTER/main"],
        // The option adds plugins.
        None,
    ),
    plainly("folder of a nested repository", "main/nested/app"),
    plainly("folder below an empty .git", "main/empty/app"),
    plainly("folder of a submodule", "main/module/app"),
    plainly("worktree", "linked"),
    plainly("folder of a worktree", "linked/app"),
    plainly("worktree below .claude", "main/.claude/worktrees/inside"),
    plainly("folder of a copy of a worktree", "copy/app"),
    plainly("folder of a worktree of a bare repository", "bare/linked/app"),
    plainly("worktree that a checkout makes up", "made-up"),
    plainly("folder without a repository", "plain/app"),
    plainly("folder of a home that is a repository", "home/app"),
];

/// Folders for all [`STARTS`].
pub struct Starts {
    main: Project,
}

impl Starts {
    /// Makes the folders.
    ///
    /// # Errors
    ///
    /// If they cannot be made.
    pub fn new() -> Result<Self> {
        let main = Project::named("main")?;
        let write = |path: &str, text: &str| main.write(path, text);
        let shop = main.path().parent().context("a parent folder")?.join("shop");
        market(&shop)?;
        let settings = |folder: &str, name: &str| write(&format!("{folder}/.claude/settings.json"), &hooks(name));
        let local = |folder: &str, name: &str| write(&format!("{folder}/.claude/settings.local.json"), &hooks(name));
        let skill = |folder: &str, name: &str| plugin(&main.path().join(folder).join(".claude/skills/kit"), name);
        write(".gitignore", "settings.local.json\n/.claude/worktrees\n")?;
        write(".claude/settings.json", &hooks_and_plugin("root", &shop))?;
        skill(".", "root-skill")?;
        settings("own", "own")?;
        skill("own", "own-skill")?;
        for file in ["app/a.txt", "app/deep/a.txt", "../library/app/a.txt"] {
            write(file, "")?;
        }
        let git = |arguments: &str| main.git(&arguments.split(' ').collect::<Vec<_>>());
        let user = "-c user.name=user -c user.email=user@example.invalid";
        git("init --quiet ../library")?;
        git("-C ../library add .")?;
        git(&format!("-C ../library {user} commit --quiet --message start"))?;
        git("-c protocol.file.allow=always submodule --quiet add ../library module")?;
        git("add .")?;
        git("commit --quiet --message start")?;
        git("worktree add --quiet ../linked")?;
        git("worktree add --quiet .claude/worktrees/inside")?;
        git("clone --quiet --bare . ../bare/repository")?;
        git("-C ../bare/repository worktree add --quiet ../linked main")?;
        for repository in ["nested", "../home"] {
            git(&format!("init --quiet {repository}"))?;
        }
        write(".claude/settings.local.json", &hooks_and_plugin("root-local", &shop))?;
        local("own", "own-local")?;
        local("module", "module-local")?;
        local("nested", "nested-local")?;
        local("empty", "empty-local")?;
        local("../linked", "linked-local")?;
        local("../bare", "bare-local")?;
        local("../bare/linked", "bare-linked-local")?;
        local("../home", "home-local")?;
        settings("../plain", "plain")?;
        local("../plain", "plain-local")?;
        // A `.git` file of a worktree, in a folder that git knows nothing of.
        local("../copy", "copy-local")?;
        write("../copy/.git", &fs::read_to_string(main.path().join("../linked/.git"))?)?;
        // The files of a worktree, with a link back, as an archive can bring them.
        let made_up = main.path().parent().context("a parent folder")?.join("made-up");
        local("../made-up/inner", "made-up-local")?;
        write("../made-up/.git", "gitdir: inner/.git/worktrees/x\n")?;
        write("../made-up/inner/.git/HEAD", "ref: refs/heads/main\n")?;
        let link = "../made-up/inner/.git/worktrees/x";
        write(&format!("{link}/commondir"), "../..\n")?;
        write(&format!("{link}/gitdir"), &format!("{}/.git\n", made_up.display()))?;
        for folder in ["nested/app", "empty/.git", "empty/app", "../copy/app", "../plain/app", "../home/app"] {
            fs::create_dir_all(main.path().join(folder))?;
        }
        let starts = Self { main };
        std::os::unix::fs::symlink("main", starts.outer().join("link"))?;
        Ok(starts)
    }

    /// The folder that all others are in.
    pub fn outer(&self) -> &Path {
        self.main.path().parent().unwrap_or(self.main.path())
    }

    /// The user's home.
    pub fn home(&self) -> PathBuf {
        self.outer().join("home")
    }

    /// Makes a folder for the user's configuration, with hooks.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    pub fn user(&self, name: &str) -> Result<PathBuf> {
        let folder = self.outer().join("users").join(name);
        plugin(&folder.join("skills/kit"), "user-skill")?;
        let settings = hooks_and_plugin("user", &self.outer().join("shop"));
        fs::write(folder.join("settings.json"), settings)?;
        Ok(folder)
    }
}

/// Makes a marketplace with a plugin for each of these settings files.
fn market(shop: &Path) -> Result<()> {
    let names = ["root", "root-local", "user"].map(|name| format!("{name}-plugin"));
    for name in &names {
        plugin(&shop.join(name), name)?;
    }
    let offers = names.map(|name| json!({"name": name, "source": format!("./{name}")}));
    let market = json!({"name": "shop", "owner": {"name": "a team"}, "plugins": offers});
    let file = shop.join(".claude-plugin/marketplace.json");
    fs::create_dir_all(file.parent().context("it is in a folder")?)?;
    Ok(fs::write(file, market.to_string())?)
}

/// Returns settings with the hooks of [`hooks`], which enable a plugin of the marketplace with hooks of its own.
fn hooks_and_plugin(name: &str, shop: &Path) -> String {
    let mut settings = hooks_of(name);
    settings["extraKnownMarketplaces"] = json!({"shop": {"source": {"source": "directory", "path": shop}}});
    settings["enabledPlugins"] = json!({(format!("{name}-plugin@shop")): true});
    settings.to_string()
}

/// Returns settings with hooks that append their name and their `CLAUDE_PROJECT_DIR` to the file `$RAN`.
fn hooks(name: &str) -> String {
    hooks_of(name).to_string()
}

fn hooks_of(name: &str) -> Value {
    let command = format!("echo {name} \"$CLAUDE_PROJECT_DIR\" >> \"$RAN\"");
    let group = |matcher: &str| json!([{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]);
    json!({"hooks": {"SessionStart": group(""), "PreToolUse": group("Bash")}})
}

fn plugin(folder: &Path, name: &str) -> Result<()> {
    for (path, text) in
        [(".claude-plugin/plugin.json", json!({"name": name}).to_string()), ("hooks/hooks.json", hooks(name))]
    {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().context("it is in a folder")?)?;
        fs::write(path, text)?;
    }
    Ok(())
}

/// The id of a session that is resumed.
const ID: &str = "1f0e5c9a-64d5-4f0c-9d6a-3d1c5b7a9e21";

/// Returns the hooks of a session in the client, for each of the [`STARTS`].
///
/// # Errors
///
/// If a session fails.
pub fn started(client: &Path) -> Result<BTreeMap<String, Started>> {
    let (starts, observed) = (Starts::new()?, Mutex::new(BTreeMap::new()));
    parallel::each(2, STARTS, |start| {
        let started = play(client, &starts, start)?;
        observed.lock().expect("no session holds it").insert(start.name.to_owned(), started);
        Ok(())
    })?;
    Ok(observed.into_inner()?)
}

/// Runs a session, and returns the hooks that ran.
fn play(client: &Path, starts: &Starts, start: &Start) -> Result<Started> {
    let outer = starts.outer();
    let (user, ran) = (starts.user(start.name)?, outer.join("users").join(format!("{}.ran", start.name)));
    let session = |folder: &str, arguments: &[&str]| {
        let path = outer.to_str().unwrap_or_default();
        let arguments: Vec<String> = arguments.iter().map(|text| text.replace("OUTER", path)).collect();
        Session::new(client, &outer.join(folder))
            .within(outer)
            .trusting(&outer.join(if start.how == How::Untrusted { "home" } else { "main" }))
            .config_dir(&user)
            .env("HOME", starts.home())
            .env("RAN", &ran)
            .allow(&["Bash", "EnterWorktree"])
            .arguments(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    if start.how == How::Resuming {
        session("main", &["--session-id", ID]).go()?;
        fs::remove_file(&ran)?;
    }
    let session = match start.how {
        How::Plainly | How::Untrusted => session(start.folder, start.arguments),
        How::Resuming => session(start.folder, &["--resume", ID]),
        How::EnteringAWorktree => {
            session(start.folder, &[]).turn(Turn::call("EnterWorktree", json!({"name": "entered"})))
        }
        How::ChangingFolder => session(start.folder, &[]).turn(Turn::bash("cd own")),
    };
    let outcome = session.turn(Turn::bash("true")).go()?;
    ensure!(outcome.exit_code() == Some(0), "{}: {}", start.name, outcome.stderr());
    let ran = fs::read_to_string(&ran).with_context(|| format!("{}: no hook ran", start.name))?;
    let (mut hooks, mut folders) = (BTreeSet::new(), BTreeSet::new());
    for line in ran.lines() {
        let (name, folder) = line.split_once(' ').context("a name and a folder")?;
        hooks.insert(name.to_owned());
        folders.insert(Path::new(folder).strip_prefix(outer)?.display().to_string());
    }
    let mut folders = folders.into_iter();
    let project_dir = folders.next().context("a folder")?;
    ensure!(folders.next().is_none(), "{}: several folders: {ran}", start.name);
    Ok(Started { hooks, project_dir })
}
