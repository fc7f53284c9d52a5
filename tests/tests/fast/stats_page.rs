//! The page of `stats --page`, in a browser.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::MetadataExt;

use hookkit_tests::browser::{self, Page};
use hookkit_tests::prelude::*;

/// Sessions of a user, and a page about them.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Result<Self> {
        let folder = test_support::folder();
        fs::create_dir_all(folder.path().join("projects/-project"))?;
        Ok(Self { folder })
    }

    fn transcript(&self, name: &str) -> PathBuf {
        self.folder.path().join("projects/-project").join(name)
    }

    fn recorded() -> Result<Self> {
        let world = Self::new()?;
        for name in ["denials.jsonl", "endings.jsonl"] {
            let text = fs::read(repository().join("tests/fixtures/transcripts").join(name))?;
            fs::write(world.transcript(name), text)?;
        }
        Ok(world)
    }

    /// Writes the page, and returns its path, and what is on stdout and stderr.
    fn page(&self, arguments: &[&str]) -> Result<(PathBuf, [String; 2])> {
        let page = self.folder.path().join("page.html");
        // The recorded sessions become older.
        let mut command = command(self.folder.path(), &["stats", "--days", "10000", "--page"])?;
        command.arg(&page).args(arguments).env("CLAUDE_CONFIG_DIR", self.folder.path());
        let printed = command.both(0)?;
        Ok((page, printed))
    }
}

/// Returns a page in chromium, or says that the test is skipped.
pub(crate) fn opened(test: &str) -> Result<Option<Page>> {
    let Some(browser) = browser::locate() else {
        skip(test, "chromium is not installed");
        return Ok(None);
    };
    Page::new(&browser).map(Some)
}

/// Checks that a page is quiet, and that a phone and a desktop need not scroll it sideways.
pub(crate) fn check(page: &mut Page, file: &Path) -> Result<()> {
    for (width, scheme) in [(375, "light"), (1280, "dark")] {
        let metrics = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500});
        page.call("Emulation.setDeviceMetricsOverride", metrics)?;
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        page.call("Emulation.setEmulatedMedia", json!({"features": features}))?;
        page.load(file)?;
        let all_open = "document.querySelectorAll('details').forEach((each) => { each.open = true; });
            [document.documentElement.scrollWidth, document.documentElement.clientWidth]";
        let widths = page.value(all_open)?;
        assert_eq!(widths, json!([width, width]), "{width}: sideways scrolling");
        assert_eq!(page.value("performance.getEntriesByType('resource').length")?, 0);
        assert_eq!(page.value(CONTRAST)?, json!([]), "{scheme}");
        assert_eq!(page.noise(), Vec::<&Value>::new());
    }
    Ok(())
}

/// Checks a page as [`check`] does, and that texts in it have added nothing to it and executed nothing.
pub(crate) fn check_hostile(page: &mut Page, file: &Path) -> Result<()> {
    check(page, file)?;
    let found = page.value("[typeof window.hacked, document.images.length, document.scripts.length]")?;
    ensure!(found == json!(["undefined", 0, 2]), "{found}");
    Ok(())
}

/// Sets a filter, and returns the number of marks, rows and groups of the timeline, and of rows of tables that are shown.
pub(crate) fn filtered(page: &mut Page, id: &str, value: &str) -> Result<Vec<u64>> {
    let counts = page.value(&format!(
        "(async () => {{
            const field = document.getElementById({});
            field.value = {};
            field.dispatchEvent(new Event('input', {{bubbles: true}}));
            await new Promise((done) => setTimeout(done, 200));
            const shown = (query) => [...document.querySelectorAll(query)].filter((each) => !each.closest('[hidden]')).length;
            const counts = ['.lane rect', '.lane tbody tr', '.lane', '.wide tbody tr:not(:has([scope=rowgroup]))'].map(shown);
            field.value = '';
            field.dispatchEvent(new Event('input', {{bubbles: true}}));
            await new Promise((done) => setTimeout(done, 200));
            return counts;
        }})()",
        json!(id),
        json!(value)
    ))?;
    let counts = counts.as_array().into_iter().flatten();
    Ok(counts.filter_map(Value::as_u64).collect())
}

#[test]
fn the_page_of_recorded_sessions_works_in_a_browser() -> Result<()> {
    let Some(mut page) = opened("the_page_of_recorded_sessions_works_in_a_browser")? else {
        return Ok(());
    };
    let world = World::recorded()?;
    let (file, [printed, stderr]) = world.page(&["--json"])?;
    let printed = Documented::read()?.rows("stats", &printed)?;
    let of = |kind: &str| printed.iter().filter(|row| row["kind"] == kind).count() as u64;
    stderr.has("folders of 2 sessions");
    stderr.has("--redact");
    assert_eq!(fs::metadata(&file)?.mode() & 0o777, 0o600);
    check(&mut page, &file)?;

    let all = filtered(&mut page, "hook", "")?;
    let [marks, rows, lanes, cells] = all[..] else { panic!("{all:?}") };
    assert!(marks > 100 && marks == of("run") && marks == rows && lanes == 2, "{all:?}");
    let in_tables = ["hook", "denial", "failure", "ignored", "unseen"].map(of);
    assert_eq!(cells, in_tables.iter().sum::<u64>());
    // Each filter leaves something of it, and a mark for each row.
    for (id, value) in [("hook", "PRETOOLUSE-EXIT1"), ("event", "Stop"), ("outcome", "denied"), ("session", "endings")]
    {
        let found = filtered(&mut page, id, value)?;
        let holds = found[0] > 0 && found[0] < marks && found[0] == found[1];
        assert!(holds, "{id}: {found:?}");
        assert_eq!(found[3] < cells, id != "session", "{id}: {found:?}");
    }
    assert_eq!(filtered(&mut page, "hook", "no such hook")?, [0, 0, 0, 0]);

    // The filters and the lanes.
    assert_eq!(page.value(REACHED)?, 5 + 2);
    page.call("Emulation.setScriptExecutionDisabled", json!({"value": true}))?;
    page.load(&file)?;
    let without = page.value("document.querySelector('main').innerText.trim()")?;
    let without = without.as_str().unwrap_or_default();
    without.ends("the command prints them with --json.");
    Ok(())
}

/// The number of fields that the keyboard reaches and that have a label.
pub(crate) const REACHED: &str = "[...document.querySelectorAll('input, select, button, summary')].filter((each) => {
    each.focus();
    return document.activeElement === each && (each.labels?.length || each.textContent.trim());
}).length";

/// Texts whose contrast with the page is less than 4.5.
const CONTRAST: &str = include_str!("../../fixtures/pages/contrast.js");

#[test]
fn hostile_transcripts_execute_nothing_and_the_page_stays_small() -> Result<()> {
    let world = World::new()?;
    let nasty = "</script><script>window.hacked=1</script><!--<img src=x onerror=window.hacked=1>'\"\u{202e}\0\x1b[2J";
    let run = |command: &str, tool: &str, milliseconds: u64, time: &str| {
        json!({
            "type": "attachment", "cwd": format!("/{nasty}"), "timestamp": time,
            "attachment": {
                "type": "hook_blocking_error", "hookEvent": "PreToolUse", "hookName": format!("PreToolUse:{tool}"),
                "toolUseID": "1", "durationMs": milliseconds,
                "blockingError": {"blockingError": nasty, "command": command},
            },
        })
    };
    let large = run(&"<&\u{202e}".repeat(2 << 20), nasty, u64::MAX, "2026-11-25T04:00:00Z");
    fs::write(world.transcript("large.jsonl"), format!("{large}\n"))?;
    let many = world.transcript(&format!("{}.jsonl", "'\"<img src=x>".repeat(9)));
    // The first page is of the largest size, which takes a browser many seconds: it gets the second one.
    let mut file = PathBuf::new();
    for (rows, lengths) in [(10_000_u64, 6_000_000..9_000_000), (300, 100_000..1_000_000)] {
        let mut many = BufWriter::new(File::create(&many)?);
        for number in 0..rows {
            let time = format!("2026-11-25T05:{:02}:{:02}.000Z", number / 60 % 60, number % 60);
            let command = format!("{}{number}", nasty.repeat(9));
            writeln!(many, "{}", run(&command, nasty, number, &time))?;
        }
        many.flush()?;
        file = world.page(&[])?.0;
        let length = fs::metadata(&file)?.len();
        assert!(lengths.contains(&length), "{rows} rows: {length} bytes");
        let text = fs::read_to_string(&file)?;
        assert_eq!(text.matches("<script").count(), 2);
        assert!(!text.contains(['\0', '\x1b', '\u{202e}']));
    }
    let Some(mut page) = opened("hostile_transcripts_execute_nothing_and_the_page_stays_small")? else {
        return Ok(());
    };
    check_hostile(&mut page, &file)?;
    let text = page.value("document.querySelector('main').innerText")?;
    text.as_str().unwrap_or_default().has("Left out: 101 of 301; --json has all.");
    Ok(())
}

#[test]
fn a_redacted_page_has_no_command_reason_or_folder() -> Result<()> {
    let world = World::recorded()?;
    let (file, [_, stderr]) = world.page(&["--redact"])?;
    stderr.has("no commands, reasons and folders");
    let redacted = fs::read_to_string(&file)?;
    // The page of this command is replaced.
    let whole = fs::read_to_string(world.page(&[])?.0)?;
    for text in ["/bin/echo exec form", "unwanted it is", "not yet", "/nonexistent/program", "/project", "err1"] {
        assert!(whole.contains(text) && !redacted.contains(text), "{text}");
    }
    assert!(redacted.contains("exit code 127") && redacted.contains("hook 1"));
    fs::write(&file, "mine").context("a file")?;
    let refused = world.page(&[]).expect_err("it is replaced");
    format!("{refused:#}").has("it is not a page of hookkit");
    assert_eq!(fs::read_to_string(&file)?, "mine");
    Ok(())
}
