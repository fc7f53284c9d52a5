//! Reads files with hooks, as Claude Code does.

use std::io;
use std::path::{Path, PathBuf};

use hookkit_protocol::agents::Form;
use hookkit_protocol::mods;
use serde_json::Value;

use crate::disk::bounded;
use crate::settings::document::Document;
use crate::settings::finding::{Finding, Ignored, Refusal};
use crate::settings::folders::Scope;
use crate::settings::part::Part;
use crate::settings::position::Position;
use crate::settings::reading::{self, Key, ReadHandler, Reading};
use crate::settings::value::Member;
use crate::terminal::{joined, quoted};

/// A file that has or may have hooks.
pub(crate) struct HookFile {
    pub(crate) scope: Scope,
    pub(crate) path: PathBuf,
    pub(crate) state: State,
    /// All hooks in the file, in its order, including those that the client does not read.
    pub(crate) handlers: Vec<Handler>,
    /// Parts of the file that the client does not read. A setting that turns hooks off is a
    /// [`Switch`](crate::diagnose::active::switches::Switch) instead.
    pub(crate) findings: Vec<Finding>,
    /// Number of hooks that are not in `handlers` because the file has too many.
    left_out: usize,
    /// Text of the file. Invalid UTF-8 is replaced.
    pub(crate) text: String,
    /// The parsed text of a settings file.
    pub(crate) document: Option<Document>,
    /// Error of the parser.
    pub(crate) refusal: Option<Refusal>,
    /// `true` if the file is a plugin's hooks file.
    is_of_hooks: bool,
    /// Keys next to `hooks`.
    keys: Vec<Key>,
}

/// A hook in a file.
pub(crate) type Handler = ReadHandler;

/// The result of reading a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum State {
    Read,
    Missing,
    /// The client does not read the file, for these reasons.
    Dropped(Vec<String>),
    /// The file cannot be read, for this reason.
    Unreadable(String),
}

impl HookFile {
    pub(crate) fn read(scope: Scope, path: PathBuf, part: &Part<'_>) -> Self {
        let bytes = match bounded::read(&path) {
            Ok(bytes) => bytes,
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Self::new(scope, path, State::Missing),
            Err(err) => return Self::unreadable(scope, path, err.to_string()),
        };
        Self::of_text(scope, path, read_as_the_client(&bytes), part)
    }

    pub(crate) fn of_text(scope: Scope, path: PathBuf, text: String, part: &Part<'_>) -> Self {
        let is_of_hooks = *part == Part::PluginHooks;
        let form = match scope {
            Scope::Agent(agent) => agent.file.form,
            _ => Form::default(),
        };
        let unread = Self { text, is_of_hooks, ..Self::new(scope, path, State::Read) };
        let document = match Document::of(form, &unread.text) {
            Ok(document) => document,
            Err(refusal) => {
                return Self { state: State::Dropped(vec![refusal.to_string()]), refusal: Some(refusal), ..unread };
            }
        };
        let Reading { handlers, left_out, mut findings, keys } = reading::read(&document, part);
        // Their effect is reported once for the file.
        let whole = findings.iter().filter(|finding| finding.is_of_file());
        let reasons: Vec<String> = whole.map(Finding::without_effect).collect();
        // A switch depends on all files.
        findings.retain(|finding| finding.ignored != Ignored::EveryHook);
        Self {
            state: if reasons.is_empty() { State::Read } else { State::Dropped(reasons) },
            handlers,
            left_out,
            findings,
            keys,
            // Documents of plugins are not needed, and there can be many.
            document: Some(document).filter(|_| *part == Part::Settings),
            ..unread
        }
    }

    fn new(scope: Scope, path: PathBuf, state: State) -> Self {
        Self {
            scope,
            path,
            state,
            handlers: Vec::new(),
            findings: Vec::new(),
            left_out: 0,
            text: String::new(),
            document: None,
            refusal: None,
            is_of_hooks: false,
            keys: Vec::new(),
        }
    }

    pub(crate) fn unreadable(scope: Scope, path: PathBuf, why: String) -> Self {
        Self::new(scope, path, State::Unreadable(why))
    }

    /// Returns a message if some of the file's hooks are unchecked.
    pub(crate) fn limit(&self) -> Option<String> {
        let (checked, left_out) = (bounded::HOOKS, self.left_out);
        (left_out > 0).then(|| format!("only the first {checked} hooks of this file are checked; {left_out} are not"))
    }

    /// Returns the last top-level key with this name, if the client reads the file.
    pub(crate) fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().rev().filter(|_| self.state == State::Read).find(|key| key.name == name)
    }

    /// Returns the key that declares a module, in a plugin's hooks file.
    pub(crate) fn module(&self) -> Option<&Key> {
        self.key(mods::KEY).filter(|key| self.is_of_hooks && key.value.get(0).is_some())
    }

    /// Returns `true` if a settings file has any keys. An empty `env` does not count, because the client ignores it.
    pub(crate) fn has_keys(&self) -> bool {
        let is_key = |member: &Member| {
            let object = member.value.as_object();
            member.name != "env" || object.is_none_or(|object| !object.members.is_empty())
        };
        let document = self.document.as_ref();
        document.is_some_and(|document| document.root.members.iter().any(is_key))
    }

    /// Returns the folder of the plugin that contains the file.
    pub(crate) fn plugin_root(&self) -> Option<PathBuf> {
        let hooks = Path::new("hooks/hooks.json");
        let is_root =
            |folder: &&Path| folder.join(".claude-plugin/plugin.json").is_file() || folder.join(hooks) == self.path;
        self.path.ancestors().skip(1).filter(|_| self.is_plugin()).find(is_root).map(Path::to_owned)
    }

    pub(crate) fn is_plugin(&self) -> bool {
        matches!(self.scope, Scope::Plugin { .. })
    }
}

impl Finding {
    /// Sets the finding's position in a file. Without a position, it concerns the whole file.
    pub(crate) fn at(self, source: &HookFile, place: impl Into<Option<Position>>) -> Self {
        let place = place.into();
        Self { place, ..self.in_file(&source.scope, &source.path) }
    }

    /// Sets the finding's position to a hook. Its edit changes this hook, if the user may change it.
    pub(crate) fn on(self, source: &HookFile, hook: &Handler) -> Self {
        // Files outside the project are reported but not changed.
        let is_outside = matches!(source.scope, Scope::Managed | Scope::OuterLocal);
        let is_editable = !source.is_plugin() && !is_outside && source.state == State::Read;
        Self {
            edit: self.edit.clone().filter(|_| is_editable),
            range: hook.range.clone(),
            ..self.at(source, hook.place)
        }
    }

    /// Sets the finding's file, which may be missing. The finding concerns the whole file.
    pub(crate) fn in_file(self, scope: &Scope, file: &Path) -> Self {
        Self { scope: Some(scope.clone()), file: Some(file.to_owned()), ..self }
    }

    pub(crate) fn see_also(self, source: &HookFile, hook: &Handler) -> Self {
        Self { other: Some((source.path.clone(), hook.place)), ..self }
    }
}

/// Parses JSON as the client does.
///
/// # Errors
///
/// Fails if the text is not a plain JSON object.
pub(crate) fn json(bytes: &[u8]) -> Result<Value, String> {
    let document = Document::parse(&read_as_the_client(bytes)).map_err(|refusal| refusal.to_string())?;
    match document.beyond_json().next() {
        None => Ok(document.root.plain()),
        Some(found) => Err(format!("this is not JSON: `{found}`")),
    }
}

/// Reads a JSON file.
///
/// # Errors
///
/// Fails if the file cannot be read, or is not a plain JSON object.
pub(crate) fn read_json(path: &Path) -> Result<Value, String> {
    json(&bounded::read(path).map_err(|err| err.to_string())?)
}

/// Decodes bytes as the client (2.1.330) does: as UTF-16LE after its byte order mark, otherwise as UTF-8, with
/// replacement characters for invalid bytes.
pub(crate) fn read_as_the_client(bytes: &[u8]) -> String {
    let Some(units) = bytes.strip_prefix(&UTF_16) else {
        return String::from_utf8_lossy(bytes).into_owned();
    };
    let units = units.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    String::from_utf16_lossy(&units.collect::<Vec<_>>())
}

/// Byte order mark of UTF-16LE.
const UTF_16: [u8; 2] = [0xff, 0xfe];

/// Formats a position in a file as compilers do, so that editors can open it.
pub(crate) fn at(path: &Path, place: Position) -> String {
    format!("{}:{}", path.display(), place.line)
}

impl Handler {
    fn text(&self, key: &str) -> Option<&str> {
        self.values[key].as_str()
    }

    /// Returns the hook's `type`, as written: `command`, `http`, `mcp_tool`, `prompt` or `agent`.
    pub(crate) fn kind(&self) -> &str {
        self.text("type").unwrap_or_default()
    }

    pub(crate) fn command(&self) -> Option<&str> {
        self.text("command")
    }

    fn args(&self) -> impl Iterator<Item = &str> {
        self.values["args"].as_array().into_iter().flatten().filter_map(Value::as_str)
    }

    /// Returns the hook's `if`. An empty `if` has no effect, even on events where any other `if` prevents the hook from
    /// running (client 2.1.330).
    pub(crate) fn condition(&self) -> Option<&str> {
        self.text("if").filter(|rule| !rule.is_empty())
    }

    /// Returns the hook's program, URL, server or prompt, on one line.
    pub(crate) fn what(&self) -> String {
        let text = |key: &str| self.text(key).unwrap_or_default();
        let what = match self.kind() {
            "http" => text("url").to_owned(),
            "mcp_tool" => format!("{} of the MCP server {}", text("tool"), text("server")),
            "prompt" | "agent" => text("prompt").to_owned(),
            _ => {
                let args: String = self.args().map(|arg| format!(" {}", quoted(arg))).collect();
                text("command").to_owned() + &args
            }
        };
        joined(what.split_whitespace(), " ")
    }

    /// Returns the name of the hook's program, or the end of its URL, server or prompt.
    pub(crate) fn short_name(&self) -> String {
        let what = self.what();
        let name = what.trim_end_matches(['"', '\'']).rsplit('/').next();
        name.unwrap_or_default().to_owned()
    }

    /// Returns the hook's command as recorded in transcripts (client 2.1.330): with its arguments, and without quotes.
    pub(crate) fn recorded_command(&self) -> Option<String> {
        Some(joined([self.command()?].into_iter().chain(self.args()), " "))
    }

    /// Describes the keys that decide when the hook runs, or what its exit code means.
    pub(crate) fn conditions(&self) -> Vec<String> {
        let mut words = Vec::new();
        if !matches!(self.kind(), "command" | "") {
            words.push(self.kind().to_owned());
        }
        words.extend(self.condition().map(|rule| format!("if {rule}")));
        let timeout = self.values["timeout"].as_f64();
        words.extend(timeout.map(|seconds| format!("at most {seconds} s")));
        if self.text("onFailure") == Some("block") {
            words.push("on failure: block".to_owned());
        }
        let flags = ["async", "asyncRewake"].into_iter().filter(|flag| self.values[*flag] == true);
        words.extend(flags.map(str::to_owned));
        words
    }

    /// Returns the hook's event and matcher: `PreToolUse Edit|Write`.
    pub(crate) fn subject(&self) -> String {
        match self.matcher.as_deref() {
            None | Some("") => self.event.clone(),
            Some(matcher) => format!("{} {matcher}", self.event),
        }
    }
}
