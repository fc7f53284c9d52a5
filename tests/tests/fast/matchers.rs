//! A matcher means what the client takes it for.

use hookkit_protocol::event::{self, Event, FILE_CHANGED, MatcherTarget, PRE_MODEL_SWITCH, PRE_TOOL_USE, Values};
use hookkit_protocol::lint::{self, Effect, condition, tool_of_condition};
use hookkit_protocol::matcher::{Matcher, pattern};
use hookkit_protocol::tool;
use hookkit_tests::faults;
use hookkit_tests::matchers::{CONDITIONS, MATCHERS, TOOLS, WATCHED};
use hookkit_tests::prelude::*;
use serde::Deserialize;

const VECTORS: &str = include_str!("../../fixtures/matchers.json");

#[derive(Deserialize)]
struct Vector {
    event: String,
    matcher: Option<String>,
    target: String,
    matches: bool,
}

#[test]
fn each_vector_is_decided_as_the_client_does() -> Result<()> {
    let vectors: Vec<Vector> = serde_json::from_str(VECTORS)?;
    assert_eq!(vectors.len(), 65);
    for vector in vectors {
        let Vector { matcher, target, matches, .. } = vector;
        let event = event::event(&vector.event).context("an event of the client's")?;
        let read = Matcher::new(matcher.as_deref().unwrap_or_default(), event);
        assert_eq!(read.matches(event, &target), matches, "{}: {matcher:?} {target}", event.name);
        // The field holds the whole path there.
        assert!(!matches || read.admits(event.matcher_target, &format!("{}{target}", folder(event))));
    }
    Ok(())
}

/// Returns the tools that hooks ran on, by matcher or condition, in the record of the client.
fn selected(table: &str, texts: &[&str]) -> Result<BTreeMap<String, Vec<String>>> {
    let record = Record::<Vec<String>>::read(table)?;
    assert_eq!(record.gaps(texts.iter().copied()), Vec::<String>::new());
    Ok(record.rows)
}

#[test]
fn matchers_select_the_recorded_tools() -> Result<()> {
    for (text, selected) in selected("matchers", &MATCHERS)? {
        let matcher = Matcher::new(&text, &PRE_TOOL_USE);
        let tools = TOOLS.into_iter().filter(|tool| matcher.matches(&PRE_TOOL_USE, tool));
        assert_eq!(tools.collect::<Vec<_>>(), selected, "`{text}`");
    }
    Ok(())
}

#[test]
fn a_condition_that_never_holds_selects_no_tool() -> Result<()> {
    for (text, selected) in selected("conditions", &CONDITIONS)? {
        let fault = condition(&PRE_TOOL_USE, &text, None, lint::Origin::Settings).err();
        if fault.is_some_and(|fault| fault.effect == Effect::Never) {
            assert_eq!(selected, Vec::<String>::new(), "`{text}`");
        } else if text != "Bash(false)" {
            // The command is another one.
            assert_eq!(selected, [tool_of_condition(&text)], "`{text}`");
        }
    }
    Ok(())
}

#[test]
fn a_file_matcher_without_a_fault_selects_the_file_that_it_names() -> Result<()> {
    for (text, files) in selected("watched", &WATCHED)? {
        let faults = lint::matcher(&FILE_CHANGED, &text, lint::Origin::Settings);
        assert_eq!(faults.is_empty(), !files.is_empty(), "`{text}`: {faults:?}");
        let matcher = Matcher::new(&text, &FILE_CHANGED);
        assert!(files.iter().all(|file| matcher.matches(&FILE_CHANGED, &format!("/project/{file}"))), "`{text}`");
    }
    Ok(())
}

fn folder(event: &Event) -> &'static str {
    match event.matcher_target {
        MatcherTarget::FileName => "/home/me/",
        _ => "",
    }
}

#[test]
fn thousands_of_random_matchers_are_decided_as_javascript_does() -> Result<()> {
    const NAME: &str = "thousands_of_random_matchers_are_decided_as_javascript_does";
    let script = repository().join("tests/fixtures/matchers.js");
    let mut node = Command::new("node");
    node.arg(script);
    let questions = questions();
    let asked = questions.iter().map(|(event, matcher, target)| (event.name, matcher, target));
    let asked = serde_json::to_vec(&asked.collect::<Vec<_>>())?;
    let Ok(mut output) = faults::run_piped(node, &asked) else {
        skip(NAME, "there is no node");
        return Ok(());
    };
    let decided: Vec<(bool, bool)> = serde_json::from_str(&output.out(0)?)?;
    assert_eq!(decided.len(), questions.len());

    let mut wrong = BTreeSet::new();
    let (mut matching, mut broken, mut located) = (0, 0, 0);
    for ((event, matcher, target), &(matches, compiles)) in questions.iter().zip(&decided) {
        let read = Matcher::new(matcher, event);
        if read.matches(event, target) != matches {
            let what = format!("{matcher:?} {target:?}, for JavaScript {matches}");
            wrong.insert(format!("{}: {what}", event.name));
        }
        if matches && !read.admits(event.matcher_target, &format!("{}{target}", folder(event))) {
            wrong.insert(format!("{}: {matcher:?} does not admit {target:?}", event.name));
        }
        matching += usize::from(matches);
        // Where it is ignored it is not compiled, and that of a model without its suffixes.
        if let Matcher::Regex(text) = read
            && !matches!(event.matcher_target, MatcherTarget::Ignored | MatcherTarget::Model)
        {
            let compiled = pattern(text);
            if compiled.is_ok() != compiles {
                let here = compiled.as_ref().err();
                wrong.insert(format!("{matcher:?} compiles in JavaScript: {compiles}, here: {here:?}"));
            }
            if let Err(err) = compiled {
                broken += 1;
                if let Some(offset) = err.offset() {
                    located += 1;
                    let holds = text.is_char_boundary(offset) && offset < text.len();
                    assert!(holds, "{text:?} {offset}");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
    // The generator makes cases of each kind.
    assert!(matching > questions.len() / 10 && broken > questions.len() / 20 && located > broken / 2);
    Ok(())
}

/// Matchers with names they may match, the same in every run.
fn questions() -> Vec<(&'static Event, String, String)> {
    let mut random = Random { choices: fastrand::Rng::with_seed(0), groups: 0 };
    let mut questions = Vec::new();
    for _ in 0..4000 {
        let event = match random.below(10) {
            0 => &PRE_MODEL_SWITCH,
            1 | 2 => event::EVENTS[random.below(event::EVENTS.len())],
            _ => &PRE_TOOL_USE,
        };
        let target = random.name(event);
        let matcher = match random.below(6) {
            0 | 1 if event.matcher_target == MatcherTarget::Model => random.list(event, &target),
            0 => random.list(event, &target),
            1 => random.soup(&target),
            2 => {
                let expression = random.expression(&target);
                random.broken(&expression)
            }
            _ => random.expression(&target),
        };
        for target in [random.near(&target), random.name(event), target] {
            questions.push((event, matcher.clone(), target));
        }
    }
    questions
}

/// A source of choices that are the same in every run.
struct Random {
    choices: fastrand::Rng,
    /// Number of groups that the expression at hand has named: a name that occurs twice is not for every engine.
    groups: usize,
}

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.choices.usize(..limit)
    }

    /// One of the words of a text.
    fn word<'a>(&mut self, words: &'a str) -> &'a str {
        let words: Vec<&str> = words.split_whitespace().collect();
        self.one_of(&words)
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    /// A value that the event may be matched on, or one that it is never.
    fn name(&mut self, event: &Event) -> String {
        let values: &[&str] = match event.matcher_target {
            MatcherTarget::Field { values: Values::Known(values) | Values::Only(values), .. } => values,
            MatcherTarget::FileName => &[".env", ".envrc", "Makefile", "a-b.txt", "a, b"],
            MatcherTarget::Model => &["claude-opus-4-6", "claude-sonnet-4-5"],
            _ => tool::BUILT_IN,
        };
        match self.below(10) {
            0 => self.word("mcp__git__log mcp__my-srv__echo code-reviewer my-plugin:reviewer"),
            1 => {
                let (old, new) = tool::RENAMED[self.below(tool::RENAMED.len())];
                self.one_of(&[old, new])
            }
            2 => self.one_of(&["ArtifactComments", "ArtifactData", "ArtifactCheck", "Artifact"]),
            3 => self.word(r"a aa abab naïve 😀 { a{2 \c k<a>"),
            4 => self.one_of(&["", "a\nb", "a b", "\u{8}"]),
            _ => self.one_of(values),
        }
        .to_owned()
    }

    /// The name with one character of it changed.
    fn near(&mut self, name: &str) -> String {
        let mut chars: Vec<char> = name.chars().collect();
        let at = self.below(chars.len() + 1);
        match self.below(4) {
            0 => chars.insert(at, 'a'),
            1 => chars.push('2'),
            _ if at == chars.len() => chars.insert(0, '_'),
            2 => drop(chars.remove(at)),
            _ if chars[at].is_lowercase() => chars[at] = chars[at].to_ascii_uppercase(),
            _ => chars[at] = chars[at].to_ascii_lowercase(),
        }
        chars.into_iter().collect()
    }

    /// Makes a list, with blanks and separators in unexpected places.
    fn list(&mut self, event: &Event, target: &str) -> String {
        let mut list = self.one_of(&["", "", "", " ", "|", ", "]).to_owned();
        for _ in 0..=self.below(4) {
            let name = match self.below(4) {
                0 => target.to_owned(),
                1 => self.near(target),
                _ => self.name(event),
            };
            list += &name;
            if event.matcher_target == MatcherTarget::Model || self.below(30) == 0 {
                list += self.one_of(&["", "[1m]", "[2M]", "[2m] ", "[3m]", "[1m]x", "[1m]\t"]);
            }
            list += self.one_of(&["|", "|", "|", ",", ", ", " | ", "||", " ", "\t|", "-", ""]);
        }
        match self.below(12) {
            0 => self.one_of(&["*", "[1m]", " [1m]", "*[1m]", "* [1m]", "[1m]|", " ", "|", ".*"]).to_owned(),
            _ => list,
        }
    }

    /// An expression that is mostly well formed.
    fn expression(&mut self, target: &str) -> String {
        self.groups = 0;
        let body = self.alternatives(target, 3, true);
        let (start, end) = (self.one_of(&["", "", "^"]), self.one_of(&["", "", "$"]));
        format!("{start}{body}{end}")
    }

    fn alternatives(&mut self, target: &str, depth: usize, is_outermost: bool) -> String {
        let count = 1 + self.below(3) / 2;
        let parts: Vec<String> = (0..count).map(|_| self.sequence(target, depth, is_outermost)).collect();
        parts.join("|")
    }

    fn sequence(&mut self, target: &str, depth: usize, is_outermost: bool) -> String {
        let chars: Vec<char> = target.chars().collect();
        let start = self.below(chars.len() + 1);
        let mut rest = chars[if self.below(2) == 0 { 0 } else { start }..].iter();
        let mut sequence = String::new();
        for _ in 0..self.below(6) {
            let literal: String = rest.by_ref().take(self.below(3)).collect();
            sequence += &literal;
            let quantifies = self.below(5) == 0;
            // Within what is repeated without end nothing else is: that could take for ever.
            let is_endless = quantifies && is_outermost && self.below(2) == 0;
            sequence += &self.atom(target, depth, is_outermost && !is_endless);
            if is_endless {
                sequence += self.word("* + *? +? {1,} {0,}?");
            } else if quantifies {
                sequence += self.word("? ?? {2} {0,2} {1,2}? {,2} {2 {} {a} {01} {00,0}");
            }
        }
        sequence + &rest.take(self.below(20)).collect::<String>()
    }

    fn atom(&mut self, target: &str, depth: usize, is_outermost: bool) -> String {
        let kinds = if depth == 0 { 6 } else { 9 };
        match self.below(kinds) {
            0 => ".".to_owned(),
            1 => self.class(),
            2 => self
                .word(
                    r"\d \D \w \W \s \S \b \B \. \_ \- \/ \x41 \x4 \u0042 \u{42} \u{2} \u00 \cA \c \c1 \0 \00 \08 \377
                    \400 \8 \p{L} \P \a \n \t \ud83d \ud83d\ude00 \😀 \é",
                )
                .to_owned(),
            3 => self.word(r"\1 \2 \9 \10 \k \k<a> \k<n1> \k<n2>").to_owned(),
            4 => self.word("{ } ] - / < é 😀 , : = !").to_owned(),
            5 => self.word("^ $ a B _ sh").to_owned(),
            _ => {
                let named = format!("(?<n{}>", self.groups + 1);
                let open = self.one_of(&["(", "(", "(?:", "(?=", "(?!", "(?<=", "(?<!", &named]);
                self.groups += usize::from(open == named);
                let open = open.to_owned();
                let body = self.alternatives(target, depth - 1, is_outermost);
                format!("{open}{body})")
            }
        }
    }

    fn class(&mut self) -> String {
        let mut class = self.one_of(&["[", "[", "[^"]).to_owned();
        for _ in 0..self.below(4) {
            class += self.word(
                r"a A-Z a-z _ - \w \W \d-z a-\d \b \B \] \- [ ( ) * ^ z-a \x41-\x43 \c \cA \c1 \c_ \0 \1 \8 é 😀 😀-😁 , |
                \\ \u{42} \u0041 \k \s",
            );
        }
        class + "]"
    }

    /// Tokens in any order.
    fn soup(&mut self, target: &str) -> String {
        (0..self.below(8))
            .map(|_| match self.below(4) {
                0 => target,
                _ => self.word(
                    r"( (? (?: (?= (?! (?< (?<= ) [ [^ ] { } {1} {2,1} {,1} {1,} * + ? | ^ $ \ \\ \b \k \u \x \c - , . < >
                    = ! 1 0 a",
                ),
            })
            .collect()
    }

    /// The text with a character added or taken away.
    fn broken(&mut self, text: &str) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        let at = self.below(chars.len() + 1);
        if at < chars.len() && self.below(2) == 0 {
            chars.remove(at);
        } else {
            let added = ['(', ')', '[', ']', '{', '}', '*', '?', '+', '\\', '|', '<', '-', '^'];
            chars.insert(at, added[self.below(added.len())]);
        }
        chars.into_iter().collect()
    }
}
