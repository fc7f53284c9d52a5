//! Code of a new hook and its test.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use clap::ValueEnum;
use hookkit_protocol::event::{self, Denial, Event, MatcherTarget};
use hookkit_protocol::output::{Block, Context};
use hookkit_protocol::tool::{self, mcp_name};
use hookkit_shell::programs::table::lists;

use crate::binaries::definition::UNWRITTEN;
use crate::binaries::sample::Sample;
use crate::commands::new::template::{filled, on_failure};
use crate::terminal::separated;

/// The kind of test for a new hook.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(super) enum Test {
    /// On the JSON of a recorded event, which is a file of the pack
    Recorded,
    /// In a `testing::Session`, with files, states and a transcript
    Session,
}

/// An event for a hook's test.
pub(super) struct Tested {
    pub(super) sample: Sample,
    /// `false` if it was made from a different event's recording.
    pub(super) is_recorded: bool,
}

/// A new hook.
pub(super) struct Hook<'h> {
    pub(super) function: &'h str,
    pub(super) events: Vec<&'static Event>,
    pub(super) matcher: Option<&'h str>,
    pub(super) condition: Option<&'h str>,
    pub(super) test: Test,
    /// The events, each with its payload.
    pub(super) tested: Vec<Tested>,
}

/// A tool of an MCP server.
pub(super) struct McpTool<'m> {
    server: &'m str,
    name: &'m str,
    /// Name of the type for the tool's input.
    pub(super) input: String,
}

impl Hook<'_> {
    /// Returns the hook's MCP tool, if the hook runs on exactly one tool with its own type.
    pub(super) fn mcp_tool(&self) -> Option<McpTool<'_>> {
        let [event] = self.events[..] else { return None };
        let matcher = self.matcher.filter(|_| event.evaluates_if())?;
        let (server, name) = mcp_name(matcher)?;
        let is_plain = |text: &str| {
            let is_of_name = |char: char| char.is_ascii_alphanumeric() || "_-".contains(char);
            text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.chars().all(is_of_name)
        };
        // A plugin's server has a longer name, whose parts cannot be separated.
        let is_one = is_plain(server) && is_plain(name) && !name.contains("__") && !server.starts_with("plugin_");
        is_one.then(|| McpTool { server, name, input: type_name(name) })
    }

    /// Returns the file name for an event's payload, without its extension.
    pub(super) fn payload(&self, event: &Event) -> String {
        match self.events[..] {
            [_] => self.function.to_owned(),
            _ => format!("{}_{}", self.function, separated(event.name, '_')),
        }
    }

    /// Returns the event whose types the hook uses: its only event, or PreToolUse if the hook's other event is the
    /// event of skills, which has the same types.
    fn typed(&self) -> Option<&'static Event> {
        let both = [&event::PRE_TOOL_USE, &event::PRE_SKILL_SHELL_COMMAND];
        match self.events[..] {
            [event] => Some(event),
            [one, other] if both.iter().all(|event| [one.name, other.name].contains(&event.name)) => Some(both[0]),
            _ => None,
        }
    }

    /// Returns the file with the hook and its test.
    pub(super) fn code(&self) -> String {
        let template =
            if self.is_worktree() { include_str!("templates/worktree.rs") } else { include_str!("templates/hook.rs") };
        let answer = self.answer();
        let answers = answer.as_ref().map(|answer| format!(" -> {answer}")).unwrap_or_default();
        let body = answer.map(|answer| format!("{answer}::pass()"));
        let body = body.unwrap_or_else(|| match self.typed() {
            Some(_) => "// The client reads no decision here: only what the hook does counts.".to_owned(),
            None => "// These events have no answer in common: only what the hook does counts.".to_owned(),
        });
        let mcp_tool = self.mcp_tool();
        let argument = match (&mcp_tool, self.typed()) {
            (Some(tool), _) => format!("{}<{}>", self.events[0].name, tool.input),
            (None, Some(event)) => match input(event, self.matcher.filter(|_| self.tested[0].is_recorded)) {
                Some(input) => format!("{}<tool::{input}>", event.name),
                None => event.name.to_owned(),
            },
            (None, None) => "AnyEvent".to_owned(),
        };
        let on_failure = self.typed().map_or("", on_failure);
        filled(
            template,
            &[
                ("unwritten", UNWRITTEN),
                ("input", &mcp_tool.map(|tool| tool.declared()).unwrap_or_default()),
                ("options", &self.options()),
                ("type", &argument),
                ("on_failure", on_failure),
                ("answers", &answers),
                ("body", &body),
                ("test", &self.test()),
                ("name", self.function),
            ],
        )
    }

    fn is_worktree(&self) -> bool {
        self.events[0].denial == Denial::Fail
    }

    /// Returns the answer's type if it is the same for all events.
    fn answer(&self) -> Option<String> {
        if let Some(event) = self.typed() {
            return event.is_read().then(|| format!("{}Answer", event.name));
        }
        let takes_context = |event: &&Event| event.has_context() && event.context == Context::Model;
        self.events.iter().all(takes_context).then(|| "ContextAnswer".to_owned())
    }

    /// Returns the options for the hook's attribute.
    fn options(&self) -> String {
        let names: Vec<&str> = self.events.iter().map(|event| event.name).collect();
        let mut options = names.join(" | ");
        // The type of an MCP tool's input implies the matcher.
        let matcher = self.matcher.filter(|_| self.mcp_tool().is_none());
        for (name, value) in [("matcher", matcher), ("if", self.condition)] {
            if let Some(value) = value {
                let _ = write!(options, ", {name} = {value:?}");
            }
        }
        options
    }

    /// Returns the test module.
    fn test(&self) -> String {
        let name = self.function;
        let (what, assertion) = if self.is_worktree() {
            ("a_worktree_that_is_not_created_is_denied", "assert_denied(\"cannot be created yet\")")
        } else if self.events.len() > 1 {
            ("ordinary_events_pass", "assert_passed()")
        } else {
            ("an_ordinary_event_passes", "assert_passed()")
        };
        let mut names = vec![name.to_owned()];
        let (imports, before, start, run, events) = match self.test {
            Test::Recorded => {
                let file =
                    |event: &&Event| format!("include_bytes!(\"../tests/payloads/{}.json\")", self.payload(event));
                let files: Vec<String> = self.events.iter().map(file).collect();
                let recorded = match &files[..] {
                    [file] => format!("    const RECORDED: &[u8] = {file};\n\n"),
                    files => format!("    const RECORDED: [&[u8]; {}] = [{}];\n\n", files.len(), files.join(", ")),
                };
                let imports = "    use hookkit::{Hook, testing};\n";
                (imports, recorded, "", format!("testing::run_recorded({name}::DEF, "), "RECORDED".to_owned())
            }
            Test::Session => {
                names.extend(self.mcp_tool().map(|tool| tool.input));
                let events: Vec<String> = self.tested.iter().map(|tested| self.recorded(tested)).collect();
                let events = if let [event] = &events[..] { event.clone() } else { format!("[{}]", events.join(", ")) };
                let imports = "    use hookkit::Hook;\n    use hookkit::testing::{Recorded, Session};\n";
                let start = "        let session = Session::new();\n";
                (imports, String::new(), start, format!("session.run({name}::DEF, &"), events)
            }
        };
        let run = match self.events.len() {
            1 => format!("{start}        {run}{events}).{assertion};\n"),
            _ => format!("{start}        for event in {events} {{\n            {run}event).{assertion};\n        }}\n"),
        };
        let own = match &names[..] {
            [name] => name.clone(),
            names => format!("{{{}}}", names.join(", ")),
        };
        filled(
            include_str!("templates/test.rs"),
            &[
                ("imports", imports),
                ("own", &own),
                ("recorded", &before),
                ("what", what),
                ("run", &run),
                ("refused", &self.refused()),
            ],
        )
    }

    /// Returns test code for a recorded event.
    fn recorded(&self, tested: &Tested) -> String {
        let (event, target) = (tested.sample.event, tested.sample.target.as_deref());
        let field = event.matcher_target.field();
        match (tested.is_recorded, field, target) {
            (true, Some(_), Some(target)) => format!("Recorded::of(\"{} {target}\")", event.name),
            (false, Some(field), Some(target)) => {
                let mut code = format!("Recorded::of(\"{}\").with(\"{field}\", {target:?})", event.name);
                if let Some(tool) = self.mcp_tool() {
                    let _ = write!(code, ".with(\"tool_input\", {} {{}})", tool.input);
                }
                code
            }
            _ => format!("Recorded::of(\"{}\")", event.name),
        }
    }

    /// Returns an assertion that the hook denies, as a template for the author. Empty for hooks that cannot deny.
    fn refused(&self) -> String {
        let [event] = self.events[..] else {
            return String::new();
        };
        let assertion = match event.block {
            _ if event.denial == Denial::Impossible || self.is_worktree() => return String::new(),
            Block::EndsTurn => return String::new(),
            Block::KeepsGoing => "assert_kept_going",
            _ => "assert_denied",
        };
        let run = match self.test {
            Test::Recorded => "testing::run",
            Test::Session => "session.run",
        };
        format!("        // Where it acts: {run}({}::DEF, &…).{assertion}(\"why\");\n", self.function)
    }
}

impl McpTool<'_> {
    fn declared(&self) -> String {
        let Self { server, name, input } = self;
        format!(
            "/// Input of the tool `{name}` of the MCP server `{server}`.\n\
             #[derive(Debug, serde::Deserialize, serde::Serialize, ToolInput)]\n\
             #[tool(server = \"{server}\", name = \"{name}\")]\n\
             pub struct {input} {{\n    \
             // Its fields, as the server names them: `pub title: String`, and `Option` for one that may be missing.\n\
             }}\n\n"
        )
    }
}

/// Returns the type name for a tool's input: `CreateIssue` for `create_issue`.
fn type_name(tool: &str) -> String {
    let name: String = tool
        .split(['_', '-'])
        .filter(|word| !word.is_empty())
        .map(|word| word[..1].to_ascii_uppercase() + &word[1..])
        .collect();
    /// Names from the prelude and the standard library that a tool's type must not have.
    const TAKEN: &str = "\
    AnyEvent Config Context EnvFile Environment Error Finding Findings Json Ok Err None Option Result Self Some \
    String Text ToolInput Vec";
    if event::event(&name).is_some() || name.ends_with("Answer") || lists(TAKEN, &name) {
        format!("{name}Input")
    } else {
        name
    }
}

/// Returns the type of a tool's input. `None` unless there is exactly one recorded tool, or a set of tools with its own
/// type.
fn input(event: &Event, matcher: Option<&str>) -> Option<String> {
    let mut tools: Vec<&str> =
        matcher.filter(|_| event.matcher_target == MatcherTarget::ToolName)?.split('|').collect();
    tools.sort_unstable();
    match *tools {
        ["Edit", "Write"] => Some("FileChange".to_owned()),
        ["Edit", "NotebookEdit", "Write"] => Some("TextChange".to_owned()),
        ["Edit", "Read", "Write"] => Some("FileAccess".to_owned()),
        // Names of the client that Rust spells differently, or types that are not public.
        ["ListAgents"] => None,
        [one] if tool::is_built_in(one) => Some(one.to_owned()),
        _ => None,
    }
}
