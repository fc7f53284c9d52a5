//! After luischanci/claude-code-research-starter, `.claude/hooks/pre-compact.ps1`.

use std::fs::{self, File};
use std::io::Write;

use hookkit::Timestamp;
use hookkit::prelude::*;

/// Adds a note about the compaction to the newest session log.
#[hook(PreCompact, on_failure = continue)]
pub fn pre_compact(compaction: PreCompact, context: Context) -> Result<(), Error> {
    let logs = fs::read_dir(context.project_dir.join("quality_reports/session_logs"));
    let notes = logs.into_iter().flatten().filter_map(Result::ok);
    let notes = notes.filter(|note| note.path().extension().is_some_and(|extension| extension == "md"));
    if let Some(newest) = notes.max_by_key(|note| note.metadata().and_then(|file| file.modified()).ok()) {
        let (trigger, now) = (compaction.trigger, Timestamp::now());
        let mut log = File::options().append(true).open(newest.path())?;
        writeln!(
            log,
            "\n---\n**Context compaction ({trigger}) at {now}**\nCheck git log and quality_reports/plans/."
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use hookkit::event::CompactTrigger;

    use super::*;

    #[test]
    fn the_newest_log_gets_the_note() -> Result<(), Error> {
        let project = tempfile::tempdir()?;
        let mut context = Context::default();
        context.project_dir = project.path().to_owned();
        let compact = || pre_compact(PreCompact::new(CompactTrigger::Auto), context.clone());
        compact()?;
        let logs = project.path().join("quality_reports/session_logs");
        fs::create_dir_all(&logs)?;
        for name in ["old.md", "new.md", "newer.txt"] {
            fs::write(logs.join(name), "")?;
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        compact()?;
        assert!(fs::read_to_string(logs.join("new.md"))?.contains("(auto) at "));
        assert_eq!(fs::read_to_string(logs.join("old.md"))?, "");
        Ok(())
    }
}
