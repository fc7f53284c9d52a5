//! The runs that are tried, each on one event.

use std::collections::BTreeSet;
use std::slice;

use hookkit::Mode;
use hookkit::protocol::event::{self, EVENTS, Event};
use hookkit::protocol::output::{MEMBERS, Member, MemberKind};
use hookkit::testing::{End, Ran, UNSEEN_EVENTS};
use serde_json::{Map, Value, json};
use test_support::lines;
use test_support::lines::{Lines, Section};

use crate::record;

/// A run of a hook on an event.
#[derive(Debug)]
pub struct Row {
    /// The event.
    pub event: &'static Event,
    /// The run.
    pub ran: Ran,
    /// Of a run that no headless session can show: the reason, and the lines of the verdict.
    pub unseen: Option<(&'static str, Vec<String>)>,
    /// Hash of the run, which no other row has.
    pub id: String,
    /// The run in words.
    pub run: String,
}

impl Row {
    /// Returns the name of the row in a record. It depends on the row's own content alone.
    pub fn key(&self) -> String {
        format!("{}-{}", self.event.name, self.id)
    }

    /// Returns the word that only this row prints.
    pub fn word(&self) -> String {
        format!("mark{}", self.id)
    }

    /// Returns the entry of the row in the settings: its name, and its fields besides the command.
    pub fn entry(&self) -> (&'static str, Value) {
        let is_strict = self.ran.blocks_in_settings;
        match (self.ran.end, self.ran.mode, is_strict) {
            (End::TimedOut, _, false) => ("slow", json!({"timeout": 0.7})),
            (End::TimedOut, _, true) => ("slow-strict", json!({"timeout": 0.7, "onFailure": "block"})),
            (_, Mode::Async, _) => ("async", json!({"async": true})),
            (_, Mode::AsyncRewake, _) => ("rewake", json!({"asyncRewake": true})),
            (_, _, true) => ("strict", json!({"onFailure": "block"})),
            _ => ("plain", json!({})),
        }
    }

    /// Returns the names of the members that the row prints, if it prints an answer.
    pub fn members(&self) -> Option<BTreeSet<String>> {
        let answer: Map<String, Value> = serde_json::from_slice(&self.ran.stdout).ok()?;
        let own = answer.get("hookSpecificOutput").and_then(Value::as_object);
        let names = answer.keys().chain(own.into_iter().flatten().map(|(name, _)| name));
        let names = names.filter(|name| !["hookSpecificOutput", "hookEventName"].contains(&&***name));
        Some(names.cloned().collect())
    }

    /// Returns whether the client goes ahead before the hook ends.
    pub fn is_in_background(&self) -> bool {
        self.ran.mode != Mode::Awaited || self.ran.stdout.starts_with(b"{\"async\":true}")
    }

    /// Returns whether the hook wakes the model, when the client has gone on.
    pub fn wakes(&self) -> bool {
        self.ran.mode == Mode::AsyncRewake && self.ran.end == End::Exited(2)
    }

    /// Returns the command of the row, as it is written in the settings.
    pub fn command(&self) -> String {
        if self.ran.end == End::NotStarted {
            return "/no/such/guard".to_owned();
        }
        let (entry, _) = self.entry();
        // No shell stays between: it would turn a signal into an exit code.
        format!("exec sh \"$CLAUDE_PROJECT_DIR{SCRIPT}\" {} {entry}", self.event.name)
    }
}

/// Path of the hook's script in the project.
pub(super) const SCRIPT: &str = "/.claude/hook.sh";

/// Reads a run: its end and the options of its entry, stderr, stdout. In its texts `@` means a word that no other row has, and
/// `OWN(…)` the event's object.
fn run(words: &str, stderr: &str, stdout: &str) -> Ran {
    let mut words = words.split(", ");
    let end = match words.next() {
        Some("killed") => End::Killed,
        Some("timed out") => End::TimedOut,
        Some("not started") => End::NotStarted,
        word => {
            let code = word.and_then(|word| word.strip_prefix("exit ")?.parse().ok());
            End::Exited(code.unwrap_or_else(|| panic!("no end: {word:?}")))
        }
    };
    let text = |text: &str| match text {
        "-" => String::new(),
        // More than the client passes on.
        text => text.replace("LONG", &"x".repeat(10_000)).replace("BOM", "\u{feff}"),
    };
    let ran = Ran::ended(end).stdout(text(stdout)).stderr(text(stderr));
    words.fold(ran, |ran, word| match word {
        "onFailure" => ran.blocks_in_settings(true),
        "async" => ran.mode(Mode::Async),
        "rewake" => ran.mode(Mode::AsyncRewake),
        "of a plugin" => ran.of_plugin(),
        _ => panic!("no option `{word}`"),
    })
}

fn row(event: &'static Event, ran: Ran) -> Row {
    let run = in_words(&ran);
    Row {
        event,
        id: record::hash(&format!("{} {run}", event.name)),
        run: run.chars().take(300).collect(),
        ran,
        unseen: None,
    }
}

fn event(name: &str) -> &'static Event {
    event::event(name).unwrap_or_else(|| panic!("no event `{name}`"))
}

fn runs(section: &Section) -> impl Iterator<Item = Ran> {
    section.rows.iter().map(|row| {
        let [words, stderr] = row.fields();
        run(words, stderr, &row.line)
    })
}

/// Describes a run: its end, its output before the row's word is filled in, and the options of its entry.
fn in_words(ran: &Ran) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut words = vec![format!("{:?}", ran.end)];
    words.extend(ran.blocks_in_settings.then(|| "onFailure Block".to_owned()));
    words.extend((ran.mode != Mode::Awaited).then(|| format!("mode {:?}", ran.mode)));
    words.extend(ran.is_of_plugin.then(|| "of a plugin".to_owned()));
    words.extend((!ran.stdout.is_empty()).then(|| format!("stdout {}", text(&ran.stdout))));
    words.extend((!ran.stderr.is_empty()).then(|| format!("stderr {}", text(&ran.stderr))));
    words.join(", ")
}

/// Returns every row, with its own word in its output.
pub fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = seen().into_iter().chain(unseen()).collect();
    for row in &mut rows {
        let word = row.word();
        let filled = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).replace('@', &word);
            with_own_object(&text, row.event.name).into_bytes()
        };
        row.ran.stdout = filled(&row.ran.stdout);
        row.ran.stderr = filled(&row.ran.stderr);
    }
    rows
}

/// Replaces `OWN(members)` by the object of the event.
pub fn with_own_object(text: &str, event: &str) -> String {
    let Some((before, rest)) = text.split_once("OWN(") else {
        return text.to_owned();
    };
    let (members, after) = rest.split_once(')').unwrap_or((rest, ""));
    let comma = if members.is_empty() { "" } else { "," };
    format!("{before}\"hookSpecificOutput\":{{\"hookEventName\":\"{event}\"{comma}{members}}}{after}")
}

fn seen() -> Vec<Row> {
    let table: Lines = lines!("lines/verdicts.txt");
    let (all, of_an_event): (Vec<_>, Vec<_>) = table.sections.iter().partition(|section| section.name.contains(' '));
    let mut rows = Vec::new();
    for section in of_an_event {
        rows.extend(runs(section).map(|ran| row(event(section.name), ran)));
    }
    let [of_all, in_background] = &all[..] else { panic!("{all:?}") };
    for event in EVENTS.iter().filter(|event| !UNSEEN_EVENTS.contains(&event.name)) {
        rows.extend(runs(of_all).map(|ran| row(event, ran)));
        let modes = [Mode::Async, Mode::AsyncRewake].into_iter();
        for mode in modes.filter(|_| event.may_be_async()) {
            rows.extend(runs(in_background).map(|ran| row(event, ran.mode(mode))));
            let members = MEMBERS.iter().chain(event.members.unwrap_or_default());
            let words = members.map(|member| match member.kind {
                MemberKind::Word(words) => words.len(),
                _ => 1,
            });
            let most = words.max().unwrap_or_default();
            let answer = |at| Ran::exit(0).stdout(every_member(event, at)).mode(mode);
            rows.extend((0..most).map(|at| row(event, answer(at))));
        }
    }
    rows
}

/// Returns an answer with every member that the event knows. Of the words that a member may have it takes the one at a
/// position.
fn every_member(event: &Event, word: usize) -> String {
    let value = |member: &Member| match member.kind {
        MemberKind::Flag => json!(member.name != "continue"),
        MemberKind::Text if member.name == "terminalSequence" => json!("\u{7}"),
        MemberKind::Word(words) => json!(words[word % words.len()]),
        MemberKind::Texts => json!([format!("@ {}", member.name)]),
        MemberKind::Map => json!({"command": "echo @new", "description": "Run"}),
        MemberKind::Decision => json!({"behavior": "deny", "message": "@ decision"}),
        MemberKind::Text | MemberKind::Any => json!(format!("@ {}", member.name)),
    };
    let object = |members: &[Member]| -> Map<String, Value> {
        let members = members.iter().map(|member| (member.name.to_owned(), value(member)));
        members.collect()
    };
    let mut answer = object(MEMBERS);
    if let Some(own) = event.members {
        let mut own = object(own);
        own.insert("hookEventName".to_owned(), event.name.into());
        answer.insert("hookSpecificOutput".to_owned(), own.into());
    }
    Value::Object(answer).to_string()
}

fn unseen() -> Vec<Row> {
    let table: Lines = lines!("lines/unseen.txt");
    let sections = table.sections.into_iter();
    let rows = sections.flat_map(|section| section.rows.into_iter().map(move |row| (section.name, row)));
    rows.map(|(why, unseen)| {
        let [name, words, stderr, stdout, says @ ..] = &unseen.expected[..] else { panic!("{unseen:?}") };
        let says = [says, slice::from_ref(&unseen.line)].concat();
        Row { unseen: Some((why, says)), ..row(event(name), run(words, stderr, stdout)) }
    })
    .collect()
}
