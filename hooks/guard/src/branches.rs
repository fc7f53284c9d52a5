//! Branches that are only changed by a review.

use hookkit::git::WorkTree;
use hookkit::prelude::*;
use hookkit::shell::{self, Command, Script, Word};

use serde::{Deserialize, Serialize};

use crate::folders::Folders;
use crate::git::{Git, without_values};
use crate::variables::commands;

/// Asks about pushes to branches that others build on, and about their deletion.
///
/// In most teams each change of `main` has a review; a model pushes wherever the current branch goes.
///
/// For the branches of [`ProtectedBranches`], which are `main` and `master` unless a workspace names others, it asks about:
///
/// - `git push` of a branch by its name (`origin main`, `HEAD:main`, `+x:refs/heads/main`), and its deletion there
///   (`:main`, `--delete main`);
/// - `git push` without a name, or of `HEAD`, where the current branch is one of them: that of the line's last `checkout` or
///   `switch`, or the one that git names;
/// - `git push --all` and `--mirror`, which have them all;
/// - `git branch -d`, `-D`, `-f` and `-m` of one of them, `git checkout -B`, `git switch -C` and `git update-ref`.
///
/// Other branches pass, forced or not: `deny-destruction` looks at that.
///
#[doc = include_str!("../limits/protect-branches.md")]
///
/// # Errors
///
/// When git fails to name the current branch. The user is asked then.
#[hook(PreToolUse, timeout = 5, on_failure = ask)]
pub fn protect_branches(
    call: PreToolUse<tool::Bash>,
    context: Context,
    environment: Environment,
    config: Config<ProtectedBranches>,
) -> Result<PreToolUseAnswer, Error> {
    // Nearly all calls end here.
    if !call.input.command.contains("git") {
        return Ok(PreToolUseAnswer::pass());
    }
    let script = shell::analyze(&call.input.command);
    let commands = commands(&call.input.command, &script, &context, environment);
    let mut way = Way::default();
    for command in &commands {
        way.follow(command, &config);
        let Some(change) = Change::of(command) else { continue };
        if let Some(branch) =
            change.protected(&way.current(&call.input.command, command), &config, &script, &context)?
        {
            return Ok(PreToolUseAnswer::ask(format!(
                "`{command}` changes the branch `{branch}`, which others build on. A branch of one's own is for a pull \
                 request: git switch -c NAME && git push -u origin NAME"
            )));
        }
    }
    Ok(PreToolUseAnswer::pass())
}

/// The configuration of [`protect_branches`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProtectedBranches {
    /// The branches. A `*` at the end is any rest: `release/*`.
    pub branches: Vec<String>,
}

impl Default for ProtectedBranches {
    fn default() -> Self {
        Self {
            branches: vec!["main".to_owned(), "master".to_owned()],
        }
    }
}

impl ProtectedBranches {
    fn has(&self, branch: &str) -> bool {
        self.branches.iter().any(|protected| match protected.strip_suffix('*') {
            Some(start) => branch.starts_with(start),
            None => branch == protected,
        })
    }
}

/// Branches that a command changes.
enum Change<'a> {
    /// Those of these names.
    Named(Vec<&'a str>),
    /// The current one.
    Current,
    All,
}

impl<'a> Change<'a> {
    fn of(command: &'a Command) -> Option<Self> {
        let (name, rest) = Git::of(command)?.words.split_first()?;
        let has = |options: &[&str]| {
            rest.iter()
                .any(|word| word.literal().is_some_and(|text| options.contains(&text)))
        };
        match name.literal()? {
            "push" if has(&["-n", "--dry-run", "--tags"]) && operands(rest).len() < 2 => None,
            "push" if has(&["-n", "--dry-run"]) => None,
            "push" if has(&["--all", "--branches", "--mirror"]) => Some(Self::All),
            "push" => {
                let refs: Vec<&str> = operands(rest).into_iter().skip(1).collect();
                match refs.is_empty() || refs.iter().any(|name| matches!(*name, "HEAD" | "@")) {
                    true => Some(Self::Current),
                    false => Some(Self::Named(refs.into_iter().map(target).collect())),
                }
            }
            "branch" if has(&["-d", "-D", "-f", "-m", "-M", "--delete", "--force", "--move"]) => {
                Some(Self::Named(operands(rest).into_iter().map(target).collect()))
            }
            // With the commit that it goes to, or none.
            "checkout" if has(&["-B"]) => Some(Self::Named(operands(rest).into_iter().take(1).collect())),
            "switch" if has(&["-C", "--force-create"]) => {
                Some(Self::Named(operands(rest).into_iter().take(1).collect()))
            }
            "update-ref" => Some(Self::Named(operands(rest).into_iter().take(1).map(target).collect())),
            _ => None,
        }
    }

    /// Returns the branch that is protected, if one of them is.
    fn protected(
        self,
        current: &Current<'_>,
        config: &ProtectedBranches,
        script: &Script,
        context: &Context,
    ) -> Result<Option<String>, Error> {
        match self {
            Self::All => Ok(config.branches.first().cloned()),
            Self::Named(names) if names.contains(&"*") => Ok(config.branches.first().cloned()),
            Self::Named(names) => Ok(names.into_iter().find(|name| config.has(name)).map(str::to_owned)),
            Self::Current if matches!(current, Current::Other) => Ok(None),
            Self::Current => {
                if let Current::Protected(branch) = current {
                    return Ok(Some((*branch).to_owned()));
                }
                for folder in Folders::of(script, context).contexts {
                    // A command before it on the line may make the folder.
                    let tree = if folder.cwd.is_dir() {
                        WorkTree::around(&folder.cwd)?
                    } else {
                        None
                    };
                    let branch = tree
                        .map(|tree| tree.status())
                        .transpose()?
                        .and_then(|status| status.branch);
                    if let Some(branch) = branch.filter(|branch| config.has(branch)) {
                        return Ok(Some(branch));
                    }
                }
                Ok(None)
            }
        }
    }
}

/// The current branch, as far as a line says.
enum Current<'c> {
    /// It may be this one, which is protected.
    Protected(&'c str),
    /// It is another one.
    Other,
    Unknown,
}

/// The branches that a line goes to.
#[derive(Default)]
struct Way<'c> {
    /// One that is protected, wherever the line goes afterwards.
    protected: Option<&'c str>,
    /// The last command that goes to another one.
    last: Option<&'c Command>,
}

impl<'c> Way<'c> {
    fn follow(&mut self, command: &'c Command, config: &ProtectedBranches) {
        let Some(git) = Git::of(command) else { return };
        let Some((name, rest)) = git.words.split_first() else {
            return;
        };
        let is_switch = name.literal() == Some("switch");
        if !is_switch && name.literal() != Some("checkout") {
            return;
        }
        let names: Vec<&str> = rest.iter().map(Word::known_start).collect();
        let is_new = names.iter().any(|name| matches!(*name, "-b" | "-c" | "--create"));
        let mut operands: Vec<&str> = names.iter().copied().filter(|name| !name.starts_with('-')).collect();
        // Behind it is the commit where it begins.
        operands.truncate(if is_new { 1 } else { operands.len() });
        let protected = operands.iter().copied().find(|name| config.has(name));
        // Behind `--` are files.
        let is_of_files = names.contains(&"--") && !names.ends_with(&["--"]);
        self.protected = protected.filter(|_| !is_of_files).or(self.protected);
        let is_plain = |word: &Word| match word.literal() {
            Some(text) => matches!(text, "-b" | "-c" | "-q" | "--create" | "--quiet") || !text.starts_with(['-', '@']),
            None => false,
        };
        let is_certain =
            rest.iter().all(is_plain) && operands.len() == 1 && !git.is_elsewhere && command.via.is_empty();
        // Another name may be a file's.
        let goes = (is_switch || is_new) && protected.is_none();
        self.last = Some(command).filter(|_| is_certain && goes);
    }

    /// Returns the branch at a command. That a line goes to another one counts only where the command does not run otherwise.
    fn current(&self, line: &str, command: &Command) -> Current<'c> {
        let is_chained = |last: &Command| {
            let between = line.get(last.span.end..command.span.start).unwrap_or(";");
            !between.replace("&&", "").contains(['&', ';', '|', '\n', '(', '{', '`'])
        };
        match (self.protected, self.last) {
            (Some(branch), _) => Current::Protected(branch),
            (None, Some(last)) if command.via.is_empty() && is_chained(last) => Current::Other,
            _ => Current::Unknown,
        }
    }
}

/// The words of a command that are neither options nor their values.
fn operands(words: &[Word]) -> Vec<&str> {
    const VALUED: &[&str] = &[
        "-o",
        "--exec",
        "--push-option",
        "--receive-pack",
        "--repo",
        "--recurse-submodules",
    ];
    let has_value = |word: &Word| VALUED.contains(&word.known_start());
    let words = without_values(words, has_value).map(Word::known_start);
    words.filter(|text| !text.starts_with('-')).collect()
}

/// The branch that a reference of `git push` changes: `main` of `+HEAD:refs/heads/main`.
fn target(name: &str) -> &str {
    let name = name.strip_prefix('+').unwrap_or(name);
    let name = name.rsplit_once(':').map_or(name, |(_, to)| to);
    name.strip_prefix("refs/heads/")
        .or_else(|| name.strip_prefix("heads/"))
        .unwrap_or(name)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use super::*;
    use crate::limits;

    fn is_asked(line: &str, folder: &Path, config: ProtectedBranches) -> bool {
        let mut context = Context::default();
        context.cwd = folder.to_owned();
        context.project_dir = folder.to_owned();
        let call = PreToolUse::new("Bash", tool::Bash::new(line));
        protect_branches(call, context, Environment::default(), Config(config)).unwrap() != PreToolUseAnswer::pass()
    }

    fn git(folder: &Path, arguments: &[&str]) {
        let identity = ["-c", "user.name=me", "-c", "user.email=me@example.com"];
        let output = Command::new("git")
            .args(identity)
            .args(arguments)
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    #[test]
    fn a_branch_that_is_named_is_asked_about_where_it_is_protected() {
        let folder = tempfile::tempdir().unwrap();
        for (line, asked) in [
            ("git push origin main", true),
            ("git push origin master --tags", true),
            ("git push -u origin main", true),
            ("git push origin topic main", true),
            ("git push origin HEAD:main", true),
            ("git push origin +topic:refs/heads/main", true),
            ("git push origin :main", true),
            ("git push origin --delete main", true),
            ("git push -o ci.skip origin main", true),
            ("sh -c 'git -C app push origin main'", true),
            ("git push --all origin", true),
            ("git push --mirror", true),
            ("b=main; git push origin \"$b\"", true),
            ("export b=main && git push origin HEAD:$b", true),
            ("b=topic; git push origin \"$b\"", false),
            ("git branch -D main", true),
            ("git branch -m main other", true),
            ("git branch -f main HEAD~3", true),
            ("git checkout -B main origin/main", true),
            ("git switch -C main", true),
            ("git update-ref refs/heads/main HEAD~9", true),
            ("git push origin 'refs/heads/*:refs/heads/*'", true),
            ("git push origin 'refs/tags/*'", false),
            ("git checkout -B topic origin/main", false),
            ("git push origin topic", false),
            ("git push -f origin topic", false),
            ("git push origin main:topic", false),
            ("git push origin v1.0", false),
            ("git push origin --tags", false),
            ("git push --dry-run origin main", false),
            ("git branch -D topic", false),
            ("git branch --list main", false),
            ("echo git push origin main", false),
            ("git pull origin main", false),
        ] {
            assert_eq!(
                is_asked(line, folder.path(), ProtectedBranches::default()),
                asked,
                "{line}"
            );
        }
        let config = ProtectedBranches {
            branches: vec!["release/*".to_owned()],
        };
        assert!(is_asked("git push origin release/1", folder.path(), config.clone()));
        assert!(!is_asked("git push origin main", folder.path(), config));
    }

    #[test]
    fn the_documentation_says_what_is_not_seen() {
        let folder = tempfile::tempdir().unwrap();
        let limits = include_str!("../limits/protect-branches.md");
        for line in limits::lines(limits, limits::NOT_SEEN) {
            assert!(!is_asked(&line, folder.path(), ProtectedBranches::default()), "{line}");
        }
    }

    #[test]
    fn the_current_branch_is_asked_of_git() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        std::fs::create_dir_all(project.join("src")).unwrap();
        git(&project, &["init", "--quiet", "--initial-branch=main"]);
        git(&project, &["commit", "--quiet", "--allow-empty", "--message", "one"]);
        let asked = |line| is_asked(line, &project, ProtectedBranches::default());
        for line in [
            "git push",
            "git push -u origin HEAD",
            "git checkout src/main.rs && git push",
            "cd src && git push",
            "git push origin",
        ] {
            assert!(asked(line), "{line}");
        }
        assert!(!asked("git checkout -b topic && git push -u origin HEAD"));
        assert!(!asked("git switch -c topic main && git push -u origin HEAD"));
        git(&project, &["switch", "--quiet", "--create", "topic"]);
        for line in ["git push", "git push -u origin HEAD"] {
            assert!(!asked(line), "{line}");
        }
        for line in [
            "git checkout main && git merge topic && git push",
            "git switch main; git push -u origin HEAD",
            "git switch main && git switch topic && git push",
        ] {
            assert!(asked(line), "{line}");
        }
        git(&project, &["switch", "--quiet", "main"]);
        for line in [
            "git switch topic; git push",
            "git -C ../other switch topic && git push",
            "(git switch topic); git push",
            "false && git switch topic; git push",
            "git checkout -b tmp && git commit -m x && git checkout - && git push",
            "git switch -c tmp; git switch -; git push",
            "git checkout -b tmp; git checkout \"$BASE\"; git push",
            "git switch -t origin/main && git push",
            "git switch --conflict merge main; git push",
            "git checkout -b tmp; git checkout main --; git push",
            "f() { git switch topic; }; git push",
            "git switch topic || git push",
        ] {
            assert!(asked(line), "{line}");
        }
        // Outside of repositories there is nothing to push.
        assert!(!is_asked("git push", folder.path(), ProtectedBranches::default()));
    }
}
