//! The reasons of answers: answers that differ only in what they quote have one.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::history::replay::{Answer, Answered, Kind, Results};
use crate::terminal::one_line;

/// An answer that a hook gave once or more.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Said {
    pub(crate) kind: Kind,
    pub(crate) text: String,
}

/// A reason, or with another version the two reasons that differ.
pub(crate) struct Reason<'r> {
    pub(crate) now: Said,
    pub(crate) other: Option<Said>,
    /// The answers, the oldest first.
    pub(crate) answered: Vec<&'r Answered>,
}

/// Returns the reasons of a hook, the strongest answers first, and of those the most frequent reasons. `shown` returns the
/// text of a reason, from its first line without quotations.
pub(crate) fn of<'r>(results: &'r Results, shown: impl Fn(&str) -> String) -> Vec<Reason<'r>> {
    let said = |answer: &Answer| Said {
        kind: answer.kind,
        text: shown(&without_quotations(&first_line(&answer.text))),
    };
    let mut found: BTreeMap<(Said, Option<Said>), Vec<&Answered>> = BTreeMap::new();
    for answered in &results.answered {
        let key = (said(&answered.answer), answered.other.as_ref().map(said));
        found.entry(key).or_default().push(answered);
    }
    let reasons = found.into_iter();
    let mut reasons: Vec<_> = reasons
        .map(|((now, other), answered)| Reason { now, other, answered })
        .collect();
    reasons.sort_by_key(|reason| (reason.now.kind, Reverse(reason.answered.len())));
    reasons
}

pub(crate) fn first_line(text: &str) -> String {
    one_line(text.trim().lines().next().unwrap_or_default()).into_owned()
}

/// Returns the quotations of a reason.
pub(crate) fn quotations(reason: &str) -> Vec<&str> {
    reason.split('`').skip(1).step_by(2).collect()
}

/// Returns a reason without its quotations, which differ from call to call.
pub(crate) fn without_quotations(reason: &str) -> String {
    let parts = reason.split('`').enumerate();
    let kept = parts.map(|(number, part)| if number % 2 == 0 { part } else { "…" });
    kept.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_differ_in_their_quotations_are_one() {
        for (reason, shown, quoted) in [
            ("`a.rs` and `b.rs`: no", "`…` and `…`: no", "a.rs, b.rs"),
            ("no", "no", ""),
            ("an open ` quotation", "an open `…", " quotation"),
            ("", "", ""),
        ] {
            assert_eq!(without_quotations(reason), shown);
            assert_eq!(quotations(reason).join(", "), quoted);
        }
    }
}
