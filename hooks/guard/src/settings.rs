//! Guards for the settings that a session started with.

mod binaries;
mod parts;

use hookkit::answer::Answer;
use hookkit::event::TakesContext;
use hookkit::project::of_session;
use hookkit::state::State;
use hookkit::{Payload, Response};

use self::binaries::Binaries;
use self::parts::{Parts, Writer};
use crate::modules::{self, Modules};
use crate::prelude::*;
use crate::settings_files::{LONGEST, is_markdown, shown};

/// Keeps a session from adopting a change of Claude Code's settings that weakens its guards.
///
/// Claude Code reads its settings again while it runs: without this hook, a command that removes a guard from
/// `settings.json` takes effect two seconds later. This hook needs `watch-settings`, which remembers the settings at
/// the start of the session and reports held changes; without that state, every change is held.
///
/// Changes that are held:
///
/// - hooks that are added, removed or changed, `disableAllHooks`, and commands that the client runs, such as `apiKeyHelper`;
/// - rules that are removed from `permissions.deny` and `permissions.ask` or added to `permissions.allow`, a new
///   `additionalDirectories` and another `defaultMode`;
/// - variables of `env`, plugins, and MCP servers that become allowed;
/// - a file that is deleted or cannot be read, with all its settings; and a new or changed link;
/// - a file, other than Markdown, of a plugin in a skill's folder that runs inside Claude Code: the loaded module keeps
///   running;
/// - every other setting, except `model`, `theme`, `outputStyle` and a few like them. If one of these has a value of
///   the wrong type, the client drops the whole file with its hooks, so such a change is held, too.
///
/// Changes that only tighten pass: a new rule in `deny` or `ask`, a rule removed from `allow`.
///
/// The files are the user's, the project's and the local settings, also those at the root of a repository or of its
/// main checkout. The file itself stays changed: the user adopts the change by starting the session again (`claude
/// --continue`), or puts the file back. While one change is held, all other changes in any file are held, too: the
/// client reads all files again for each change (2.1.330).
///
/// # What the client does
///
/// Observed in 2.1.330:
///
/// - The client reports a change one second after the last write, and a deletion, also of the folder, after two
///   seconds. If the file is a link, it reports changes of the target.
/// - A blocked change has no effect on hooks and rules, also after `/clear`, in a worktree and in another folder, until
///   the client reads its files again. The client does so for any change in these files that is not blocked.
/// - Neither the user nor the model reads anything about a blocked change, whatever the hook prints.
///
/// # What it cannot see
///
/// - Changes by the client itself: the rule of "don't ask again", the settings of its dialogs, and settings from a program that
///   runs it through the SDK. They raise no event, and the client then reads all files again: a held change in *another* file
///   takes effect. In the same file the client writes the settings that it had read, which undoes the change.
/// - A change made after this hook has read the file and before the client reads it. Also a rule added to `allow` in
///   one file less than a second before another file changes.
/// - A new rule that the user allowed in the meantime: the next change to that file by others is then held.
/// - Outside of Linux, `/resume` within a running client, and a command that runs `watch-settings` like the client: the
///   settings then count as the settings of the start.
/// - The organization's settings: hooks cannot block changes to them, and the client then reads all files.
/// - A new plugin: the next session, or `/reload-plugins`, loads it. Also every change while a module keeps this hook
///   from starting, unless the hook is in managed settings.
/// - Skills, agents, `.mcp.json`, `~/.claude.json`, files of plugins, and the programs of hooks, which `protect-files` guards.
///
/// # Errors
///
/// Fails if its state cannot be read or written. Then the change is held.
#[hook(
    ConfigChange,
    matcher = "user_settings|project_settings|local_settings|skills",
    timeout = 5,
    on_failure = block
)]
pub fn hold_settings(
    change: ConfigChange,
    context: Context,
    environment: Environment,
    states: States,
) -> Result<ConfigChangeAnswer, Error> {
    let changed = change.file_path.as_deref();
    let is_held = match change.source {
        event::ConfigSource::Skills => changed.is_none_or(|file| !is_markdown(file)),
        _ => {
            let client = Client::of(environment, &context);
            sessions(&states)?.update(|sessions| sessions.of(&client.name).hold(changed, &context))?
        }
    };
    Ok(if is_held { ConfigChangeAnswer::block() } else { ConfigChangeAnswer::pass() })
}

/// Remembers the settings that a session starts with, for `hold-settings`, and reports held changes to the user and to the
/// model.
///
/// The client says nothing about a change that a hook blocks. So this hook reports it once, after the next tool calls
/// or with the next prompt.
///
/// It also compares the programs of the session's hooks (hookkit's, in settings) after each batch of tool calls. If a
/// program is gone, cannot be run, or has changed since the start without a record of `install` or `off` on this
/// machine, the turn ends, and the user and the model read which program it is. The same happens if a plugin with a
/// module, which runs inside Claude Code, has appeared or changed: a plugin in `skills` of the project or of your
/// configuration folder, or an installed plugin.
///
/// It stores names of settings and rules, and digests of their values, with the states of hooks.
///
/// # What it cannot see
///
/// - The settings that the client itself has read: a change right before this hook runs counts as part of the start.
/// - A session in which a module keeps this hook from starting, and a module that is older than the session.
/// - A program that replaces a program of the same length and time, and the loss of this hook's own program.
///
/// # Errors
///
/// Fails if its state cannot be read or written. Then nothing is remembered, and `hold-settings` holds every change.
#[hook(SessionStart | UserPromptSubmit | PostToolBatch, timeout = 5, agents = "claude")]
pub fn watch_settings(
    event: AnyEvent,
    context: Context,
    environment: Environment,
    states: States,
) -> Result<Watched, Error> {
    let client = Client::of(environment, &context);
    let sessions = sessions(&states)?;
    if let Some(start) = event.get::<SessionStart>()? {
        use event::SessionSource::{Clear, Compact};
        // The client keeps the settings that it had read.
        let may_go_on = client.is_certain || matches!(start.source, Clear | Compact);
        if !(may_go_on && sessions.read()?.has(&client.name)) {
            let started = Started::now(client.name, &context, environment);
            sessions.update(|sessions| sessions.add(started))?;
        }
        return Ok(Watched::Says(ContextAnswer::pass()));
    }
    let modules = modules::of_session(&context.project_dir, environment);
    if !sessions.read()?.has_news(&client.name, &modules) {
        return Ok(Watched::Says(ContextAnswer::pass()));
    }
    let (news, lost) = sessions.update(|sessions| {
        let started = sessions.of(&client.name);
        let lost = started.lost(environment, modules);
        (lost.is_none().then(|| started.news()).flatten(), lost)
    })?;
    if let Some(lost) = lost {
        return Ok(match event.get::<PostToolBatch>()? {
            Some(_) => Watched::Stops(PostToolBatchAnswer::stop(lost.clone()).with_system_message(lost)),
            None => Watched::Says(ContextAnswer::pass().with_context(lost.clone()).with_system_message(lost)),
        });
    }
    Ok(Watched::Says(match news {
        None => ContextAnswer::pass(),
        Some(news) => ContextAnswer::pass()
            .with_context(format!("{news} Undo your change there, and ask the user to make it if you need it"))
            .with_system_message(format!(
                "{news} If the change is right, start the session again (`claude --continue`); if not, put the file \
                 back. Until then do not choose to always allow something: Claude Code would read the changed file, \
                 too"
            )),
    }))
}

/// Answers of [`watch_settings`].
#[derive(Debug)]
pub enum Watched {
    /// A message for the model and the user.
    Says(ContextAnswer),
    /// The end of the turn, after a batch of tool calls.
    Stops(PostToolBatchAnswer),
}

impl<E: TakesContext> Answer<E> for Watched {
    fn into_response(self, payload: &Payload<'_>) -> Result<Response, Error> {
        match self {
            Self::Says(answer) => Answer::<E>::into_response(answer, payload),
            Self::Stops(answer) => Answer::<PostToolBatch>::into_response(answer, payload),
        }
    }
}

/// A client, which can have several sessions: `/clear` starts another session.
struct Client {
    name: String,
    /// `true` if no other client ever has this name.
    is_certain: bool,
}

impl Client {
    fn of(environment: Environment, context: &Context) -> Self {
        let process = environment.variable("CLAUDE_PID").and_then(|id| id.into_string().ok());
        let time = process.as_deref().and_then(start_time);
        let name = process.unwrap_or_else(|| context.session_id.clone());
        match time {
            Some(time) => Self { name: format!("{name} {time}"), is_certain: true },
            None => Self { name, is_certain: false },
        }
    }
}

/// Returns the start time of a process, if Linux reports it.
fn start_time(process: &str) -> Option<String> {
    let process: u32 = process.parse().ok()?;
    let facts = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The program's name, in brackets, can hold anything; the time is the 20th field after it.
    let (_, facts) = facts.rsplit_once(')')?;
    facts.split_whitespace().nth(19).map(str::to_owned)
}

fn sessions(states: &States) -> Result<State<Sessions>, Error> {
    states.of_project("hookkit-guard hold-settings")
}

/// Maximum number of clients to remember; the oldest are forgotten first.
const MOST_CLIENTS: usize = 32;

/// Maximum size of the clients in bytes; a state has at most 1 MiB.
const MOST_BYTES: usize = 1 << 19;

/// The clients started in a project, the newest last.
#[derive(Default, Serialize, Deserialize)]
struct Sessions(Vec<Started>);

impl Sessions {
    fn has(&self, client: &str) -> bool {
        self.0.iter().any(|started| started.client == client)
    }

    /// Returns the data of a client. A new client has no files.
    fn of(&mut self, client: &str) -> &mut Started {
        let number = self.0.iter().position(|started| started.client == client).unwrap_or_else(|| {
            self.add(Started { client: client.to_owned(), ..Started::default() });
            self.0.len() - 1
        });
        &mut self.0[number]
    }

    fn add(&mut self, started: Started) {
        self.0.retain(|other| other.client != started.client);
        self.0.push(started);
        let mut left = MOST_BYTES;
        let fits = |started: &&Started| {
            left = left.saturating_sub(serde_json::to_string(started).unwrap_or_default().len());
            left > 0
        };
        self.0.drain(..self.0.len() - self.0.iter().rev().take(MOST_CLIENTS).take_while(fits).count());
    }

    fn has_news(&self, client: &str, modules: &Modules) -> bool {
        self.0.iter().filter(|started| started.client == client).any(|started| {
            let is_held = started.held.is_some() && !started.is_reported;
            is_held || binaries::have_changed(&started.binaries) || started.modules != *modules
        })
    }
}

/// A client, with its settings.
#[derive(Default, Serialize, Deserialize)]
struct Started {
    client: String,
    files: Vec<SettingsFile>,
    #[serde(default)]
    binaries: Binaries,
    /// The plugins that run inside the client.
    #[serde(default)]
    modules: Modules,
    /// The held changes.
    held: Option<String>,
    is_reported: bool,
}

/// A settings file as the client read it.
#[derive(Serialize, Deserialize)]
struct SettingsFile {
    path: PathBuf,
    /// The file that its links lead to.
    resolved: Option<PathBuf>,
    parts: Parts,
    is_held: bool,
}

impl Started {
    /// Reads the settings of a client that starts now.
    fn now(client: String, context: &Context, environment: Environment) -> Self {
        let files = of_session(&context.project_dir, environment).into_iter();
        let mut paths: Vec<PathBuf> = files.map(|(_, path)| path).collect();
        // The project can also be the home folder, or the main checkout.
        paths.sort_unstable();
        paths.dedup();
        let file = |path: PathBuf| SettingsFile {
            resolved: resolved(&path, context),
            parts: read(&path),
            path,
            is_held: false,
        };
        Self {
            client,
            files: paths.into_iter().map(file).collect(),
            binaries: binaries::of_session(&context.project_dir, environment),
            modules: modules::of_session(&context.project_dir, environment),
            ..Self::default()
        }
    }

    /// Returns `true` if a change of a file is held. The client would read the other files again, too.
    fn hold(&mut self, changed: Option<&Path>, context: &Context) -> bool {
        let mut found = Vec::new();
        let mut now = Vec::new();
        let mut is_known = false;
        for file in &mut self.files {
            let parts = read(&file.path);
            let is_changed = changed.is_some_and(|changed| is_same(changed, &file.path));
            is_known |= is_changed;
            // Without an event about a file, the client itself wrote it.
            let writer = if is_changed || file.is_held { Writer::Anyone } else { Writer::Client };
            // A link such as `/proc/self/cwd/x` leads to another file in the client than here.
            let weaker = if resolved(&file.path, context) == file.resolved {
                file.parts.weaker(&parts, writer)
            } else {
                Some("it leads to a different file now".to_owned())
            };
            file.is_held = weaker.is_some();
            found.extend(weaker.map(|weaker| format!("{}: {weaker}", shown(&file.path))));
            now.push(parts);
        }
        if !is_known {
            let path = changed.map_or_else(|| "a file without a name".to_owned(), shown);
            found.push(format!("{path}: its content at the start of the session is unknown"));
        }
        if found.is_empty() {
            for (file, parts) in self.files.iter_mut().zip(now) {
                file.parts = parts;
            }
            self.held = None;
            return false;
        }
        let found = Some(found.join("; "));
        if self.held != found {
            (self.held, self.is_reported) = (found, false);
        }
        true
    }

    /// Reports lost programs of hooks, and new or changed modules; each is reported only once.
    fn lost(&mut self, environment: Environment, modules: Modules) -> Option<String> {
        let lost: Vec<String> =
            binaries::lost(&mut self.binaries, environment).iter().map(|path| shown(path)).collect();
        let new = modules.iter().filter(|(folder, looks)| self.modules.get(*folder) != Some(looks));
        let new: Vec<String> = new.map(|(folder, _)| shown(Path::new(folder))).collect();
        self.modules = modules;
        let mut found = Vec::new();
        if !lost.is_empty() {
            found.push(format!(
                "Programs of this session's hooks are gone or changed, and no longer guard anything: {}. Find out \
                 which command did it, and install them again: cargo xtask install",
                lost.join(", ")
            ));
        }
        if !new.is_empty() {
            found.push(format!(
                "Plugins that run inside Claude Code are new or changed, and may switch off every hook of the next \
                 session: {}",
                new.join(", ")
            ));
        }
        (!found.is_empty()).then(|| found.join(". "))
    }

    /// Reports held changes, once.
    fn news(&mut self) -> Option<String> {
        let held = self.held.as_ref().filter(|_| !self.is_reported)?;
        self.is_reported = true;
        Some(format!(
            "A change to Claude Code's settings is held, since it may weaken the guards of this session: {held}. The \
             session keeps the settings that it had, and adopts no other change either."
        ))
    }
}

/// Reads a settings file. A missing file has no settings.
fn read(path: &Path) -> Parts {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    match bounded::text(path, LONGEST) {
        Ok(text) => Parts::of(&text),
        Err(err) if matches!(err.kind(), NotFound | NotADirectory) => Parts::default(),
        Err(_) => Parts::Unreadable,
    }
}

fn resolved(path: &Path, context: &Context) -> Option<PathBuf> {
    Some(context.path(path).ok()?.resolved)
}

/// Returns `true` if two paths name the same file, even a missing file: its folder may have several names.
fn is_same(one: &Path, other: &Path) -> bool {
    let folder = |path: &Path| fs::canonicalize(path.parent()?).ok();
    one == other || one.file_name() == other.file_name() && folder(one).is_some_and(|it| Some(it) == folder(other))
}
