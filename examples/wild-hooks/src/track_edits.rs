//! After diet103/claude-code-infrastructure-showcase, `.claude/hooks/post-tool-use-tracker.sh`.

use std::path::Path;

use hookkit::Timestamp;
use hookkit::log::Log;
use hookkit::prelude::*;
use hookkit::process::shell_word;
use serde::Serialize;

/// Commands that check a package, each with a file in its folder.
const CHECKS: [(&str, &str); 5] = [
    ("tsconfig.json", "npx tsc --noEmit"),
    ("package.json", "npm run build"),
    ("Cargo.toml", "cargo check"),
    ("go.mod", "go vet ./..."),
    ("pyproject.toml", "ruff check"),
];

#[derive(Serialize)]
struct Edit<'e> {
    time: Timestamp,
    session: &'e str,
    file: &'e str,
    package: &'e Path,
    check: String,
}

/// Logs each edited file of a package in `.claude/edits.jsonl`, with the command that checks the package.
#[hook(PostToolUse, timeout = 5)]
pub fn track_edits(call: PostToolUse<tool::FileChange>, context: Context) -> Result<(), Error> {
    let path = context.path(&call.input.file_path)?;
    let check = |folder: &Path| CHECKS.iter().find(|(file, _)| folder.join(file).exists());
    let package = path.folders().find_map(|folder| Some((folder, check(folder)?.1)));
    let (Some(file), Some((package, check))) = (&path.relative, package) else {
        return Ok(());
    };
    Log::in_project(&context, ".claude/edits.jsonl").append(&Edit {
        time: Timestamp::now(),
        session: &context.session_id,
        file,
        package,
        check: format!("cd {} && {check}", shell_word(&package.to_string_lossy())),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_in_the_nearest_package() -> Result<(), Error> {
        let project = tempfile::tempdir()?;
        let root = project.path().canonicalize()?;
        let mut context = Context::default();
        (context.cwd, context.project_dir) = (root.clone(), root.clone());
        let edit = |file: &str| {
            let call = PostToolUse::new("Edit", tool::FileChange::new(root.join(file)), tool::NotDecoded);
            track_edits(call, context.clone())
        };
        edit("README.md")?;
        assert!(!root.join(".claude").exists());
        fs::create_dir_all(root.join("the app/src"))?;
        fs::write(root.join("package.json"), "{}")?;
        fs::write(root.join("the app/tsconfig.json"), "{}")?;
        edit("README.md")?;
        edit("the app/src/a.ts")?;
        let log = fs::read_to_string(root.join(".claude/edits.jsonl"))?;
        let lines: Vec<&str> = log.lines().collect();
        assert!(
            lines[0].contains("\"file\":\"README.md\"") && lines[0].contains("&& npm run build"),
            "{log}"
        );
        let check = format!("\"check\":\"cd '{}/the app' && npx tsc --noEmit\"", root.display());
        assert!(
            lines[1].contains("\"file\":\"the app/src/a.ts\"") && lines[1].contains(&check),
            "{log}"
        );
        Ok(())
    }
}
