//! `cargo xtask doctor --client`: what the client that is installed here makes of the settings.
//!
//! The client itself is asked, headless, in a world of its own ([`session`]): it gets copies of the settings, and talks
//! to a scripted [`model`].
//! In the copies each handler's work is replaced by a recorder ([`instrumented`](crate::settings::instrumented)), so that no hook is run, and all
//! else is as it was: what the client lists, fires and drops of them is what it makes of the files.
//!
//! Hooks of our own, on each event and given beside the settings, tell what there was an occasion for.

#![expect(clippy::disallowed_methods, reason = "the folder is a temporary one")]

mod call;
mod model;
mod session;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf, absolute};
use std::time::{Duration, Instant};
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use hookkit_protocol::event::{self, EVENTS};
use model::{Model, marked};
use serde::Serialize;
use serde_json::{Value, json};
use session::World;

use crate::diagnose::client::call::{Call, MARK};
use crate::disk::bounded;
use crate::rows::{Format, row};
use crate::settings::document::Document;
use crate::settings::instrumented::{Heard, Stand, instrumented};
use crate::settings::scope;
use crate::terminal::{Done, listed, one_line};

/// How long the client may run.
const LIMIT: Duration = Duration::from_secs(60);

/// Asks the client about a project, and tells what it says.
pub(crate) fn run(project: &Path, client_binary: Option<&Path>, format: &Format) -> Result<Done> {
    let client = find(client_binary)?.context("there is no `claude` in PATH; name it: --client-binary FILE")?;
    let answer = ask(&Question::new(&client, project))?;
    format.print(answer.table().trim_end(), &[row("client", &answer)?])?;
    Ok(match answer.is_clean() {
        true => Done::Clean,
        false => Done::WithFindings,
    })
}

/// The client that is named, or the one in PATH.
pub(crate) fn find(named: Option<&Path>) -> Result<Option<PathBuf>> {
    match named {
        Some(file) => Ok(Some(absolute(file)?)),
        None => Ok(env::var_os("PATH").and_then(|path| in_path("claude", &path))),
    }
}

/// Finds a program in the absolute folders of a search path: an empty or a relative one would be that of a checkout.
fn in_path(name: &str, path: &OsStr) -> Option<PathBuf> {
    let folders = env::split_paths(path).filter(|folder| folder.is_absolute());
    let is_program = |file: &fs::Metadata| file.is_file() && file.permissions().mode() & 0o111 != 0;
    let mut files = folders.map(|folder| folder.join(name));
    files.find(|file| fs::metadata(file).is_ok_and(|file| is_program(&file)))
}

/// What is to be asked.
pub(crate) struct Question {
    pub(crate) client: PathBuf,
    /// The project's root. It is not written, and no session is in it.
    pub(crate) project: PathBuf,
    /// The tool calls of the session, in order. They are made for real, in a folder that is thrown away afterwards.
    ///
    /// `$PROJECT` in a text of an input stands for that folder.
    pub(crate) calls: Vec<Call>,
    /// How long it may take altogether; the client is ended then.
    pub(crate) limit: Duration,
}

impl Question {
    /// Asks about a session with a call of Bash, Write, Edit and Read each.
    pub(crate) fn new(client: &Path, project: &Path) -> Self {
        let file = "$PROJECT/hookkit.txt";
        Self {
            client: client.to_owned(),
            project: project.to_owned(),
            calls: vec![
                Call::new("Bash", json!({"command": "true", "description": "Does nothing"})),
                Call::new("Write", json!({"file_path": file, "content": "one\n"})),
                Call::new(
                    "Edit",
                    json!({"file_path": file, "old_string": "one", "new_string": "two"}),
                ),
                Call::new("Read", json!({"file_path": file})),
            ],
            limit: LIMIT,
        }
    }
}

/// What the client made of the settings.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    /// The client's version, as it says it.
    pub(crate) version: String,
    pub(crate) milliseconds: u128,
    /// Whether the client has all hooks turned off.
    pub(crate) all_disabled: bool,
    pub(crate) files: Vec<File>,
    pub(crate) handlers: Vec<Handler>,
    /// What there was an occasion for: each event, with what a matcher would have been compared with.
    pub(crate) happened: BTreeMap<String, BTreeSet<String>>,
}

/// A settings file.
#[derive(Debug, Serialize)]
pub(crate) struct File {
    pub(crate) path: PathBuf,
    /// Whether the client read it; `None` where it does not say.
    pub(crate) read: Option<bool>,
    /// Why it was not given to the client, in our words: nobody could tell what is a command in it.
    pub(crate) withheld: Option<String>,
    /// What the client skipped of it, in its own words.
    pub(crate) said: Vec<String>,
}

/// A handler that stands in a file.
#[derive(Debug, Serialize)]
pub(crate) struct Handler {
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) event: String,
    pub(crate) matcher: Option<String>,
    #[serde(rename = "if")]
    pub(crate) condition: Option<String>,
    /// Its `type`.
    pub(crate) r#type: Option<String>,
    /// Its command, URL, prompt or server.
    pub(crate) target: Option<String>,
    /// Whether it is in the client's own list; `None` where the client has no such list to give.
    pub(crate) registered: Option<bool>,
    /// How often it was started.
    pub(crate) fired: usize,
    /// On what: tools, sources and the like.
    pub(crate) on: BTreeSet<String>,
    /// Why it was not, as far as the client says.
    pub(crate) why: Option<String>,
}

/// Asks the client, in one session.
///
/// # Errors
///
/// Where there are no settings, where the client cannot be run without harm, and where its session came to nothing.
fn ask(question: &Question) -> Result<Answer> {
    let started = Instant::now();
    let sources = sources(&question.project)?;
    let world = World::new()?;
    let project = world.project();
    let calls: Vec<Call> = question.calls.iter().map(|call| call.within(&project)).collect();
    let tools: BTreeSet<String> = calls.iter().map(|call| call.tool.clone()).collect();
    let model = Model::start(calls)?;
    let url = model.url();
    let version = version(&world, question, &url)?;

    let (mut files, mut heard): (Vec<Copied>, Vec<(PathBuf, Heard)>) = (Vec::new(), Vec::new());
    let stand = Stand {
        shell: &|number| world.shell_recorder(number),
        program: &|number| world.recorder(number).display().to_string(),
        url: &|number| format!("{url}/{MARK}{number:04}"),
        name: &|number| format!("{MARK}{number:04}"),
        key_command: &World::key_command(),
    };
    for source in sources {
        let copy = source.kind.copy_in(&world);
        match Document::parse(&source.text) {
            Ok(document) => {
                let muted = instrumented(&document, heard.len(), &stand);
                world.write(&copy, &muted.text)?;
                heard.extend(muted.handlers.into_iter().map(|handler| (source.path.clone(), handler)));
                files.push(Copied::new(source, copy, muted.has_keys, None));
            }
            Err(refusal) => files.push(Copied::new(source, copy, true, Some(refusal.to_string()))),
        }
    }
    ensure!(
        heard.len() <= bounded::HOOKS,
        "these settings have {} hooks, and the client is asked about {} at most; ask `cargo xtask doctor` without --client",
        heard.len(),
        bounded::HOOKS
    );
    let controls = heard.len()..heard.len() + EVENTS.len();
    for number in 0..controls.end {
        world.record(number)?;
    }
    world.try_recorder(controls.start)?;

    let said = [
        json!({"type": "control_request", "request_id": SETTINGS, "request": {"subtype": "get_settings"}}),
        json!({"type": "control_request", "request_id": LIST, "request": {"subtype": "get_hooks_listing"}}),
        json!({"type": "user", "message": {"role": "user", "content": "go"}}),
    ];
    let said: String = said.iter().map(|line| format!("{line}\n")).collect();
    let arguments = arguments(&world, &tools, controls.start);
    let left = question.limit.saturating_sub(started.elapsed());
    let ended = world.run(&question.client, &arguments, &url, &said, left)?;
    let lines: Vec<Value> = ended
        .stdout
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let is_over = lines.iter().any(|line| line["type"] == "result");
    let name = question.client.display();
    match ended.status {
        None => bail!("{name} ran past {} s and was ended", question.limit.as_secs()),
        Some(status) if !is_over => bail!(
            "the session of {name} came to nothing ({status}): {}",
            ended.stderr.trim()
        ),
        Some(_) => {}
    }

    let seen = Seen::new(&world, &model, &lines, controls.start)?;
    let log = fs::read_to_string(world.debug_log()).unwrap_or_default();
    let files: Vec<File> = files.into_iter().map(|file| file.judged(&seen, &log)).collect();
    let handlers = heard.into_iter().map(|(file, handler)| {
        let of = files.iter().find(|known| known.path == file);
        seen.handler(&file, handler, of)
    });
    Ok(Answer {
        version,
        handlers: handlers.collect(),
        all_disabled: seen.all_disabled,
        happened: seen.happened,
        files,
        milliseconds: started.elapsed().as_millis(),
    })
}

const SETTINGS: &str = "hookkit-settings";
const LIST: &str = "hookkit-list";

fn version(world: &World, question: &Question, url: &str) -> Result<String> {
    let ended = world.run(&question.client, &["--version".into()], url, "", question.limit)?;
    let name = question.client.display();
    ensure!(
        ended.status.is_some_and(|status| status.success()),
        "{name} does not tell its version: {}\nIf it is a script that needs your home, name the program that it \
         starts: --client-binary FILE",
        ended.stderr.trim()
    );
    Ok(ended.stdout.trim().to_owned())
}

fn arguments(world: &World, tools: &BTreeSet<String>, first_control: usize) -> Vec<OsString> {
    // On its event such a hook would have to do the client's work.
    let watched = EVENTS
        .iter()
        .enumerate()
        .filter(|(_, event)| event.name != "WorktreeCreate");
    let hooks = watched.map(|(position, event)| {
        let command = world.shell_recorder(first_control + position);
        (
            event.name.to_owned(),
            json!([{"hooks": [{"type": "command", "command": command}]}]),
        )
    });
    let hooks: serde_json::Map<String, Value> = hooks.collect();
    let beside = json!({"permissions": {"allow": tools}, "hooks": hooks});
    let mut arguments: Vec<OsString> = [
        "--output-format",
        "stream-json",
        "--input-format",
        "stream-json",
        "--verbose",
    ]
    .map(OsString::from)
    .into();
    arguments.extend(["--debug-file".into(), world.debug_log().into()]);
    arguments.extend(["--settings".into(), beside.to_string().into()]);
    arguments.extend(["--permission-mode", "default", "-p"].map(OsString::from));
    arguments
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    User,
    Project,
    Local,
}

impl Kind {
    fn copy_in(self, world: &World) -> PathBuf {
        match self {
            Self::User => world.config().join("settings.json"),
            Self::Project => world.project().join(scope::PROJECT),
            Self::Local => world.project().join(scope::LOCAL),
        }
    }

    /// What the client calls it.
    fn name(self) -> &'static str {
        match self {
            Self::User => "userSettings",
            Self::Project => "projectSettings",
            Self::Local => "localSettings",
        }
    }
}

/// A settings file of the user's.
struct Source {
    kind: Kind,
    path: PathBuf,
    text: String,
}

/// The files that a session in the project reads.
fn sources(project: &Path) -> Result<Vec<Source>> {
    let files = [
        (Kind::User, scope::of_user()),
        (Kind::Project, Some(project.join(scope::PROJECT))),
        (Kind::Local, Some(project.join(scope::LOCAL))),
    ];
    let mut sources: Vec<Source> = Vec::new();
    for (kind, path) in files {
        let Some(path) = path.filter(|path| path.is_file()) else {
            continue;
        };
        // A home can be a project, too.
        let same = |known: &Source| known.path.canonicalize().ok() == path.canonicalize().ok();
        if sources.iter().any(same) {
            continue;
        }
        let bytes = bounded::read(&path)?;
        let text = String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8", path.display()))?;
        sources.push(Source { kind, path, text });
    }
    ensure!(
        !sources.is_empty(),
        "there are no settings to ask about: neither yours nor any in {}",
        project.join(".claude").display()
    );
    Ok(sources)
}

/// A settings file, and where its copy is.
struct Copied {
    source: Source,
    copy: PathBuf,
    has_keys: bool,
    withheld: Option<String>,
}

impl Copied {
    fn new(source: Source, copy: PathBuf, has_keys: bool, withheld: Option<String>) -> Self {
        Self {
            source,
            copy,
            has_keys,
            withheld,
        }
    }

    fn judged(self, seen: &Seen, log: &str) -> File {
        let ours = format!("{}: ", self.copy.display());
        // Of the file as a whole the client says it without a place.
        let skipped = log.lines().filter(|line| line.contains("Invalid setting skipped"));
        let mut said: Vec<String> = Vec::new();
        for line in skipped {
            let words = line
                .split_once(&ours)
                .map(|(_, words)| words.trim_start_matches(": ").to_owned());
            said.extend(words.filter(|words| !said.contains(words)));
        }
        let read = match (&self.withheld, &seen.sources) {
            (Some(_), _) => Some(false),
            (None, None) => None,
            // The client has nothing to say of a file without a key.
            (None, Some(sources)) => Some(!self.has_keys || sources.contains(self.source.kind.name())),
        };
        File {
            path: self.source.path,
            read,
            withheld: self.withheld,
            said,
        }
    }
}

/// What the session showed.
struct Seen {
    /// The settings that the client has read; `None` where it does not say.
    sources: Option<BTreeSet<String>>,
    /// The handlers in its list; `None` where it has none to give.
    registered: Option<BTreeSet<usize>>,
    all_disabled: bool,
    /// How often each handler was heard, and on what.
    fired: BTreeMap<usize, (usize, BTreeSet<String>)>,
    happened: BTreeMap<String, BTreeSet<String>>,
}

impl Seen {
    fn new(world: &World, model: &Model, lines: &[Value], first_control: usize) -> Result<Self> {
        let response = |id: &str| {
            let answers = lines.iter().filter(|line| line["type"] == "control_response");
            let mut answers = answers.map(|line| &line["response"]);
            let answer = answers.find(|answer| answer["request_id"] == id && answer["subtype"] == "success");
            answer.map(|answer| &answer["response"])
        };
        let names = |list: &Value| -> Option<BTreeSet<String>> {
            let names = list.as_array()?.iter().filter_map(|source| source["source"].as_str());
            Some(names.map(str::to_owned).collect())
        };
        let listing = response(LIST);
        let registered = listing.and_then(|listing| listing["hooks"].as_array());
        let registered = registered.map(|hooks| hooks.iter().filter_map(|hook| marked(&hook.to_string())).collect());
        let mut fired: BTreeMap<usize, (usize, BTreeSet<String>)> = BTreeMap::new();
        let mut happened: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (number, payload) in world.heard()? {
            let control = number
                .checked_sub(first_control)
                .and_then(|position| EVENTS.get(position));
            let event = control
                .map(|event| event.name)
                .or_else(|| payload["hook_event_name"].as_str());
            let field = event
                .and_then(event::event)
                .and_then(|event| event.matcher_target.field());
            let subject = field.and_then(|field| payload[field].as_str()).map(str::to_owned);
            if let Some(control) = control {
                happened.entry(control.name.to_owned()).or_default().extend(subject);
            } else {
                let (count, on) = fired.entry(number).or_default();
                *count += 1;
                on.extend(subject);
            }
        }
        for (number, count) in model.heard() {
            fired.entry(number).or_default().0 += count;
        }
        Ok(Self {
            sources: response(SETTINGS).and_then(|settings| names(&settings["sources"])),
            registered,
            all_disabled: listing.is_some_and(|listing| listing["policy"]["allDisabled"] == true),
            fired,
            happened,
        })
    }

    fn handler(&self, path: &Path, handler: Heard, file: Option<&File>) -> Handler {
        let (fired, on) = self.fired.get(&handler.number).cloned().unwrap_or_default();
        let listed = self.registered.as_ref().map(|known| known.contains(&handler.number));
        // It may be newer than the list.
        let registered = if fired > 0 { Some(true) } else { listed };
        let why = (fired == 0).then(|| self.why(&handler, registered, file));
        Handler {
            file: path.to_owned(),
            line: handler.place.line,
            column: handler.place.column,
            event: handler.event,
            matcher: handler.matcher,
            condition: handler.condition,
            r#type: handler.kind,
            target: handler.target,
            registered,
            fired,
            on,
            why,
        }
    }

    fn why(&self, handler: &Heard, registered: Option<bool>, file: Option<&File>) -> String {
        if let Some(file) = file.filter(|file| file.read == Some(false)) {
            let reason = file.withheld.as_ref().or(file.said.first());
            let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
            return format!("its file is not read{reason}");
        }
        let said = file.into_iter().flat_map(|file| &file.said);
        let mut about = said.filter(|words| is_about(words, &handler.path));
        if let Some(words) = about.next() {
            return words.clone();
        }
        if self.all_disabled {
            return "all hooks are turned off, by `disableAllHooks`".to_owned();
        }
        if registered == Some(false) {
            return "the client does not list it, and does not say why".to_owned();
        }
        if handler.kind.as_deref() == Some("mcp_tool") {
            return "whether it fires cannot be seen: no MCP server is started here".to_owned();
        }
        let Some(subjects) = self.happened.get(&handler.event) else {
            return format!("the session had no {}", handler.event);
        };
        // The client compares such a matcher with nothing.
        let ignores_matcher =
            event::event(&handler.event).is_some_and(|event| event.matcher_target == event::MatcherTarget::Ignored);
        let matcher = handler.matcher.as_ref().filter(|_| !ignores_matcher);
        let what = match (matcher, &handler.condition) {
            (Some(_), None) => "its matcher lets none of them through",
            (None, Some(_)) => "its `if` lets none of them through",
            (Some(_), Some(_)) => "its matcher and its `if` let none of them through",
            (None, None) if handler.is_async => "nobody waits for it, and the session may have been over before",
            (None, None) => "it was not heard all the same, and the client does not say why",
        };
        let on = match subjects.is_empty() {
            true => String::new(),
            false => format!(" on {}", listed_plainly(subjects)),
        };
        format!("the session had {}{on}: {what}", handler.event)
    }
}

/// Whether words of the client's are about what a handler's path names, or what that is in.
fn is_about(words: &str, path: &str) -> bool {
    let Some((place, _)) = words.split_once(": ") else {
        return false;
    };
    let is_within = |inner: &str, outer: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    place.starts_with("hooks") && (is_within(path, place) || is_within(place, path))
}

/// Words of the client's without the list of all events that it adds.
fn short(words: &str) -> &str {
    words.split_once(" Valid events: ").map_or(words, |(words, _)| words)
}

fn listed_plainly(names: &BTreeSet<String>) -> String {
    names.iter().cloned().collect::<Vec<_>>().join(", ")
}

impl Answer {
    /// Whether the client takes all that is in the files.
    pub(crate) fn is_clean(&self) -> bool {
        let is_read = |file: &File| file.read != Some(false) && file.said.is_empty();
        self.files.iter().all(is_read) && self.handlers.iter().all(|handler| handler.registered != Some(false))
    }

    fn table(&self) -> String {
        let mut text = format!(
            "Claude Code {}, asked in a session of its own; no hook was run\n",
            self.version
        );
        for file in &self.files {
            let read = match file.read {
                Some(true) => "read",
                Some(false) => "not read",
                None => "the client does not say whether it is read",
            };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\n{}: {read}", one_line(&file.path.display().to_string()));
            if let Some(reason) = &file.withheld {
                let _ = writeln!(text, "  {} (so the client was not given it)", one_line(reason));
            }
            for words in &file.said {
                let _ = writeln!(text, "  the client: {}", one_line(short(words)));
            }
            for handler in self.handlers.iter().filter(|handler| handler.file == file.path) {
                handler.write(&mut text);
            }
        }
        let happened = self.happened.iter().map(|(event, on)| match on.is_empty() {
            true => event.clone(),
            false => format!("{event} ({})", listed_plainly(on)),
        });
        let happened = happened.collect::<Vec<_>>().join(", ");
        if !happened.is_empty() {
            let _ = writeln!(text, "\nThe session had {}.", one_line(&happened));
        }
        text
    }
}

impl Handler {
    fn write(&self, text: &mut String) {
        let matcher = self.matcher.as_ref().map(|matcher| format!(" {}", listed([matcher])));
        let condition = self.condition.as_ref().map(|rule| format!(", if {}", listed([rule])));
        let state = match (self.fired, self.registered) {
            (0, Some(true)) => "registered, not fired".to_owned(),
            (0, Some(false)) => "not registered".to_owned(),
            (0, None) => "not fired".to_owned(),
            (1, _) => "fired once".to_owned(),
            (count, _) => format!("fired {count} times"),
        };
        let on = match self.on.is_empty() {
            true => String::new(),
            false => format!(" on {}", listed_plainly(&self.on)),
        };
        let line = format!(
            "{}:{}  {}{}{}: {state}{on}",
            self.file.display(),
            self.line,
            self.event,
            matcher.unwrap_or_default(),
            condition.unwrap_or_default(),
        );
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {}", one_line(&line));
        if let Some(target) = &self.target {
            let target = target.lines().next().unwrap_or_default();
            let _ = writeln!(text, "    {}", one_line(target));
        }
        if let Some(why) = &self.why {
            let _ = writeln!(text, "    {}", one_line(short(why)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_about_what_they_name_and_what_is_in_it() {
        let path = "hooks.PreToolUse.1.hooks.0";
        for (words, expected) in [
            ("hooks.PreToolUse.1.hooks.0: Invalid", true),
            ("hooks.PreToolUse.1.hooks.0.command: Expected", true),
            ("hooks.PreToolUse.1: Expected", true),
            ("hooks.PreToolUse: Expected", true),
            ("hooks.PreToolUse.1.hooks.01: Invalid", false),
            ("hooks.PreToolUse.10: Invalid", false),
            ("permissions.allow: Invalid", false),
            ("Invalid", false),
        ] {
            assert_eq!(is_about(words, path), expected, "{words}");
        }
    }

    #[test]
    fn no_client_is_found_by_a_relative_folder() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let program = folder.path().join("claude");
        fs::write(&program, "")?;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
        let relative = "../".repeat(env::current_dir()?.components().count()) + &folder.path().display().to_string();
        assert!(Path::new(&relative).join("claude").is_file());
        assert_eq!(in_path("claude", OsStr::new(&relative)), None);
        assert_eq!(in_path("claude", folder.path().as_os_str()), Some(program));
        Ok(())
    }

    #[test]
    fn words_of_files_and_of_the_client_make_no_lines_of_their_own() {
        let forged = || "a\nhookkit: hook `other` failed\r\u{1b}[2J\u{202e}".to_owned();
        let path = PathBuf::from(forged());
        let answer = Answer {
            version: "2.1.330".to_owned(),
            milliseconds: 0,
            all_disabled: false,
            files: vec![File {
                path: path.clone(),
                read: Some(false),
                withheld: Some(forged()),
                said: vec![forged()],
            }],
            handlers: vec![Handler {
                file: path,
                line: 1,
                column: 1,
                event: forged(),
                matcher: Some(forged()),
                condition: Some(forged()),
                r#type: Some(forged()),
                target: Some(forged()),
                registered: Some(false),
                fired: 0,
                on: [forged()].into(),
                why: Some(forged()),
            }],
            happened: [(forged(), [forged()].into())].into(),
        };
        let table = answer.table();
        assert!(
            table.contains("a hookkit: hook `other` failed \\u001b[2J\\u202e"),
            "{table}"
        );
        assert!(!table.lines().any(|line| line.starts_with("hookkit")), "{table}");
    }

    #[test]
    fn a_call_is_in_the_folder_of_the_session() {
        let call = Call::new(
            "Edit",
            json!({"file_path": "$PROJECT/a", "edits": [{"x": "$PROJECT"}], "n": 1}),
        );
        let input = call.within(Path::new("/p")).input;
        assert_eq!(input, json!({"file_path": "/p/a", "edits": [{"x": "/p"}], "n": 1}));
    }
}
