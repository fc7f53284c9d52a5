//! The language of the repository.

// ANCHOR: hook
use std::path::Path;

use hookkit::prelude::*;
use hookkit::process::Command;

/// A file that shows that a language is used, and the command that checks its code.
type Check = (&'static str, &'static [&'static str]);

const CHECKS: [Check; 4] = [
    ("Cargo.toml", &["cargo", "check", "--quiet"]),
    ("go.mod", &["go", "vet", "./..."]),
    ("tsconfig.json", &["npx", "--no-install", "tsc", "--noEmit"]),
    ("pyproject.toml", &["ruff", "check", "--quiet"]),
];

/// Checks the code at the end of a turn, in each language of the repository.
#[hook(Stop, timeout = 120)]
pub fn check_languages(stop: Stop, context: Context) -> Result<StopAnswer, Error> {
    let complaints = complaints(&context.project_dir, &CHECKS)?;
    if complaints.is_empty() {
        return Ok(StopAnswer::pass());
    }
    Ok(StopAnswer::block_once(&stop, complaints.join("\n\n")))
}

/// Runs the checks of the languages in use. Returns the output of the failed ones.
fn complaints(project: &Path, checks: &[Check]) -> Result<Vec<String>, Error> {
    let mut complaints = Vec::new();
    for (file, command) in checks {
        if !project.join(file).exists() {
            continue;
        }
        let output = Command::new(command[0])
            .args(&command[1..])
            .current_dir(project)
            .stderr_to_stdout()
            // A model does not need more.
            .output_limit(8 * 1024)
            .output()?;
        if !output.status.success() {
            complaints.push(format!("`{}` fails:\n{}", command.join(" "), output.stdout_text()));
        }
    }
    Ok(complaints)
}
// ANCHOR_END: hook

// ANCHOR: test
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_languages_of_the_repository_are_checked() -> Result<(), Error> {
        let project = tempfile::tempdir()?;
        let checks: [Check; 3] = [
            ("good.toml", &["true"]),
            ("bad.toml", &["sh", "-c", "echo line 3 >&2; exit 1"]),
            ("missing.toml", &["no-such-program"]),
        ];
        assert!(complaints(project.path(), &checks)?.is_empty());
        for file in ["good.toml", "bad.toml"] {
            std::fs::write(project.path().join(file), "")?;
        }
        let found = complaints(project.path(), &checks)?;
        assert!(
            matches!(&found[..], [one] if one.ends_with("fails:\nline 3")),
            "{found:?}"
        );
        std::fs::write(project.path().join("missing.toml"), "")?;
        let failed = complaints(project.path(), &checks).unwrap_err().to_string();
        assert_eq!(failed, "there is no program `no-such-program`");
        Ok(())
    }
}
// ANCHOR_END: test
