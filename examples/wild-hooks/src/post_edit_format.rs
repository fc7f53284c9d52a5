//! After moneytosms/claude-template, `.claude/hooks/post-edit-format.mjs`.

use std::path::Path;

use hookkit::prelude::*;
use hookkit::process::Command;

/// Formats a file that was just edited.
#[hook(PostToolUse, timeout = 20)]
pub fn post_edit_format(call: PostToolUse<tool::FileChange>) {
    run("ruff", &["format", "--"], &call.input.file_path);
}

fn run(formatter: &str, arguments: &[&str], file: &Path) {
    // A formatter that is missing or fails does not stop the session.
    let _ = Command::new(formatter).args(arguments).arg(file).output();
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_file_is_only_an_argument() -> Result<(), Error> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("$(touch other); x");
        fs::write(&file, "x")?;
        run("cp", &["--", "/dev/null"], &file);
        assert_eq!(fs::read(&file)?, b"");
        run("no-such-formatter", &[], &file);
        assert_eq!(fs::read_dir(&folder)?.count(), 1);
        Ok(())
    }
}
