//! Groups answers by reason. Answers that differ only in their quotations have the same reason.

use std::cmp::Reverse;
use std::collections::BTreeMap;

pub(crate) use hookkit_spool::without_quotations;

use crate::history::replay::{Answer, Answered, Kind, Results};
use crate::terminal::one_line;

/// Returns the answers for each reason, the oldest first. The strongest kinds come first and, within a kind, the most
/// frequent reasons.
pub(crate) fn of(results: &Results) -> Vec<(Kind, Vec<&Answered>)> {
    let mut found: BTreeMap<(Kind, String), Vec<&Answered>> = BTreeMap::new();
    for answered in &results.answered {
        let Answer { kind, text, .. } = &answered.answer;
        let key = (*kind, without_quotations(&first_line(text)));
        found.entry(key).or_default().push(answered);
    }
    let mut reasons: Vec<_> = found.into_iter().map(|((kind, _), answered)| (kind, answered)).collect();
    reasons.sort_by_key(|(kind, answered)| (*kind, Reverse(answered.len())));
    reasons
}

pub(crate) fn first_line(text: &str) -> String {
    one_line(text.trim().lines().next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_differ_in_their_quotations_are_one() {
        for (reason, shown) in [
            ("`a.rs` and `b.rs`: no", "`…` and `…`: no"),
            ("no", "no"),
            ("an open ` quotation", "an open `…"),
            ("", ""),
        ] {
            assert_eq!(without_quotations(reason), shown);
        }
    }
}
