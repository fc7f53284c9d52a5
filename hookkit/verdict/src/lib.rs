//! Determines the effect of a hook's output and exit code. The hook may be any program.
//!
//! ```
//! use hookkit::protocol::event;
//! use hookkit::testing::{Action, Ran, Verdict};
//!
//! let verdict = Verdict::of(&event::PRE_TOOL_USE, &Ran::exit(2).stderr("no").command("guard").target("Bash"));
//! assert_eq!(verdict.action, Action::Denied);
//! assert_eq!(verdict.model_reads[0].text, "PreToolUse:Bash hook error: [guard]: no");
//! ```

use std::fmt;

use hookkit_json::Json;
use hookkit_protocol::event::{Event, PERMISSION_REQUEST};
use hookkit_protocol::hook::Mode;
use hookkit_protocol::output::{Block, Reader, TEXT_LIMIT};

mod answer;
mod assert;
mod background;
mod node;
mod outside;
mod ran;
pub mod recorded;
mod rule;
mod schema;
mod skill;
mod stdout;
mod terminal;
mod turn;

use node::Node;
use schema::Answer;

pub use ran::{End, Ran};
pub use rule::{Known, Rule, UNSEEN_EVENTS};

/// The client's reaction to one run of one hook (client 2.1.330).
///
/// A verdict is about this hook alone: if another hook denies, the action is denied. It considers neither the user's
/// permission rules nor the tool's use of its input.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// The event's name.
    pub event: &'static str,
    /// Outcome of the announced action.
    pub action: Action,
    /// `true` if the turn ends because of the hook, once the action is done.
    pub ends_turn: bool,
    /// Texts that the model reads, in this order; for a hook on a subagent, the subagent's model.
    pub model_reads: Vec<Message>,
    /// Texts that the user sees, in this order.
    pub user_sees: Vec<Message>,
    /// Other effects of the answer.
    pub effects: Vec<Effect>,
    /// Parts of the output that are not used.
    pub dropped: Vec<Dropped>,
    /// The rules that led to the action, in the order that the client applies them.
    pub because: Vec<&'static Rule>,
    /// Error of a hookkit hook that failed.
    pub failed: Option<String>,
    /// Reason why the client does not call the hook, in a test.
    pub not_called: Option<String>,
}

/// The outcome that this hook chooses for the action that an event announces.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// The action goes ahead: the hook has no opinion, or an opinion without effect.
    GoesOn,
    /// The user decides, as without the hook; if the user cannot be asked, the action does not happen.
    LeftToUser,
    /// The action happens without a question.
    Allowed,
    /// The action does not happen.
    Denied,
    /// The user is asked; if the user cannot be asked, the action does not happen.
    Asked,
    /// The action waits until the session is resumed.
    Deferred,
    /// The agent goes on instead of ending its turn.
    KeepsGoing,
    /// The MCP server gets this answer: `accept`, `decline` or `cancel`.
    Answered(String),
    /// The worktree is in this folder.
    CreatedAt(String),
    /// The action went ahead before the hook ended.
    NotAwaited,
}

/// A text that the model or the user reads.
///
/// The words are the client's. [`UNKNOWN`] replaces parts that the hook's output alone does not determine.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// Channel of the text.
    pub place: Channel,
    /// Text.
    pub text: String,
    /// Rule that puts the text there.
    pub rule: &'static Rule,
}

/// The placeholder in a [`Message`] for a part that the verdict cannot compute.
///
/// Such parts are the path of a file that the client saved, the user's prompt, an error of the client's JSON parser,
/// and the long list of the members of an answer.
pub const UNKNOWN: &str = "…";

/// The channel of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Channel {
    /// The tool's result, as an error.
    ToolError,
    /// The tool's result.
    ToolResult,
    /// A system message next to the conversation.
    Reminder,
    /// A message in the role of the user.
    UserMessage,
    /// A message that stays in the conversation: the model reads it with the user's next prompt.
    NextPrompt,
    /// The instructions for a summary.
    Instructions,
    /// The output of the user's command, which the model reads with the next prompt.
    CommandOutput,
    /// A message that is sent with a later request, when the hook is done.
    Later,
    /// A notice next to the conversation.
    Notice,
    /// The answer to the user's request.
    Reply,
    /// The client's own stderr.
    Stderr,
    /// The question that the user is asked.
    Question,
}

/// An effect of an answer, in addition to the effect on the action.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Effect {
    /// The member of the answer, such as `updatedInput`.
    pub member: &'static str,
    /// Value of the member.
    pub value: Json,
    /// Rule of the client.
    pub rule: &'static Rule,
}

/// A part of the output that is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// A stream, or a member in backticks.
    pub what: String,
    /// Reason why the part is not used, as the end of a sentence.
    pub why: String,
    /// The rule that drops the part.
    pub rule: &'static Rule,
}

impl Verdict {
    /// Returns the client's reaction to this run of a hook on `event`.
    ///
    /// For example, the answer of a hook on UserPromptSubmit, after a banner that some program printed:
    ///
    /// ```
    /// use hookkit::protocol::event;
    /// use hookkit::testing::{Action, Ran, Verdict};
    ///
    /// let run = Ran::exit(0).stdout("loading…\n{\"decision\":\"block\",\"reason\":\"no\"}");
    /// let verdict = Verdict::of(&event::USER_PROMPT_SUBMIT, &run);
    /// assert_eq!(verdict.action, Action::GoesOn);
    /// assert!(verdict.model_reads[0].text.starts_with("UserPromptSubmit hook success: loading…"));
    /// ```
    pub fn of(event: &Event, ran: &Ran) -> Self {
        let mut judge = Judge {
            event,
            ran,
            is_stderr_used: false,
            verdict: Self {
                event: event.name,
                action: if event.asks_user() { Action::LeftToUser } else { Action::GoesOn },
                ends_turn: false,
                model_reads: Vec::new(),
                user_sees: Vec::new(),
                effects: Vec::new(),
                dropped: Vec::new(),
                because: Vec::new(),
                failed: ran.failure().map(|(_, error)| error),
                not_called: None,
            },
        };
        if judge.is_in_background() {
            judge.background();
        } else {
            match event.reader {
                Reader::Whole => judge.turn(),
                Reader::Reduced => judge.outside(),
            }
        }
        judge.verdict
    }

    /// Returns every rule that this verdict applies.
    pub fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        let messages = self.model_reads.iter().chain(&self.user_sees);
        (self.because.iter().copied())
            .chain(messages.map(|message| message.rule))
            .chain(self.effects.iter().map(|effect| effect.rule))
            .chain(self.dropped.iter().map(|dropped| dropped.rule))
    }
}

/// A verdict that is being determined.
struct Judge<'r> {
    event: &'r Event,
    ran: &'r Ran,
    is_stderr_used: bool,
    verdict: Verdict,
}

impl Judge<'_> {
    fn is(&self, event: &Event) -> bool {
        self.event.name == event.name
    }

    /// Returns `true` if the client does not wait for the hook to end.
    fn is_in_background(&self) -> bool {
        let is_declared = self.ran.mode != Mode::Awaited || stdout::has_marker(&self.ran.out());
        // A process that never started printed nothing; one that was killed stays cut off.
        is_declared && self.event.may_be_async() && self.ran.end != End::NotStarted
    }

    /// Returns the hook's name in the client's texts, such as `PreToolUse:Bash`.
    fn name(&self) -> String {
        match &self.ran.target {
            Some(target) if self.event.names_target => format!("{}:{target}", self.event.name),
            _ => self.event.name.to_owned(),
        }
    }

    /// Returns the hook's name, as the client puts it before the hook's context.
    fn name_of_context(&self) -> String {
        if self.event.evaluates_if() { self.name() } else { self.event.name.to_owned() }
    }

    fn because(&mut self, rule: &'static Rule) {
        self.verdict.because.push(rule);
    }

    /// Adds a block's rule as a reason, if the event can be blocked.
    fn because_of_block(&mut self, rule: &'static Rule) {
        if self.event.block == Block::Ignored {
            self.because(self.blocks_nothing());
        } else {
            self.because(rule);
        }
    }

    /// Returns the rule that makes a block ineffective.
    fn blocks_nothing(&self) -> &'static Rule {
        if self.is(&PERMISSION_REQUEST) { rule::REQUEST_NEEDS_OBJECT } else { rule::BLOCKS_NOTHING }
    }

    fn model_reads(&mut self, place: Channel, text: impl Into<String>, rule: &'static Rule) {
        let text = text.into();
        self.verdict.model_reads.push(Message { place, text, rule });
    }

    fn user_sees(&mut self, place: Channel, text: impl Into<String>, rule: &'static Rule) {
        let text = text.into();
        self.verdict.user_sees.push(Message { place, text, rule });
    }

    /// Drops a part of the output. The rule's words are the reason.
    fn dropped(&mut self, what: impl Into<String>, rule: &'static Rule) {
        self.dropped_as(what, rule.words, rule);
    }

    /// Drops a part of the output, if there is one.
    fn drop_if(&mut self, what: &str, is_there: bool, rule: &'static Rule) {
        if is_there {
            self.dropped(what, rule);
        }
    }

    fn dropped_as(&mut self, what: impl Into<String>, why: impl Into<String>, rule: &'static Rule) {
        self.verdict.dropped.push(Dropped { what: what.into(), why: why.into(), rule });
    }

    /// Drops stdout that is not JSON, if the hook failed or blocked with its exit code.
    fn drop_stdout(&mut self) {
        let rule = match self.ran.status() {
            2 => rule::OUTPUT_OF_BLOCK,
            _ => rule::OUTPUT_OF_FAILURE,
        };
        self.dropped("stdout", rule);
    }

    /// Drops the whole output.
    fn drop_streams(&mut self, rule: &'static Rule) {
        self.drop_if("stdout", !self.ran.stdout.is_empty(), rule);
        self.drop_if("stderr", !self.ran.stderr.is_empty(), rule);
    }

    fn drop_unknown_keys(&mut self, answer: &Answer) {
        for (what, why) in answer.unknown_keys() {
            self.dropped_as(what, why, rule::UNKNOWN_KEY);
        }
    }

    fn effect(&mut self, member: &'static str, value: &Node, rule: &'static Rule) {
        self.verdict.effects.push(Effect { member, value: value.to_json(), rule });
    }

    /// Drops stderr, if there is any and it was not used.
    fn drop_stderr(&mut self, rule: &'static Rule) {
        let is_left = !self.is_stderr_used && !self.ran.err().trim().is_empty();
        self.drop_if("stderr", is_left, rule);
    }

    /// Returns stderr as the text of a block, with the command line before the text.
    fn objection(&mut self) -> String {
        self.is_stderr_used = true;
        let stderr = self.ran.err();
        let text = if stderr.is_empty() { "No stderr output" } else { &stderr };
        // The client adds the plugin's name, which the verdict does not have.
        let origin = if self.ran.is_of_plugin { format!("\n{UNKNOWN}") } else { String::new() };
        format!("[{}]: {text}{origin}", self.ran.command)
    }

    /// Describes why the hook cannot be started.
    fn why_not_started(&mut self) -> String {
        self.is_stderr_used = true;
        format!("Error occurred while executing hook command: {}", self.ran.err().trim())
    }

    /// Returns the client's message about a failure, with the hook's own stderr.
    fn with_stderr(&mut self, message: &str) -> String {
        let (status, stderr) = (self.ran.status(), self.ran.err());
        let stderr = stderr.trim();
        if status == 0 || stderr.is_empty() {
            return message.to_owned();
        }
        self.is_stderr_used = true;
        format!("{message}\n\nHook exited {status} with stderr:\n{stderr}")
    }

    /// Returns a text as the client passes it on, and `true` if it is complete.
    fn passed_on(text: &str) -> (String, bool) {
        if text.encode_utf16().count() <= TEXT_LIMIT {
            return (text.to_owned(), true);
        }
        let kilobytes = format!("{:.1}", text.len() as f64 / 1024.0);
        let size = kilobytes.strip_suffix(".0").unwrap_or(&kilobytes);
        let saved = format!("Output too large ({size}KB). Full output saved to: {UNKNOWN}");
        let preview = format!("Preview (first 2KB):\n{UNKNOWN}");
        (format!("<persisted-output>\n{saved}\n\n{preview}\n</persisted-output>"), false)
    }

    /// Passes a text on to the model, between texts of the client.
    fn model_reads_within(&mut self, place: Channel, before: &str, text: &str, after: &str, rule: &'static Rule) {
        let (passed_on, is_whole) = Self::passed_on(text);
        self.model_reads(place, format!("{before}{passed_on}{after}"), rule);
        self.drop_if("the end of a long text", !is_whole, rule::TOO_LONG);
    }
}

impl Action {
    /// Returns the outcome as a sentence about the subject of the event.
    fn sentence(&self, subject: &str) -> String {
        let outcome = match self {
            Self::GoesOn => "goes ahead",
            Self::LeftToUser => "is left to the user; in print mode it is denied or cancelled",
            Self::Allowed => "is allowed",
            Self::Denied => "is denied",
            Self::Asked => return format!("the user is asked about {subject}"),
            Self::Deferred => "waits until the session is resumed",
            Self::KeepsGoing => "is postponed: the model continues",
            Self::Answered(action) => return format!("{subject} is answered by `{action}`"),
            Self::CreatedAt(path) => return format!("{subject} is taken from `{path}`"),
            Self::NotAwaited => "went ahead before the answer",
        };
        format!("{subject} {outcome}")
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::ToolError => "as the tool's error",
            Self::ToolResult => "as the tool's result",
            Self::Reminder => "next to the conversation",
            Self::UserMessage => "as a user message",
            Self::NextPrompt => "with the next prompt",
            Self::Instructions => "in the instructions for the summary",
            Self::CommandOutput => "in the command's output",
            Self::Later => "later",
            Self::Notice => "as a notice",
            Self::Reply => "as the reply",
            Self::Stderr => "on the client's stderr",
            Self::Question => "in the question",
        })
    }
}

/// Writes the effect and its value: "the tool runs with `pnpm i`, in place of the model's input".
impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        const CHARACTERS: usize = 200;
        let member = format!("`{}`", self.member);
        let words = self.rule.words;
        let command = (self.member == "updatedInput").then(|| self.value.word("command"));
        let mut value = command.flatten().unwrap_or_else(|| self.value.text().to_owned());
        if let Some((end, _)) = value.char_indices().nth(CHARACTERS) {
            value.replace_range(end.., UNKNOWN);
        }
        match value.as_str() {
            "true" | "false" => f.write_str(words),
            _ if words.contains(&member) => f.write_str(&words.replace(&member, &format!("`{value}`"))),
            _ => write!(f, "{words}: {member} is `{value}`"),
        }
    }
}

/// Writes a line for each part of the verdict.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let indented = |text: &str| text.replace('\n', "\n    ");
        let subject = hookkit_protocol::event::event(self.event).map_or("it", |event| event.subject);
        f.write_str(&self.action.sentence(subject))?;
        if self.ends_turn {
            f.write_str(", and the turn ends")?;
        }
        for message in &self.model_reads {
            // A question is not an error: the model reads this if no one answers it.
            let before = match (&self.action, message.place) {
                (Action::Asked, Channel::ToolError) => "if the user cannot be asked, the call is denied and ",
                _ => "",
            };
            let text = indented(&message.text);
            write!(f, "\n{before}the model reads, {}: {text}", message.place)?;
        }
        for message in &self.user_sees {
            write!(f, "\nthe user sees, {}: {}", message.place, indented(&message.text))?;
        }
        for effect in &self.effects {
            write!(f, "\n{}", indented(&effect.to_string()))?;
        }
        for dropped in &self.dropped {
            write!(f, "\nnot used: {}: {}", dropped.what, indented(&dropped.why))?;
        }
        for rule in &self.because {
            write!(f, "\nbecause {} ({})", rule.words, rule.known_of(self.event))?;
        }
        Ok(())
    }
}
