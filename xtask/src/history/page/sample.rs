//! Pages for tests, of answers that no hook gave.

use std::path::Path;
use std::time::SystemTime;

use crate::history::page::backtest::{Backtest, Tested};
use crate::history::replay::{Answer, Answered, Kind, Replay, Results};
use crate::history::timeline::Session;

/// The answers of a page that is made up.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sample<'s> {
    /// Text in all places where a hook, a transcript or the user could have put one.
    pub text: &'s str,
    /// Number of different reasons.
    pub reasons: usize,
    /// Number of answers with each reason.
    pub answers: usize,
    /// Set for a page that compares two versions.
    pub is_compared: bool,
    /// Set to leave texts out.
    pub is_redacted: bool,
}

/// Returns the page of a backtest of two hooks.
pub fn backtest_page(sample: Sample<'_>) -> String {
    let Sample {
        text,
        reasons,
        answers,
        is_compared,
        is_redacted,
    } = sample;
    let kinds = [Kind::Denied, Kind::Asked, Kind::Failed, Kind::Informed];
    let answer = |kind, number: usize| Answer {
        kind,
        text: format!("reason {number} {text}"),
        whole: String::new(),
    };
    let results = |event: &'static str, subject: &str| {
        let mut results = Results {
            left_out: 1,
            ..Results::default()
        };
        for number in 0..reasons * answers {
            let kind = kinds[number % reasons % kinds.len()];
            *results.counts.entry(kind).or_default() += 1;
            results
                .times
                .insert(u64::try_from(number).unwrap_or_default() * 37 + 300);
            let session = Session {
                id: format!("session-{}", number % 3),
                folder: Some(format!("/folder {text}")),
            };
            results.answered.push(Answered {
                time: format!("2026-11-25T04:{:02}:{:02}.000Z", number / 60 % 60, number % 60),
                session: session.into(),
                event,
                subject: subject.to_owned(),
                about: format!("input {number} {text}"),
                answer: answer(kind, number % reasons),
                other: is_compared.then(|| answer(Kind::Admitted, 0)),
            });
        }
        results.counts.insert(Kind::Admitted, 400);
        results.differing = if is_compared { 5 } else { 0 };
        results
    };
    let replay = Replay {
        sessions: 3,
        events: 1_000,
        left_out: 0,
        without_folder: 2,
        results: [(0, results("PreToolUse", text)), (1, results("UserPromptSubmit", ""))].into(),
        damaged: 1,
        unread: vec![text.to_owned()],
    };
    let tested = [("guard", "PreToolUse"), ("prompts", "UserPromptSubmit")];
    let page = Backtest {
        replay: &replay,
        hooks: tested
            .into_iter()
            .zip(replay.results.values())
            .map(|((name, event), results)| Tested {
                name,
                events: vec![event],
                has_condition: true,
                results,
            })
            .collect(),
        against: is_compared.then_some(text),
        period: [SystemTime::UNIX_EPOCH; 2],
        project: Some(Path::new(text)),
        is_redacted,
    };
    page.html()
}
