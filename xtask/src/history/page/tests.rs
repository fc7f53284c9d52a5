use std::fs;
use std::sync::atomic::AtomicU64;

use anyhow::Result;

use super::*;
use crate::history::files::Transcript;
use crate::history::recorded::sessions::Sessions;
use crate::history::tally::Part;
use crate::history::timeline::Timeline;

const ENDINGS: &[u8] = include_bytes!("../../../../tests/fixtures/transcripts/endings.jsonl");

/// Returns the page of as many copies of a transcript, and the number of its runs.
fn page(text: &[u8], copies: usize, limit: usize) -> Result<(String, u64)> {
    let folder = test_support::folder();
    let transcript = |number: usize| {
        let path = folder.path().join(format!("session-{number}.jsonl"));
        fs::write(&path, text)?;
        Ok(Transcript { path, bytes: 0 })
    };
    let transcripts = (0..copies).map(transcript).collect::<Result<Vec<_>>>()?;
    let timeline = Timeline::new(limit, None);
    let mut tally = Tally::of(
        &transcripts,
        &Part::default(),
        &AtomicU64::new(0),
        &timeline,
        &Sessions::default(),
    );
    let (marks, left_out) = std::mem::take(&mut tally.timeline).done();
    let html = Page {
        tally: &tally,
        marks: &marks,
        left_out,
        unseen: &[],
        period: [SystemTime::UNIX_EPOCH; 2],
        project: None,
        is_redacted: false,
    };
    Ok((html.html(), tally.hooks.values().map(HookTally::runs).sum()))
}

fn count(page: &str, what: &str) -> usize {
    page.matches(what).count()
}

#[test]
fn each_recorded_run_has_a_mark_and_a_row() -> Result<()> {
    let (page, runs) = page(ENDINGS, 2, RUNS)?;
    // The legend has a mark for each outcome.
    let marks = count(&page, "<rect x=\"") - count(&page, "\" y=\"") - Outcome::ALL.len();
    assert_eq!(u64::try_from(marks)?, runs);
    assert_eq!(u64::try_from(count(&page, "<td role=\"cell\" class=\"o\">"))?, runs);
    assert_eq!(count(&page, "<details class=\"lane\">"), 2);
    assert!(!page.contains("Left out"));
    Ok(())
}

#[test]
fn older_runs_are_left_out_and_the_page_says_so() -> Result<()> {
    let (page, runs) = page(ENDINGS, 40, 1_000)?;
    assert_eq!(count(&page, "<td role=\"cell\" class=\"o\">"), 1_000);
    assert!(page.contains(&format!("Left out: {} runs", runs - 1_000)));
    assert!(page.contains("older sessions</summary>") || page.contains("older session</summary>"));
    Ok(())
}

#[test]
fn a_page_about_nothing_has_no_tables() -> Result<()> {
    let (page, runs) = page(b"", 1, RUNS)?;
    assert_eq!((runs, count(&page, "<table")), (0, 0));
    assert!(page.contains("What is not recorded"));
    Ok(())
}
