//! Guard against skipping git's own hooks.

use crate::change::script;
use crate::folders::goes;
use crate::prelude::*;
use crate::variables::Value;

/// Denies git commands that skip git's hooks, which check a project's commits and pushes.
///
/// A model whose commit is refused by a linter finds `--no-verify` before it finds the mistake.
///
/// | | denied |
/// |---|---|
/// | options | `--no-verify` of `commit`, `merge`, `pull`, `push`, `rebase` and `am`, also abbreviated, and `-n` of `commit` and `am` |
/// | settings | `core.hooksPath`, `hook.NAME.enabled` and `include.path` by `-c`, by variables, and by `git config`, except for a folder of the project such as `.githooks`; `--remove-section core`, and aliases with such options |
/// | variables | `HUSKY=0`, `HUSKY_SKIP_HOOKS`, `SKIP` of pre-commit, `PREK_SKIP`, `LEFTHOOK=0`, `LEFTHOOK_EXCLUDE`, `LEFTHOOK_CONFIG`, `OVERCOMMIT_DISABLE` and their like, another file of settings (`GIT_CONFIG_GLOBAL`), before a git command or by `export` |
/// | programs | `uninstall` of pre-commit, prek, husky, lefthook and overcommit; `--no-verify` and `--no-commit-hooks` of programs that commit (`standard-version`) |
///
/// The hook parses the line as a shell does ([`hookkit::shell`]), so a commit message may mention `--no-verify`.
/// Commands in the text of a skill are judged, too (since client 2.1.332), and so are functions, aliases of the line,
/// code of other languages and scripts that the line writes. A command run by an MCP server's tool is judged like a
/// Bash command. A line that is too deep, too long or not a script is judged by its words.
///
#[doc = include_str!("../limits/keep-git-hooks.md")]
///
/// # Errors
///
/// None. If the process fails, the command is denied.
#[hook(PreToolUse | PreSkillShellCommand, matcher = "^(?:Bash|mcp__.*)$", timeout = 5)]
pub fn keep_git_hooks(
    call: PreToolUse<Change>,
    context: Context,
    environment: Environment,
) -> Option<PreToolUseAnswer> {
    let text = &script(&call);
    let script = shell::analyze(text);
    // In another folder it may be another repository.
    let project = (!script.commands().iter().any(goes)).then_some(&*context.project_dir);
    let commands = Line { text, script: &script, context: &context, environment }.commands();
    let what = commands.iter().find_map(|command| skips(command, project, &commands))?;
    Some(PreToolUseAnswer::deny(format!(
        "{what}, so the project's hooks do not check the commit. Fix their findings; if a hook is wrong or broken, ask \
         the user to run this command"
    )))
}

/// Options that make programs commit without git's hooks.
const SKIPS: &str = "--no-verify --no-commit-hooks --no-git-hooks";

/// Describes the part of a command that skips git's hooks.
fn skips(command: &Command, project: Option<&Path>, commands: &[Command]) -> Option<String> {
    if let Some(variable) = variable(command) {
        return Some(format!("`{variable}` turns git's hooks off"));
    }
    if takes_out(command) {
        return Some(format!("`{command}` uninstalls git's hooks"));
    }
    let Some(git) = Git::of(command) else {
        // Programs that make commits have git's option; for programs with a row it is plain text or a pattern.
        let is_known = command.program().is_none_or(|program| program == "cargo" || Program::named(program).is_some());
        let mut options = command.arguments().iter().take_while(|word| !word.is("--"));
        return Some(format!("`{}` skips git's hooks", options.find(|word| word.is(SKIPS)).filter(|_| !is_known)?));
    };
    if git.settings.iter().any(|setting| finds_hooks(setting)) {
        return Some("a setting of the line may name other git hooks (`core.hooksPath`)".to_owned());
    }
    let (name, rest) = git.words.split_first()?;
    match name.literal()? {
        "config" if rest.windows(2).any(takes_section) => {
            Some(format!("`{command}` changes where git finds its hooks"))
        }
        "config" => {
            let skipping = rest.windows(2).find_map(alias).and_then(|line| {
                shell::analyze(&line).commands().iter().find_map(|command| skips(command, project, commands))
            });
            if skipping.is_some() {
                return skipping;
            }
            let at = rest.iter().position(|word| finds_hooks(word.known_start()))?;
            let is_changed = at + 1 < rest.len() || rest[..at].iter().any(|word| word.known_start().contains("unset"));
            let words: Vec<&Word> = rest.iter().filter(|word| !word.is("set --local")).collect();
            let is_own = match words[..] {
                [name, folder] => {
                    let folder = folder.literal().filter(|_| name.literal().is_some_and(is_hooks_path));
                    !git.is_elsewhere
                        && folder.zip(project).is_some_and(|(folder, project)| are_own(folder, project, commands))
                }
                _ => false,
            };
            (is_changed && !is_own).then(|| format!("`{command}` changes where git finds its hooks"))
        }
        name @ ("commit" | "cz" | "merge" | "pull" | "push" | "rebase" | "am") => {
            let skipping = Read::of_git(git.words).options().find(|option| skips_by(name, option))?;
            Some(format!("`{skipping}` skips git's hooks"))
        }
        _ => None,
    }
}

/// Returns `true` for a folder of the project with a usual name for git hooks and a hook that is executable, or that the line
/// makes executable.
fn are_own(folder: &str, project: &Path, commands: &[Command]) -> bool {
    const FOLDERS: &str = ".githooks .hooks .husky .husky/_ git-hooks";
    const HOOKS: &str = "commit-msg pre-commit pre-push prepare-commit-msg";
    let folder = folder.trim_end_matches('/').trim_start_matches("./");
    let path = project.join(folder);
    // git skips hooks that it cannot start.
    let marks = |command: &Command| {
        let mut words = command.starts().map(|word| word.trim_start_matches("./"));
        command.is("chmod")
            && words.any(|word| lists("+x a+x u+x 755", word))
            && words.any(|word| word.starts_with(folder))
    };
    let is_marked = commands.iter().any(marks);
    let runs = |hook: &str| {
        let found = path.join(hook).metadata();
        found.is_ok_and(|found| found.is_file() && found.len() > 0 && (is_marked || is_executable(&found)))
    };
    lists(FOLDERS, folder) && HOOKS.split(' ').any(runs)
}

#[cfg(unix)]
pub(crate) fn is_executable(found: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
pub(crate) fn is_executable(_: &fs::Metadata) -> bool {
    true
}

/// Returns `true` for an option with which a git command skips its hooks.
fn skips_by(name: &str, option: &str) -> bool {
    match option.strip_prefix("--") {
        // `--no-v` may be `--no-verbose`.
        Some(long) => long.len() > "no-ver".len() && "no-verify".starts_with(long),
        // A value follows these two letters.
        None => {
            lists("am commit cz", name)
                && option.chars().take_while(|letter| !"Su".contains(*letter)).any(|letter| letter == 'n')
        }
    }
}

fn is_hooks_path(setting: &str) -> bool {
    name_of(setting) == "core.hookspath"
}

/// Returns the name of a setting, in lowercase.
fn name_of(setting: &str) -> String {
    up_to(setting, '=').to_ascii_lowercase()
}

/// Returns `true` if words of `git config` remove, or rename, a section that may name hooks.
fn takes_section(words: &[Word]) -> bool {
    let option = words[0].known_start().trim_start_matches('-');
    let section = words[1].known_start().to_ascii_lowercase();
    lists("remove-section rename-section", option) && (section == "core" || section.starts_with("include"))
}

/// Returns the line of a git alias, from the words of `git config` that set it.
fn alias(words: &[Word]) -> Option<String> {
    let is_alias = words[0].known_start().to_ascii_lowercase().starts_with("alias.");
    let meaning = words[1].literal().filter(|meaning| is_alias && !meaning.starts_with('!'))?;
    Some(format!("git {meaning}"))
}

/// Returns `true` for a setting that names the folder of git's hooks, or another settings file.
fn finds_hooks(setting: &str) -> bool {
    let name = name_of(setting);
    let is_of = |section: &str, keys: &[&str]| name.starts_with(section) && keys.iter().any(|key| name.ends_with(key));
    lists("core.hookspath include.path", &name)
        || is_of("includeif.", &[".path"])
        // Hooks in the configuration: git 2.54.
        || is_of("hook.", &[".command", ".enabled", ".event"])
}

/// Describes the variable that makes a command, or all later commands, run without hooks or with another settings file.
fn variable(command: &Command) -> Option<String> {
    let turns_off = |name: &str, value: &str| match name {
        "HUSKY" | "LEFTHOOK" => lists("0 false", value),
        "HUSKY_SKIP_HOOKS"
        | "LEFTHOOK_CONFIG"
        | "LEFTHOOK_EXCLUDE"
        | "OVERCOMMIT_DISABLE"
        | "PREK_ALLOW_NO_CONFIG"
        | "PREK_SKIP"
        | "PRE_COMMIT_ALLOW_NO_CONFIG"
        | "SKIP"
        | "SKIP_SIMPLE_GIT_HOOKS" => !matches!(value, "" | "0" | "false"),
        "LEFTHOOK_BIN" | "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" => !matches!(value, "" | "/dev/null"),
        "GIT_CONFIG_PARAMETERS" => true,
        name => name.starts_with("GIT_CONFIG_KEY_") && is_hooks_path(value),
    };
    let is_git = command.is("git git.exe");
    let is_builtin = command.is_named("export declare readonly typeset");
    assigned(command).filter(|_| is_git || is_builtin || command.words.is_empty()).find_map(|(name, value)| {
        let Value::One(value) = value else { return None };
        turns_off(name, value.known_start()).then(|| format!("{name}={}", value.known_start()))
    })
}

/// Returns `true` for a command that uninstalls the hooks of a hook manager: `pre-commit uninstall`, `uvx pre-commit
/// uninstall`.
fn takes_out(command: &Command) -> bool {
    const MANAGERS: &str = "captainhook hk husky lefthook overcommit pre-commit pre_commit prek";
    let mut words = command.program().into_iter().chain(command.literals());
    // The manager may have a path and a version: `example.org/lefthook@latest`.
    let is_manager = |word: &str| lists(MANAGERS, up_to(base(word), '@'));
    words.any(is_manager) && words.any(|word| lists("uninstall --uninstall", word))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::testing::{bash, context};
    use test_support::lines;

    fn passes(line: &str, project: &Path) -> bool {
        let call = bash(line);
        keep_git_hooks(call, context(project), Environment::default()).is_none()
    }

    #[test]
    fn the_documentation_says_what_is_not_seen() {
        for line in lines::of_table(include_str!("../limits/keep-git-hooks.md"), lines::NOT_SEEN) {
            assert!(passes(&line, Path::new("/none")), "{line}");
        }
    }

    /// Marks a file as executable, so that git starts it.
    fn mark(program: &Path) {
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            fs::set_permissions(program, mode).unwrap();
        }
        assert!(program.is_file());
    }

    #[test]
    fn each_line_ends_as_it_is_said() {
        let lines = test_support::lines!("lines/keep-git-hooks.txt");
        lines.check_in_folders("#!/bin/sh\n", |section, project, line| {
            for program in section.words("program") {
                mark(&project.join(program));
            }
            if passes(line, project) { "pass" } else { "deny" }.to_owned()
        });
    }
}
