//! The rules for a hook's matcher, `if` and timeout, and their messages.
//!
//! The attribute applies the rules to code, xtask applies them to the hooks in settings files. The rules are the same
//! for both; the fix depends on the [`Origin`]. An unknown name of an agent or a server is not a fault. An unknown tool
//! has its own [effect](Effect::Unknown): the attribute rejects it, and xtask reports it as a note.

mod agents;
mod condition;
mod matcher;
mod rule;

use std::fmt;

pub use agents::{Unfit, own_expression, own_name, unfit_entry, unfit_hook, unfit_policy};
pub use condition::{condition, tool_of_condition};
pub use matcher::{admitted, matcher, unwatched};
pub use rule::rule_content;

/// The origin of a checked text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The attribute of a function.
    Attribute,
    /// A settings file, for a hook of any kind.
    Settings,
}

/// A mistake in a text: it does not mean what it seems to mean.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The mistake, as a clause.
    pub what: String,
    /// The fix, as a clause.
    pub fix: String,
    /// Lines that show the position of the mistake; empty for most mistakes.
    pub excerpt: String,
    /// The consequence.
    pub effect: Effect,
    /// `true` if the author may intend it.
    pub may_be_intended: bool,
    /// The location of the rule in the code, for the test that each rule has a fix that works.
    #[cfg(test)]
    site: &'static std::panic::Location<'static>,
}

/// The consequence of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The hook does not run in cases where its author expects it.
    Never,
    /// The hook runs in cases where its author does not expect it.
    More,
    /// No consequence for the author was observed.
    Harmless,
    /// The hook runs only in a client with a tool of this name. No [table](crate::tool::BUILT_IN) has that tool.
    Unknown,
}

impl Fault {
    #[cfg_attr(test, track_caller)]
    fn new(effect: Effect, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            fix: fix.into(),
            excerpt: String::new(),
            effect,
            may_be_intended: false,
            #[cfg(test)]
            site: std::panic::Location::caller(),
        }
    }

    /// Marks the fault as possibly intended.
    fn unless_meant(self) -> Self {
        Self { may_be_intended: true, ..self }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}{}", self.what, self.fix, self.excerpt)
    }
}

/// Longest reasonable timeout of a hook, in seconds.
pub const LONGEST_TIMEOUT: u32 = 7200;

/// Returns `true` if a timeout looks like milliseconds. The client takes seconds.
pub const fn looks_like_milliseconds(seconds: u32) -> bool {
    seconds >= 1000 && seconds.is_multiple_of(500)
}

/// Checks that the client accepts a timeout, and that it is reasonable.
///
/// # Errors
///
/// Fails if the timeout is zero, unreasonably long, or looks like milliseconds.
pub fn timeout(seconds: u32, place: Origin) -> Result<(), Fault> {
    let option = match place {
        Origin::Attribute => "timeout = ",
        Origin::Settings => "\"timeout\": ",
    };
    match seconds {
        // On PreToolUse, the client drops the whole settings file for it (client 2.1.330).
        0 => {
            Err(Fault::new(Effect::Never, "a timeout must be at least one second", "remove `timeout` for the default"))
        }
        _ if looks_like_milliseconds(seconds) => Err(Fault::new(
            Effect::More,
            format!("a timeout is in seconds: {seconds} s are {} minutes", seconds / 60),
            format!("for {seconds} milliseconds write `{option}{}`", seconds.div_ceil(1000)),
        )
        .unless_meant()),
        _ if seconds > LONGEST_TIMEOUT => Err(Fault::new(
            Effect::More,
            format!("a timeout of {seconds} seconds is longer than two hours"),
            format!("write at most {LONGEST_TIMEOUT}"),
        )
        .unless_meant()),
        _ => Ok(()),
    }
}

/// Joins quoted words: `a`, `b` or `c`.
pub fn or_list(words: &[&str], or: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} {or} {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::iter;

    use super::*;
    use crate::event::{self, Event};

    #[test]
    fn a_timeout_must_be_reasonable() {
        for seconds in [1, 60, 600, 999, 1800, 3600, 7200] {
            assert_eq!(timeout(seconds, Origin::Settings), Ok(()), "{seconds}");
        }
        let fix = |seconds| timeout(seconds, Origin::Settings).expect_err("no fault").fix;
        assert_eq!(fix(30_000), "for 30000 milliseconds write `\"timeout\": 30`");
        assert_eq!(fix(1500), "for 1500 milliseconds write `\"timeout\": 2`");
        assert_eq!(fix(7201), "write at most 7200");
        assert!(timeout(0, Origin::Settings).is_err());
    }

    /// The matcher of a hook, and the `if` of the hook.
    type Texts<'t> = (&'t str, Option<&'t str>);

    fn faults(event: &Event, (matcher, condition): Texts<'_>) -> Vec<Fault> {
        let mut faults = super::matcher(event, matcher, Origin::Settings);
        let sound = (matcher != "*").then_some(matcher);
        if let Some(condition) = condition.filter(|_| faults.is_empty()) {
            faults.extend(super::condition(event, condition, sound, Origin::Settings).err());
        }
        faults
    }

    /// Returns `true` if the fixed texts contain a word that the fix has in backticks.
    fn is_followed(fix: &str, texts: &str) -> bool {
        let mut named = fix.split('`').skip(1).step_by(2).map(|word| word.replace("\"", ""));
        let is_vague = ["remove", "leave it out"].iter().any(|start| fix.starts_with(start));
        is_vague
            || named.clone().all(|word| word == "|" || word.contains('…'))
            || named.any(|word| texts.contains(&word))
    }

    #[test]
    fn each_rule_has_a_fix_that_works() {
        let mut shown = BTreeSet::new();
        let lines = test_support::lines!("lines/fixes.txt");
        let condition = |text| Some(text).filter(|text| *text != "-");
        for (section, row) in lines.sections.iter().flat_map(|section| iter::repeat(section).zip(&section.rows)) {
            let event = event::event(section.name).expect("an event");
            let [matcher, tried, fixed] = [0, 1, 2].map(|field| row.expected[field].as_str());
            let (broken, fixed) = ((matcher, condition(tried)), (fixed, condition(&row.line)));
            let found = faults(event, broken);
            assert!(!found.is_empty(), "{broken:?}");
            for fault in found {
                let texts = format!("matcher: {} if: {}", fixed.0, fixed.1.unwrap_or_default());
                assert!(is_followed(&fault.fix, &texts), "{broken:?}: {fault}: {fixed:?}");
                shown.insert((fault.site.file(), fault.site.line()));
            }
            assert_eq!(faults(event, fixed), [], "{broken:?}");
            let is_of_tools = event.name == event::PRE_TOOL_USE.name && fixed.0 != "*";
            assert!(!is_of_tools || !admitted(event, fixed.0).is_empty(), "{fixed:?}");
        }
        for (seconds, fixed) in [(0, 1), (30_000, 30), (7201, LONGEST_TIMEOUT)] {
            let fault = timeout(seconds, Origin::Settings).expect_err("a fault");
            assert!(seconds == 0 || is_followed(&fault.fix, &format!("timeout: {fixed}")), "{fault}");
            assert_eq!(timeout(fixed, Origin::Settings), Ok(()));
            shown.insert((fault.site.file(), fault.site.line()));
        }
        let unwatched = unwatched(&event::FILE_CHANGED);
        assert!(is_followed(&unwatched.fix, "matcher = Makefile|justfile"), "{unwatched}");
        shown.insert((unwatched.site.file(), unwatched.site.line()));
        let rules = [
            ("hookkit/protocol/src/lint/mod.rs", include_str!("mod.rs")),
            ("hookkit/protocol/src/lint/matcher.rs", include_str!("matcher.rs")),
            ("hookkit/protocol/src/lint/condition.rs", include_str!("condition.rs")),
        ];
        for (file, text) in rules {
            let rules = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
            for (number, line) in (1..).zip(rules.lines()) {
                // The fixes for the attribute have their own tests, in hookkit-macros.
                let is_rule = line.contains("Fault::new(") && !line.contains("is a permission rule\"), fix)");
                assert!(
                    !is_rule || shown.contains(&(file, number)),
                    "{file}:{number}: no case shows the fix of {}",
                    line.trim()
                );
            }
        }
    }
}
