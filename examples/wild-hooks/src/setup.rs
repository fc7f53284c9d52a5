//! After disler/claude-code-hooks-mastery, `.claude/hooks/setup.py`.

use std::path::Path;

use hookkit::prelude::*;
use hookkit::process::Command;

/// Commands that install a project's dependencies, each with the file that lists them.
const INSTALLERS: [(&str, &[&str]); 4] = [
    ("package-lock.json", &["npm", "ci"]),
    ("package.json", &["npm", "install"]),
    ("requirements.txt", &["pip", "install", "-r", "requirements.txt"]),
    ("pyproject.toml", &["uv", "sync"]),
];

/// Prepares a project: sets the variable `PROJECT_ROOT`, and installs the dependencies.
///
/// Claude Code discards a hook's output on this event; a failure is shown to the user.
#[hook(Setup, matcher = "init", timeout = 600)]
pub fn setup(context: Context, variables: EnvFile) -> Result<(), Error> {
    variables.set("PROJECT_ROOT", &context.project_dir)?;
    install(&context.project_dir, &INSTALLERS)
}

fn install(project: &Path, installers: &[(&str, &[&str])]) -> Result<(), Error> {
    let mut is_node_done = false;
    for (file, command) in installers {
        let is_node = command[0] == "npm";
        if !project.join(file).exists() || is_node && is_node_done {
            continue;
        }
        is_node_done |= is_node;
        let done = Command::new(command[0])
            .args(&command[1..])
            .current_dir(project)
            .output()?;
        if !done.status.success() {
            return Err(Error::msg(format_args!(
                "`{}`: {}",
                command.join(" "),
                done.stderr_text()
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn dependencies_are_installed_and_a_failure_is_reported() -> Result<(), Error> {
        let project = tempfile::tempdir()?;
        let installers: [(&str, &[&str]); 2] = [("a", &["touch", "installed"]), ("b", &["ls", "no-such-file"])];
        install(project.path(), &installers)?;
        assert!(!project.path().join("installed").exists());
        fs::write(project.path().join("a"), "")?;
        fs::write(project.path().join("b"), "")?;
        let failed = install(project.path(), &installers).unwrap_err().to_string();
        assert!(failed.starts_with("`ls no-such-file`: "), "{failed}");
        assert!(project.path().join("installed").exists());
        Ok(())
    }
}
