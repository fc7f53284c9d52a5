//! The page of `backtest --page`, of made-up answers, in a browser.

use std::fs;
use std::path::PathBuf;

use anyhow::Result;
use hookkit_xtask::rig::{Sample, backtest_page};
use serde_json::json;
use tempfile::TempDir;

use crate::stats_page::{check, check_hostile, filtered, opened};

/// Writes a page.
fn written(sample: Sample<'_>) -> Result<(TempDir, PathBuf)> {
    let folder = test_support::folder();
    let file = folder.path().join("page.html");
    fs::write(&file, backtest_page(sample))?;
    Ok((folder, file))
}

const SAMPLE: Sample<'_> = Sample {
    text: "quoted `a.rs` here",
    reasons: 6,
    answers: 4,
    is_compared: false,
    is_redacted: false,
};

#[test]
fn the_page_of_a_backtest_works_in_a_browser() -> Result<()> {
    let Some(mut page) = opened("the_page_of_a_backtest_works_in_a_browser")? else {
        return Ok(());
    };
    let (_folder, file) = written(SAMPLE)?;
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
        ("outcome", "2", [0, 16, 4, 2]),
        ("outcome", "5", [0, 0, 0, 0]),
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
    let expected = json!([
        "4 ×",
        "failed reason 2 quoted `…` here",
        "guard",
        "quoted `a.rs` here input 20 quoted `a.rs` here",
        "2026-11-25 04:00:20",
        "session-2 in /folder quoted `a.rs` here",
        "PreToolUse quoted `a.rs` here input 20 quoted `a.rs` here",
        "a.rs",
    ]);
    assert_eq!(shown, expected);
    // The keyboard reaches the filters and the reasons.
    let reached = page.value(
        "[...document.querySelectorAll('input, select, button, summary')].filter((each) => {
            each.focus();
            return document.activeElement === each && (each.labels?.length || each.textContent.trim());
        }).length",
    )?;
    assert_eq!(reached, 5 + 12);
    Ok(())
}

#[test]
fn two_versions_are_side_by_side() -> Result<()> {
    let (_folder, file) = written(Sample {
        text: "main",
        is_compared: true,
        ..SAMPLE
    })?;
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
    let texts = ["main: admitted reason 0 main", "now: failed reason 2 main"];
    assert_eq!(said[0], texts[0]);
    assert_eq!(said[1], texts[1]);
    // An answer of either version is found.
    let all = filtered(&mut page, "outcome", "")?;
    assert_eq!(filtered(&mut page, "outcome", "0")?, all);
    assert_eq!(filtered(&mut page, "outcome", "3")?[1], 16);
    Ok(())
}

#[test]
fn hostile_texts_of_a_backtest_execute_nothing_and_the_page_stays_small() -> Result<()> {
    let nasty = "</script><script>window.hacked=1</script><!--<img src=x onerror=window.hacked=1>'\"`\u{202e}\0\x1b[2J";
    let text = nasty.repeat(20);
    let sample = Sample {
        text: &text,
        is_compared: true,
        ..SAMPLE
    };
    // A page of the largest size takes a browser many seconds.
    let large = backtest_page(Sample {
        text: &nasty.repeat(4),
        reasons: 201,
        answers: 51,
        ..sample
    });
    let length = large.len();
    assert!((5_000_000..6_000_000).contains(&length), "{length} bytes");
    assert!(large.contains("<b>Left out: ") && large.contains("The newest 50 of 51 events"));
    let (_folder, file) = written(sample)?;
    for text in [large, fs::read_to_string(&file)?] {
        assert_eq!(text.matches("<script").count(), 2);
        assert!(!text.contains(['\0', '\x1b', '\u{202e}']));
    }
    let Some(mut page) = opened("hostile_texts_of_a_backtest_execute_nothing_and_the_page_stays_small")? else {
        return Ok(());
    };
    check_hostile(&mut page, &file)
}

#[test]
fn a_redacted_page_of_a_backtest_has_no_input_reason_or_folder() -> Result<()> {
    for is_compared in [false, true] {
        let sample = Sample {
            // The name of a tool stays, and that of a revision.
            text: "Bash",
            is_compared,
            ..SAMPLE
        };
        let whole = backtest_page(sample);
        let redacted = backtest_page(Sample {
            is_redacted: true,
            ..sample
        });
        for text in ["reason 1", "input 20", "/folder", ", in <span"] {
            assert!(whole.contains(text) && !redacted.contains(text), "{text}");
        }
        for text in [
            "PreToolUse Bash", "session-1", "guard", "(left out)", "2026-11-25 04:00:20",
        ] {
            assert!(redacted.contains(text), "{text}");
        }
    }
    Ok(())
}
