//! The page of `backtest --page`, of made-up answers, in a browser.

use hookkit_tests::prelude::*;
use hookkit_xtask::rig::page;
use tempfile::TempDir;

use crate::stats_page::{REACHED, check, check_hostile, filtered, opened};

/// The answers of two hooks that are made up.
#[derive(Clone, Copy)]
struct Sample<'s> {
    /// Text in all places where a hook, a transcript or the user could have put one.
    text: &'s str,
    /// Number of different reasons.
    reasons: usize,
    /// Number of answers with each reason.
    answers: usize,
    /// Set for a page that compares two versions.
    is_compared: bool,
}

const SAMPLE: Sample<'_> = Sample { text: "quoted `a.rs` here", reasons: 6, answers: 4, is_compared: false };

impl Sample<'_> {
    /// Returns the rows, after a comparison with those that `--json` prints.
    fn rows(self) -> Result<Vec<Value>> {
        let (text, reasons, answers, is_compared) = (self.text, self.reasons, self.answers, self.is_compared);
        let kinds = ["denied", "asked", "failed", "informed"];
        let mut rows = Vec::new();
        let (all, times) = (reasons * answers, [[0.3, 20.0], [1.2, 4.0]]);
        for (hook, event, subject) in [("guard", "PreToolUse", text), ("prompts", "UserPromptSubmit", "")] {
            rows.push(json!({
                "kind": "hook", "name": hook, "events": [event], "if": "Bash(git *)", "calls": 400 + all,
                "failed": all / 4, "denied": all / 4, "asked": all / 4, "changed": 0, "allowed": 0, "informed": all / 4,
                "admitted": 400, "differing": is_compared.then_some(5), "answers_left_out": 1,
                "p50_milliseconds": 0.3, "p90_milliseconds": 1.2, "max_milliseconds": 1.25, "times": times,
            }));
            for number in 0..all {
                rows.push(json!({
                    "kind": "answer", "hook": hook, "event": event, "subject": subject,
                    "time": format!("2026-11-25T04:{:02}:{:02}.000Z", number / 60 % 60, number % 60),
                    "session": format!("session-{}", number % 3), "folder": format!("/folder {text}"),
                    "about": format!("input {number} {text}"),
                    "answer": kinds[number % reasons % kinds.len()],
                    "text": format!("reason {} {text}", number % reasons),
                    "other_answer": is_compared.then_some("admitted"),
                    "other_text": is_compared.then(|| format!("reason 0 {text}")),
                }));
            }
        }
        rows.push(json!({
            "kind": "summary", "days": 30, "since": "2026-10-26T00:00:00.000Z", "until": "2026-11-25T05:00:00.000Z",
            "project": text, "against": is_compared.then_some(text), "sessions": 3, "events": 1_000, "events_left_out": 0,
            "events_without_folder": 2, "differing": 10, "damaged_rows": 1, "unread": [text], "notes": ["A note"],
            "sums": {"failed": 1, "denied": 1, "asked": 1, "changed": 0, "allowed": 0, "informed": 1, "admitted": 800},
        }));
        let printed: Vec<String> = rows.iter().map(Value::to_string).collect();
        Documented::read()?.rows("backtest", &printed.join("\n"))
    }

    /// Returns the page.
    fn page(self) -> Result<String> {
        Ok(page("backtest", &self.rows()?, false))
    }

    /// Writes the page.
    fn written(self) -> Result<(TempDir, PathBuf)> {
        let folder = test_support::folder();
        let file = folder.path().join("page.html");
        fs::write(&file, self.page()?)?;
        Ok((folder, file))
    }
}

#[test]
fn the_page_of_a_backtest_works_in_a_browser() -> Result<()> {
    let Some(mut page) = opened("the_page_of_a_backtest_works_in_a_browser")? else {
        return Ok(());
    };
    let (_folder, file) = SAMPLE.written()?;
    check(&mut page, &file)?;
    let title = page.value("document.title")?;
    let holds = title.as_str().is_some_and(|title| title.starts_with("Backtest"));
    assert!(holds, "{title}");
    // Two hooks have six reasons each, with four events of three sessions.
    assert_eq!(filtered(&mut page, "hook", "")?, [0, 48, 12, 2]);
    for (id, value, shown) in [
        ("hook", "GUARD", [0, 24, 6, 1]),
        ("event", "UserPromptSubmit", [0, 24, 6, 1]),
        // Two of four kinds have a second reason; all events of a hook have answers of each kind.
        ("outcome", "denied", [0, 16, 4, 2]),
        ("outcome", "changed", [0, 0, 0, 0]),
        ("session", "session-1", [0, 16, 4, 2]),
        ("session", "04:00:07", [0, 2, 2, 2]),
        ("hook", "no such hook", [0, 0, 0, 0]),
    ] {
        assert_eq!(filtered(&mut page, id, value)?, shown, "{id} {value}");
    }
    let shown = page.value(
        "document.querySelectorAll('.lane')[0].open = true;
        [...document.querySelectorAll('.lane')[0].querySelectorAll('summary > *, tbody tr:first-child > *')].map((each) => each.innerText)",
    )?;
    let expected: Value = include_str!("../../fixtures/pages/backtest-reason.txt").lines().collect();
    assert_eq!(shown, expected);
    // All times are in a plot: the column of most runs is the highest, and lines are at 0.3 and 1.2 ms of 0.1 to 10.
    let plot = page.value(
        "[...document.querySelector('.plot').querySelectorAll('rect, .p50, .max')].map((each) =>
            ['x', 'x1', 'height'].map((name) => each.getAttribute(name) ?? '').join(' ').trim())",
    )?;
    assert_eq!(plot, json!(["22.00%  22", "52.00%  9.838699100999074", "23.86%", "54.85%"]));
    // The filters and the reasons.
    assert_eq!(page.value(REACHED)?, 5 + 12);
    Ok(())
}

#[test]
fn two_versions_are_side_by_side() -> Result<()> {
    let sample = Sample { text: "main", is_compared: true, ..SAMPLE };
    let (_folder, file) = sample.written()?;
    let Some(mut page) = opened("two_versions_are_side_by_side")? else {
        return Ok(());
    };
    check(&mut page, &file)?;
    let heads = page.value("[...document.querySelectorAll('h2')].map((each) => each.innerText)")?;
    assert_eq!(heads[1], "Answers that differ from main");
    for (width, is_wide) in [(1280, true), (375, false)] {
        let metrics = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": !is_wide});
        page.call("Emulation.setDeviceMetricsOverride", metrics)?;
        // The places of both answers, in a summary and in a row of its table.
        let places = page.value(
            "[...document.querySelectorAll('.lane')].slice(0, 1).flatMap((lane) => {
                lane.open = true;
                return ['summary .said', 'tbody tr:first-child .said'].map((query) => {
                    const [main, now] = [...lane.querySelectorAll(query)].map((each) => each.getBoundingClientRect());
                    return main.top === now.top && main.right <= now.left;
                });
            })",
        )?;
        assert_eq!(places, json!([true, true]), "{width}");
    }
    let said = page.value("[...document.querySelectorAll('.lane')[0].querySelectorAll('.said')].slice(0, 4).map((each) => each.innerText)")?;
    assert_eq!(said[0], "main: admitted reason 0 main");
    assert_eq!(said[1], "now: failed reason 2 main");
    // An answer of either version is found.
    let all = filtered(&mut page, "outcome", "")?;
    assert_eq!(filtered(&mut page, "outcome", "admitted")?, all);
    assert_eq!(filtered(&mut page, "outcome", "asked")?[1], 16);
    Ok(())
}

#[test]
fn hostile_texts_of_a_backtest_execute_nothing_and_the_page_stays_small() -> Result<()> {
    let nasty = "</script><script>window.hacked=1</script><!--<img src=x onerror=window.hacked=1>'\"`\u{202e}\0\x1b[2J";
    let sample = Sample { text: &nasty.repeat(20), is_compared: true, ..SAMPLE };
    let large = Sample { text: &nasty.repeat(4), reasons: 201, answers: 51, ..sample };
    let length = large.page()?.len();
    assert!((8_000_000..9_000_000).contains(&length), "{length} bytes");
    let (_folder, file) = sample.written()?;
    let text = fs::read_to_string(&file)?;
    assert_eq!(text.matches("<script").count(), 2);
    assert!(!text.contains(['\0', '\x1b', '\u{202e}']));
    let Some(mut page) = opened("hostile_texts_of_a_backtest_execute_nothing_and_the_page_stays_small")? else {
        return Ok(());
    };
    check_hostile(&mut page, &file)?;
    let (_folder, file) = Sample { text: "", ..large }.written()?;
    page.load(&file)?;
    let text = page.value("document.querySelector('main').textContent")?;
    let text = text.as_str().unwrap_or_default();
    text.has("Left out: 202 of 402 reasons");
    text.has("The newest 50 of 51 events");
    Ok(())
}

#[test]
fn a_redacted_page_of_a_backtest_has_no_input_reason_or_folder() -> Result<()> {
    for is_compared in [false, true] {
        // The name of a tool stays, and that of a revision.
        let sample = Sample { text: "Bash", is_compared, ..SAMPLE };
        let [whole, redacted] =
            [false, true].map(|is_redacted| page("backtest", &sample.rows().unwrap_or_default(), is_redacted));
        for text in ["reason 1", "input 20", "/folder", "\"project\":\"Bash\""] {
            assert!(whole.contains(text) && !redacted.contains(text), "{text}");
        }
        for text in ["\"PreToolUse\"", "\"Bash\"", "session-1", "guard", "(left out)", "2026-11-25T04:00:20"] {
            assert!(redacted.contains(text), "{text}");
        }
    }
    Ok(())
}
