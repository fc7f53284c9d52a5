use std::fs;

use anyhow::{Context, Result};

use super::*;
use crate::settings::folders::Folders;

/// A transcript recorded with client 2.1.330, with hooks that deny, and hooks with each kind of end. Rows without hooks
/// are removed.
const DENIALS: &[u8] = include_bytes!("../../../../tests/fixtures/transcripts/denials.jsonl");
const ENDINGS: &[u8] = include_bytes!("../../../../tests/fixtures/transcripts/endings.jsonl");

/// Reads transcripts of sessions that have no recorded runs.
fn without_record(transcripts: &[Transcript], part: &Part) -> Tally {
    Tally::of(transcripts, part, &AtomicU64::new(0), &Timeline::default(), &Sessions::default())
}

fn tally(text: &[u8], part: &Part) -> Result<Tally> {
    let folder = test_support::folder();
    let path = folder.path().join("session.jsonl");
    fs::write(&path, text)?;
    let transcripts = [Transcript { path, bytes: 0 }];
    Ok(without_record(&transcripts, part))
}

/// Returns the number of all recorded runs and denials.
fn runs(tally: &Tally) -> (u64, u64) {
    (tally.hooks.values().map(HookTally::runs).sum(), tally.denials.values().map(|count| count.times).sum())
}

#[test]
fn denials_have_their_reasons_and_their_hooks_where_the_client_records_them() -> Result<()> {
    let tally = tally(DENIALS, &Part::default())?;
    let denials: Vec<_> =
        tally.denials.keys().map(|key| (&*key.event, &*key.subject, key.command.is_some(), &*key.reason)).collect();
    assert_eq!(
        denials,
        [
            ("PostToolBatch", "", true, "no"),
            ("PostToolUse", "Bash", false, "enough"),
            ("PreCompact", "", true, "no"),
            ("PreToolUse", "Bash", false, "json"),
            ("PreToolUse", "Bash", true, "no"),
            ("Stop", "", true, "not yet"),
            ("Stop", "", true, "two"),
            ("UserPromptSubmit", "", false, "unwanted it is"),
            ("UserPromptSubmit", "", true, "no"),
        ]
    );
    assert_eq!((tally.sessions, tally.stops, tally.damaged), (1, 3, 0));
    assert_eq!(tally.calls, BTreeMap::from([("Agent".to_owned(), 1), ("Bash".to_owned(), 6)]));
    Ok(())
}

#[test]
fn failures_have_their_reasons_and_their_times() -> Result<()> {
    let tally = tally(ENDINGS, &Part::default())?;
    let hook = |start: &str| {
        let mut hooks = tally.hooks.iter();
        let found = hooks.find(|(key, _)| key.command.as_deref().is_some_and(|command| command.starts_with(start)));
        found.map(|(_, hook)| hook).context("no such hook")
    };
    for (command, why) in [
        (": PreToolUse-exit1", "exit code 1: err1"),
        (": PreToolUse-missing", "exit code 127: /bin/sh: 1: /nonexistent/program: not found"),
        (": PreToolUse-timeout", "not done within 1 s"),
    ] {
        assert_eq!(hook(command)?.failures.keys().collect::<Vec<_>>(), [why]);
    }
    let late = hook(": PreToolUse-timeout")?;
    assert_eq!(late.count(Outcome::TimedOut), late.runs());
    let [half, _, all] = late.times.percentiles();
    assert!(half >= Some(1_000) && half <= all);
    let context = hook(": PreToolUse-context")?;
    // The client adds `PreToolUse:Bash hook additional context: ` and the like.
    assert!(context.context > 3 * context.runs(), "{context:?}");
    assert!(context.ignored.is_empty() && !hook(": PreToolUse-cutjson")?.ignored.is_empty());
    Ok(())
}

#[test]
fn a_cut_or_damaged_transcript_loses_no_row_before_the_cut() -> Result<()> {
    let mut random = fastrand::Rng::with_seed(1);
    for text in [DENIALS, ENDINGS] {
        let ends: Vec<usize> = (0..text.len()).filter(|at| text[*at] == b'\n').map(|at| at + 1).collect();
        let whole: Vec<_> =
            ends.iter().map(|end| Ok(runs(&tally(&text[..*end], &Part::default())?))).collect::<Result<_>>()?;
        assert!(whole.is_sorted() && whole.last() > whole.first());
        for _ in 0..200 {
            let cut = random.usize(..text.len());
            let rows = ends.iter().filter(|end| **end <= cut).count();
            let expected = rows.checked_sub(1).map(|last| whole[last]).unwrap_or_default();
            let cut_off = tally(&text[..cut], &Part::default())?;
            assert!(runs(&cut_off) == expected || Some(&runs(&cut_off)) == whole.get(rows), "cut at {cut}");
            // A damaged byte costs at most its row.
            let mut damaged = text.to_vec();
            damaged[cut] = random.u8(..);
            let found = runs(&tally(&damaged, &Part::default())?);
            assert!(found.0 > 0 && found.0 <= whole[whole.len() - 1].0 + 1, "damaged at {cut}");
        }
    }
    Ok(())
}

#[test]
fn text_that_is_not_a_transcript_is_counted_as_damaged() -> Result<()> {
    let foreign =
        tally(b"{\"a\":1}\n[]\nnot JSON\n\n{\"type\":\"attachment\",\"attachment\":7}\n\xff\xfe\n", &Part::default())?;
    assert_eq!((foreign.damaged, runs(&foreign)), (3, (0, 0)));
    assert_eq!(foreign.sessions, 0);
    Ok(())
}

#[test]
fn only_sessions_of_the_project_and_rows_of_the_time_count() -> Result<()> {
    let of = |project: &str, since: &str| {
        let part = Part { since: since.to_owned(), project: Some(project.into()) };
        tally(DENIALS, &part)
    };
    let all = runs(&tally(DENIALS, &Part::default())?);
    assert_eq!(runs(&of("/project", "")?), all);
    assert_eq!(runs(&of("/", "")?), all);
    assert_eq!(runs(&of("/proj", "")?), (0, 0));
    assert_eq!(of("/project/sub", "")?.sessions, 0);
    assert_eq!(of("/project", "2999")?.sessions, 0);
    Ok(())
}

#[test]
fn new_commands_and_reasons_in_every_row_take_a_bounded_memory() -> Result<()> {
    let mut text = String::new();
    for number in 0..2 * KEYS {
        text += &format!(
            "{{\"type\":\"attachment\",\"timestamp\":\"2026\",\"attachment\":{{\"type\":\"hook_non_blocking_error\",\"hookEvent\":\"Stop\",\"command\":\"c{}\",\"stderr\":\"r{number}\"}}}}\n",
            number / 2
        );
    }
    let tally = tally(text.as_bytes(), &Part::default())?;
    assert_eq!(tally.hooks.len(), KEYS);
    assert!(tally.hooks.values().all(|hook| hook.failures.len() <= REASONS));
    Ok(())
}

/// Returns the lines for a recorded run.
fn recorded(number: u64, command: &str, payload: &str, exit_code: u8, stdout: &str) -> String {
    let payload = payload.replace("SESSION", "session");
    format!(
        "{{\"run\":\"{number}\",\"hook\":\"h\",\"command\":{command:?},\"at\":1700000000000,\"payload\":{payload}}}\n\
         {{\"run\":\"{number}\",\"microseconds\":40000,\"exit_code\":{exit_code},\"stdout\":{stdout:?},\"stderr\":\"no\"}}\n"
    )
}

#[test]
fn recorded_runs_fill_what_has_no_row_and_name_the_hook_of_a_denial() -> Result<()> {
    let folder = test_support::folder();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("session.jsonl"), DENIALS)?;
    let transcripts = [Transcript { path: path("session.jsonl"), bytes: 0 }];
    let before = without_record(&transcripts, &Part::default());
    let mut lines = DENIALS.split(|byte| *byte == b'\n').filter_map(Row::scan);
    let denial = lines.find_map(|row| match row.entry() {
        Entry::Results(results) => {
            results.into_iter().find_map(|result| result.denial.filter(|denial| denial.command.is_none()))
        }
        _ => None,
    });
    let id = denial.context("a denial by JSON")?.moment;
    let known = before.hooks.keys().find(|key| key.event == "Stop" && key.command.is_some());
    let stop = known.and_then(|key| key.command.clone()).context("a hook on Stop")?;
    let call = |id: &str| {
        format!(
            "{{\"session_id\":\"SESSION\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_use_id\":{id:?}}}"
        )
    };
    let on_stop = "{\"session_id\":\"SESSION\",\"hook_event_name\":\"Stop\"}";
    let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"json"}}"#;
    let record = [
        // The denial that is not in the transcript.
        recorded(1, "guard", &call(&id), 0, deny),
        // Silent runs of the same moment, and a run of another moment.
        recorded(2, "silent", &call(&id), 0, ""),
        recorded(3, "silent", &call("another"), 0, ""),
        recorded(4, "silent", &call("another"), 1, ""),
        // A run with a row, and a session whose transcript is not read.
        recorded(5, &stop, on_stop, 0, ""),
        recorded(6, "silent", &on_stop.replace("SESSION", "elsewhere"), 0, ""),
    ];
    fs::write(path("runs.jsonl"), record.concat())?;
    let with_record = |part: &Part| -> Result<Tally> {
        let recorded = Sessions::read(&path("runs.jsonl"), &Folders::default())?;
        let (progress, timeline) = (AtomicU64::new(0), Timeline::default());
        let mut tally = Tally::of(&transcripts, part, &progress, &timeline, &recorded);
        tally.add_recorded(recorded, part, &timeline);
        Ok(tally)
    };
    let after = with_record(&Part::default())?;
    assert_eq!((after.sessions, after.recorded()), (before.sessions, 3));
    let (runs_before, denials_before) = runs(&before);
    assert_eq!(runs(&after), (runs_before + 3, denials_before));
    let hook = |tally: &Tally, event: &str, command: Option<&str>| {
        let key = HookKey { event: event.to_owned(), command: command.map(str::to_owned) };
        tally.hooks.get(&key).map(HookTally::runs)
    };
    assert_eq!(hook(&after, "PreToolUse", Some("guard")), Some(1));
    let unnamed = |tally: &Tally| hook(tally, "PreToolUse", None).unwrap_or_default();
    assert_eq!(unnamed(&after) + 1, unnamed(&before));
    assert_eq!(hook(&after, "PreToolUse", Some("silent")), Some(3));
    assert_eq!(hook(&after, "Stop", Some(&stop)), hook(&before, "Stop", Some(&stop)));
    let key = DenialKey {
        event: "PreToolUse".to_owned(),
        subject: "Bash".to_owned(),
        command: Some("guard".to_owned()),
        reason: "json".to_owned(),
    };
    assert!(after.denials.contains_key(&key), "{:?}", after.denials.keys());
    // 40 ms from a moment without rows, and the excess over the slowest row of the other.
    let waited = after.waited - before.waited;
    assert!((41..80).contains(&waited), "{waited}");
    let future = Part { since: "2030-01-01T00:00:00.000Z".to_owned(), ..Part::default() };
    assert_eq!(with_record(&future)?.recorded(), 0);
    Ok(())
}
