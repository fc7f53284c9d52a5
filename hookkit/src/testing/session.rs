//! A session of the client, for tests: its folders, its variables and its transcript.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use hookkit_protocol::git_variables::ELSEWHERE;
use serde::Serialize;
use serde_json::Value;

use super::folder::Folder;
use super::programs::{self, Programs, Started};
use super::{TestEvent, Transcript, Verdict, config, run_recorded, with_variables};
use crate::{Context, HookDef};

/// A session of the client, with hooks that a test runs in it, one after the other.
///
/// It has a project and a home in a temporary folder, which is removed on drop. A hook finds only these: the session's
/// variables are its whole environment ([`Environment`](crate::Environment), [`EnvFile`](crate::EnvFile), states), and
/// programs that it starts with [`process::Command`](crate::process::Command) run in the project, with the test's
/// variables, overridden by the session's. This applies to the thread that calls [`run`](Self::run). `std::env` still
/// has the test's own variables.
///
/// ```
/// use hookkit::prelude::*;
/// use hookkit::Hook;
/// use hookkit::testing::Session;
///
/// /// Keeps a list of the changed files.
/// #[hook(PostToolUse)]
/// pub fn list_changes(call: PostToolUse<tool::Write>, context: Context) -> std::io::Result<()> {
///     let list = context.project_dir.join("changes.txt");
///     std::fs::write(list, call.input.file_path.display().to_string())
/// }
///
/// # fn main() {
/// use hookkit::testing::Recorded;
///
/// let session = Session::new();
/// let write = Recorded::of("PostToolUse Write").with("tool_input.file_path", session.path("a.rs"));
/// session.run(list_changes::DEF, &write).assert_passed();
/// assert_eq!(session.files(), ["changes.txt"]);
/// assert!(session.read("changes.txt").ends_with("a.rs"));
/// # }
/// ```
///
/// Paths are relative to the project; `~/` is the session's home.
/// The methods panic if a file or a program fails, like assertions.
#[derive(Debug)]
pub struct Session {
    folder: Folder,
    context: Context,
    variables: Vec<(String, OsString)>,
    config: HashMap<&'static str, &'static str>,
    started: Started,
}

/// Name of the variable that only some events have.
const ENV_FILE: &str = "CLAUDE_ENV_FILE";

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// Creates a session in an empty project.
    #[track_caller]
    pub fn new() -> Self {
        let folder = Folder::new().expect("a temporary folder can be created");
        let own = |name: &str| folder.path().join(name);
        for name in ["project", "home", "bin"] {
            fs::create_dir(own(name)).expect("a folder can be created");
        }
        let mut path = own("bin").into_os_string();
        if let Some(rest) = std::env::var_os("PATH") {
            path.push(if cfg!(windows) { ";" } else { ":" });
            path.push(rest);
        }
        let variables = [
            ("PATH", path),
            ("HOME", own("home").into()),
            ("USERPROFILE", own("home").into()),
            ("XDG_STATE_HOME", own("state").into()),
            (ENV_FILE, own("variables").into()),
            // The machine's settings.
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ];
        let context = Context {
            session_id: "00000000-0000-4000-8000-000000000001".to_owned(),
            transcript_path: own("home/.claude/projects/project/session.jsonl"),
            cwd: own("project"),
            project_dir: own("project"),
            ..Context::default()
        };
        Self {
            variables: variables.map(|(name, value)| (name.to_owned(), value)).into(),
            context,
            config: HashMap::new(),
            started: Started::default(),
            folder,
        }
    }

    /// Returns the fields that every event of the session has, to call a hook's function.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Returns the fields that every event of the session has, to change them: the current folder after a `cd` (`cwd`),
    /// or the permission mode.
    pub fn context_mut(&mut self) -> &mut Context {
        &mut self.context
    }

    /// Moves the start of the session to another folder, which becomes the project's root: a part of the project, or
    /// another project. Creates the folder.
    #[track_caller]
    pub fn start_in(&mut self, folder: impl AsRef<Path>) -> &mut Self {
        let folder = self.path(folder);
        fs::create_dir_all(&folder).unwrap_or_else(|err| panic!("cannot create {}: {err}", folder.display()));
        self.context.project_dir.clone_from(&folder);
        self.context.cwd = folder;
        self
    }

    /// Sets an environment variable. An empty value counts as not set.
    pub fn set(&mut self, name: &str, value: impl Into<OsString>) -> &mut Self {
        self.variables.retain(|(set, _)| set != name);
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// Sets the values of a hook's [`Config`](crate::Config), as if a workspace configured them.
    #[track_caller]
    pub fn configure(&mut self, hook: &HookDef, values: &impl Serialize) -> &mut Self {
        self.config.insert(hook.declared.path, config::leaked(values));
        self
    }

    /// Runs a hook on an event, without a process, as [`testing::run`](super::run) does.
    ///
    /// The event is one of the types of [`event`](crate::event), or a [`Recorded`](super::Recorded) one.
    #[track_caller]
    pub fn run(&self, hook: &HookDef, event: &impl TestEvent) -> Verdict {
        let home = self.path("~");
        let payload = Value::Object(event.payload(&self.context, Some(&home))).to_string();
        let project = [("CLAUDE_PROJECT_DIR", self.context.project_dir.as_os_str())];
        let own = self.variables.iter().map(|(name, value)| (&**name, &**value));
        let variables: Vec<_> = project.into_iter().chain(own).collect();
        let programs = Programs::new(&variables, &self.context.cwd, &self.started);
        let values = self.config.get(hook.declared.path).copied();
        with_variables(variables, || {
            programs::with(programs, || {
                config::with(values.or_else(config::current), || run_recorded(hook, payload.as_bytes()))
            })
        })
    }

    /// Returns the absolute path of a file of the session: `src/a.rs` is in the project, `../other` is next to it, and
    /// `~/.bashrc` is in its home.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        let (folder, below) = match path.strip_prefix("~") {
            Ok(below) => ("home", below),
            Err(_) => ("project", path),
        };
        let mut path = self.folder.path().join(folder);
        let mut names = below.components().peekable();
        while names.next_if_eq(&Component::ParentDir).is_some() {
            path.pop();
        }
        path.extend(names);
        path
    }

    /// Writes a file and creates its folders if necessary. Returns its path.
    #[track_caller]
    pub fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(path);
        let folder = path.parent().expect("a file is in a folder");
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, text));
        written.unwrap_or_else(|err| panic!("cannot write {}: {err}", path.display()));
        path
    }

    /// Returns the text of a file.
    #[track_caller]
    pub fn read(&self, path: impl AsRef<Path>) -> String {
        let path = self.path(path);
        fs::read_to_string(&path).unwrap_or_else(|err| panic!("cannot read {}: {err}", path.display()))
    }

    /// Returns the sorted paths of the project's files, relative to its root. Files in `.git` are left out.
    #[track_caller]
    pub fn files(&self) -> Vec<String> {
        let project = self.path("");
        let mut files = Vec::new();
        list(&project, &project, &mut files);
        files.sort_unstable();
        files
    }

    /// Returns the transcript, to write to it. Its file exists after the first row.
    pub fn transcript(&self) -> Transcript {
        Transcript {
            path: self.context.transcript_path.clone(),
            cwd: self.context.cwd.clone(),
            session_id: self.context.session_id.clone(),
        }
    }

    /// Returns the states that hooks keep, to read or change them.
    #[cfg(any(feature = "state", test))]
    pub fn states(&self) -> crate::state::States {
        let variable = |name: &str| {
            let (_, value) = self.variables.iter().find(|(set, _)| set == name)?;
            Some(value.clone())
        };
        let folder = crate::state::root(variable).expect("`XDG_STATE_HOME` is set");
        crate::state::States::new(folder, &self.context)
    }

    /// Returns the lines that hooks have added to the file for variables ([`EnvFile`](crate::EnvFile)).
    pub fn env_file(&self) -> String {
        fs::read_to_string(self.folder.path().join("variables")).unwrap_or_default()
    }

    /// Returns the programs that hooks have started with [`process::Command`](crate::process::Command), in order, each
    /// with its arguments.
    pub fn started(&self) -> Vec<Vec<String>> {
        self.started.list()
    }

    /// Replaces a program with a shell script, which hooks find first in `PATH`. With an absolute path, the script is
    /// written there instead.
    #[cfg(unix)]
    #[track_caller]
    pub fn program(&self, name: impl AsRef<Path>, script: &str) -> PathBuf {
        let path = self.bin().join(name);
        let folder = path.parent().expect("a program is in a folder");
        fs::create_dir_all(folder).unwrap_or_else(|err| panic!("cannot create {}: {err}", folder.display()));
        // A child process writes it: a program that another thread starts could inherit the file open for writing, and
        // then it could not be run.
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", r#"printf '#!/bin/sh\n%s\n' "$2" > "$1" && chmod +x "$1""#, "sh"]);
        shell.arg(&path).arg(script);
        succeeded(&mut shell);
        path
    }

    /// Returns the folder of the session's own programs. If it is the whole `PATH`, hooks find no other programs.
    pub fn bin(&self) -> PathBuf {
        self.folder.path().join("bin")
    }

    /// Makes the project a git repository with the branch `main`. It has no commits.
    #[track_caller]
    pub fn repository(&self) -> &Self {
        self.git(["init", "--quiet", "--initial-branch=main"]);
        self
    }

    /// Commits all changes in the project, even if there are none.
    #[track_caller]
    pub fn commit(&self, message: &str) -> &Self {
        self.git(["add", "--all"]);
        self.git(["commit", "--quiet", "--allow-empty", "--message", message]);
        self
    }

    /// Runs git in the project, with no settings but the repository's own. Returns its output.
    #[track_caller]
    pub fn git(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> String {
        let mut git = Command::new("git");
        for name in ELSEWHERE {
            git.env_remove(name);
        }
        git.args(["-c", "user.name=user", "-c", "user.email=user@example.invalid"])
            .args(arguments)
            .current_dir(self.path(""))
            .env("HOME", self.path("~"))
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("GIT_CONFIG_GLOBAL")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        succeeded(&mut git)
    }
}

/// Runs a program and returns its output.
#[track_caller]
fn succeeded(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|err| panic!("{command:?} could not be run: {err}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed: {stderr}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Lists the files below a folder by their paths in the project, separated by `/`.
#[track_caller]
fn list(folder: &Path, project: &Path, files: &mut Vec<String>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|err| panic!("cannot read {}: {err}", folder.display()));
    for entry in entries {
        let entry = entry.expect("a folder can be read");
        // A link is not followed.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let path = entry.path();
        match path.strip_prefix(project) {
            Ok(name) if name == Path::new(".git") => {}
            _ if is_folder => list(&path, project, files),
            Ok(name) => {
                let names = name.iter().map(OsStr::to_string_lossy);
                files.push(names.collect::<Vec<_>>().join("/"));
            }
            Err(_) => unreachable!("it is below the project"),
        }
    }
}
