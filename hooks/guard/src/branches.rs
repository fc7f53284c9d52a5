//! Branches that are only changed by a review.

use hookkit::git::WorkTree;
use hookkit::prelude::*;
use hookkit::shell::programs::table::lists;
use hookkit::shell::{self, Command, Word};

use serde::{Deserialize, Serialize};

use crate::folders::Folders;
use crate::git::{self, Git, target, without_values};
use crate::repository::{ALL, Pushes};
use crate::variables::{assigned, commands};
use crate::words::is_glob;

/// Asks about pushes to branches that others build on, and about their deletion.
///
/// In most teams each change of `main` has a review; a model pushes wherever the current branch goes.
///
/// For the branches of [`ProtectedBranches`], which are `main` and `master` unless a workspace names others, it asks about:
///
/// - `git push` of a branch by its name (`origin main`, `HEAD:main`, `+x:refs/heads/main`), and its deletion there
///   (`:main`, `--delete main`);
/// - `git push` without a name, or of a branch by its own, where it goes to one of them: git is asked for the current branch,
///   unless the line has switched to another one, and for the settings that decide (`push.default`, the upstream,
///   `remote.NAME.push`);
/// - `git push --all`, `--mirror` and `:`, which have them all;
/// - `git branch -d`, `-D`, `-f` and `-m` of one of them, `git checkout -B`, `git switch -C`, `git update-ref`, and `git fetch`
///   of another branch or by force into one of them.
///
/// It looks at commands in functions, aliases of the line, code of other languages and scripts that the line writes, too.
/// A line that is too deep, too long or not a script is judged by its words.
/// Other branches pass, forced or not: `deny-destruction` looks at that.
///
#[doc = include_str!("../limits/protect-branches.md")]
///
/// # Errors
///
/// When git fails to name the current branch or its settings. The user is asked then.
#[hook(PreToolUse, timeout = 5, on_failure = ask)]
pub fn protect_branches(
    call: PreToolUse<tool::Bash>,
    context: Context,
    environment: Environment,
    config: Config<ProtectedBranches>,
) -> Result<PreToolUseAnswer, Error> {
    // Nearly all calls end here.
    if !["git", "hub"].iter().any(|name| call.input.command.contains(name)) {
        return Ok(PreToolUseAnswer::pass());
    }
    let line = &call.input.command;
    let script = shell::analyze(line);
    let folders = Folders::of(&script, &context);
    let commands = commands(line, &script, &context, environment);
    let mut way = Way::default();
    for command in &commands {
        way.follow(line, command, &config);
        let Some(change) = Change::of(command, line) else {
            continue;
        };
        if let Some(branch) = change.protected(command, &way, &config, &folders)? {
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
    /// Those of these names, for certain.
    Named(Vec<&'a str>),
    /// Those that git pushes for these names: for none, by its settings.
    Pushed {
        remote: Option<&'a str>,
        names: Vec<&'a str>,
    },
    All,
}

impl<'a> Change<'a> {
    fn of(command: &'a Command, line: &'a str) -> Option<Self> {
        let (name, rest) = Git::of(command)?.words.split_first()?;
        let options: Vec<&str> = without_values(rest, has_value).filter_map(Word::literal).collect();
        let has = |wanted: &[&str]| options.iter().any(|option| wanted.contains(option));
        let operands = || operands(rest, line);
        // Also with others, and with its value: `-qD`, `-Bmain`.
        let letters = |wanted: &[char]| {
            let mut short = options
                .iter()
                .filter(|option| option.starts_with('-') && !option.starts_with("--"));
            short.find_map(|option| option.find(wanted).map(|at| &option[at + 1..]))
        };
        let first = |value: Option<&'a str>| {
            let own = value.filter(|value| !value.is_empty());
            own.or_else(|| operands().first().copied()).into_iter().collect()
        };
        let targets = |names: Vec<&'a str>| Some(Self::Named(names.into_iter().map(target).collect()));
        match name.literal()? {
            "push" if has(&["-n", "--dry-run"]) || has(&["--tags"]) && operands().len() < 2 => None,
            "push" | "send-pack" if has(&["--all", "--branches", "--mirror"]) => Some(Self::All),
            "push" | "send-pack" => {
                let repo = options.iter().find_map(|option| option.strip_prefix("--repo="));
                let mut names = operands();
                let remote = repo.or_else(|| (!names.is_empty()).then(|| names.remove(0)));
                Some(Self::Pushed { remote, names })
            }
            // A branch that is brought up to date keeps its commits.
            "fetch" | "pull" => {
                let names = operands();
                let from_here = names.first() == Some(&".");
                let is_other = |reference: &&str| {
                    let (from, _) = reference.split_once(':').unwrap_or_default();
                    !from.is_empty() && (from_here || from.starts_with('+') || target(from) != target(reference))
                };
                targets(names.into_iter().skip(1).filter(is_other).collect())
            }
            "branch"
                if has(&["--copy", "--delete", "--force", "--move"])
                    || letters(&['C', 'D', 'M', 'd', 'f', 'm']).is_some() =>
            {
                targets(operands())
            }
            // With the commit that it goes to, or none.
            "checkout" if letters(&['B']).is_some() => Some(Self::Named(first(letters(&['B'])))),
            "switch" if letters(&['C']).is_some() => Some(Self::Named(first(letters(&['C'])))),
            "switch" => {
                let value = options
                    .iter()
                    .find_map(|option| option.strip_prefix("--force-create"))?;
                Some(Self::Named(first(Some(value.trim_start_matches('=')))))
            }
            "update-ref" if has(&["--stdin"]) => Some(Self::All),
            "update-ref" => targets(operands()),
            _ => None,
        }
    }

    /// Returns the branch that is protected, if one of them is.
    fn protected(
        self,
        command: &Command,
        way: &Way<'_>,
        config: &ProtectedBranches,
        folders: &Folders,
    ) -> Result<Option<String>, Error> {
        let any = || config.branches.first().cloned();
        let one_of = |names: Vec<&str>| match names.contains(&ALL) {
            true => any(),
            false => names.into_iter().find(|name| config.has(name)).map(str::to_owned),
        };
        let (remote, names) = match self {
            Self::All => return Ok(any()),
            Self::Named(names) => return Ok(one_of(names)),
            Self::Pushed { remote, names } => (remote, names),
        };
        // With this one it is about all branches that both have.
        if names.iter().any(|name| matches!(*name, ":" | "+:")) {
            return Ok(any());
        }
        if let Some(branch) = one_of(names.iter().map(|name| target(name)).collect()) {
            return Ok(Some(branch));
        }
        let is_alone = |name: &&str| !name.contains(':');
        let mut pushed: Vec<Option<&str>> = names.iter().copied().filter(is_alone).map(Some).collect();
        if names.is_empty() {
            pushed.push(None);
        }
        let current = match way.current() {
            Current::Protected(branch)
                if pushed
                    .iter()
                    .any(|name| matches!(name, None | Some("HEAD" | "@" | "+HEAD"))) =>
            {
                return Ok(Some(branch.to_owned()));
            }
            Current::Other(branch) => Some(branch),
            _ => None,
        };
        let settings = Git::of(command).map(|git| git.settings).unwrap_or_default();
        for context in folders.contexts.iter().filter(|_| !pushed.is_empty()) {
            // A command before it on the line may make the folder.
            let tree = WorkTree::find(git::folder(command, context)).or_else(|| WorkTree::find(&context.cwd));
            let Some(tree) = tree else { continue };
            let pushes = Pushes::of(&tree, &settings, current, current.and(way.start))?;
            let changed =
                |pushes: Pushes<'_>| one_of(pushed.iter().flat_map(|name| pushes.changed(*name, remote)).collect());
            if let Some(branch) = pushes.and_then(changed) {
                return Ok(Some(branch));
            }
        }
        Ok(None)
    }
}

/// The current branch, as far as a line says.
enum Current<'c> {
    /// It may be this one, which is protected.
    Protected(&'c str),
    /// It is this one, which is not.
    Other(&'c str),
    Unknown,
}

/// The branches that a line goes to.
#[derive(Default)]
struct Way<'c> {
    /// One that is protected, wherever the line goes afterwards.
    protected: Option<&'c str>,
    /// The branch that the line goes to last, and the protected one where that begins.
    branch: Option<&'c str>,
    start: Option<&'c str>,
    /// The end of the last command of those that leave it on another branch, each behind `&&`.
    end: Option<usize>,
}

impl<'c> Way<'c> {
    fn follow(&mut self, line: &str, command: &'c Command, config: &ProtectedBranches) {
        /// Commands of git that stay on the branch.
        const STAY: &str = "add commit diff fetch log push show status tag";
        /// Commands of the shell that may go to another repository, or run what is not in the line.
        const GO: &str = ". cd chdir eval exec popd pushd source";
        let git = Git::of(command);
        let subcommand = git.as_ref().and_then(|git| git.words.split_first());
        let name = subcommand.and_then(|(name, _)| name.literal());
        let goes = match subcommand {
            Some((_, rest)) if matches!(name, Some("checkout" | "switch")) => self.goes(command, rest, config),
            _ => false,
        };
        let stays = subcommand.is_none() || name.is_some_and(|name| lists(STAY, name));
        // Those within another one are a part of it.
        if !command.via.is_empty() {
            self.end = self.end.filter(|_| stays);
            return;
        }
        let is_of_git = |(name, _): (&str, _)| name.starts_with("GIT_");
        let is_elsewhere = match &git {
            Some(git) => git.is_elsewhere,
            None => command.program().is_none_or(|program| lists(GO, program)),
        };
        let leaves = is_elsewhere
            || assigned(command).any(is_of_git)
            || command.program() == Some("gh") && command.has_argument("checkout");
        let is_behind = |end: usize| {
            line.get(end..command.span.start)
                .is_some_and(|between| between.trim() == "&&")
        };
        let is_chained = stays && self.end.is_some_and(is_behind);
        self.end = (!leaves && (goes || is_chained)).then_some(command.span.end);
    }

    /// Returns `true` if a `checkout` or a `switch` certainly goes to a branch that is not protected, where it succeeds.
    fn goes(&mut self, command: &'c Command, words: &'c [Word], config: &ProtectedBranches) -> bool {
        let is_switch = command.has_argument("switch");
        let names: Vec<&str> = words.iter().map(Word::known_start).collect();
        let is_new = names.iter().any(|name| matches!(*name, "-b" | "-c" | "--create"));
        let mut operands: Vec<&str> = names.iter().copied().filter(|name| !name.starts_with('-')).collect();
        // Behind it is the commit where it begins.
        let start = operands
            .get(1)
            .and_then(|start| Some(start.split_once('/')?.1))
            .filter(|_| is_new);
        operands.truncate(if is_new { 1 } else { operands.len() });
        let protected = operands.iter().copied().find(|name| config.has(name));
        // Behind `--` are files.
        let is_of_files = names.contains(&"--") && !names.ends_with(&["--"]);
        self.protected = protected.filter(|_| !is_of_files).or(self.protected);
        (self.branch, self.start) = (operands.first().copied(), start.filter(|start| config.has(start)));
        let is_plain = |word: &Word| match word.literal() {
            Some(text) => matches!(text, "-b" | "-c" | "-q" | "--create" | "--quiet") || !text.starts_with(['-', '@']),
            None => false,
        };
        // Another name may be a file's.
        words.iter().all(is_plain) && operands.len() == 1 && (is_switch || is_new) && protected.is_none()
    }

    /// Returns the branch at the last command that was followed.
    fn current(&self) -> Current<'c> {
        match (self.protected, self.end) {
            (Some(branch), _) => Current::Protected(branch),
            (None, Some(_)) => self.branch.map_or(Current::Unknown, Current::Other),
            (None, None) => Current::Unknown,
        }
    }
}

fn has_value(option: &Word) -> bool {
    const VALUED: &[&str] = &[
        "-o", "--exec", "--push-option", "--receive-pack", "--repo", "--recurse-submodules",
    ];
    VALUED.contains(&option.known_start())
}

/// The words of a command that are neither options nor their values. The name of the current branch, as git prints it, is `HEAD`.
fn operands<'a>(words: &'a [Word], line: &'a str) -> Vec<&'a str> {
    const CURRENT: &[&str] = &[
        "git branch --show-current", "git rev-parse --abbrev-ref HEAD", "git symbolic-ref --short HEAD",
    ];
    let is_current = |word: &Word| {
        let text = line.get(word.span.clone()).map(|text| text.trim_matches('"'));
        let inner = text.and_then(|text| text.strip_prefix("$(")?.strip_suffix(')'));
        inner.is_some_and(|inner| CURRENT.contains(&inner.trim()))
    };
    let words = without_values(words, has_value).map(|word| match word.known_start() {
        _ if is_current(word) => "HEAD",
        start if start.ends_with("heads/") && word.parts.iter().any(is_glob) => ALL,
        start => start,
    });
    words.filter(|text| !text.starts_with('-')).collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::testing::context;
    use test_support::{git, lines};

    fn is_asked(line: &str, folder: &Path, branches: &[&str]) -> bool {
        let mut config = ProtectedBranches::default();
        if !branches.is_empty() {
            config.branches = branches.iter().copied().map(str::to_owned).collect();
        }
        let call = PreToolUse::new("Bash", tool::Bash::new(line));
        let answer = protect_branches(call, context(folder), Environment::default(), Config(config));
        answer.unwrap() != PreToolUseAnswer::pass()
    }

    #[test]
    fn each_line_ends_as_it_is_said() {
        let lines = test_support::lines!("lines/protect-branches.txt");
        for section in &lines.sections {
            let folder = test_support::folder();
            std::fs::create_dir(folder.path().join("src")).unwrap();
            for (number, branch) in section.words("repository").into_iter().enumerate() {
                if number == 0 {
                    git(&folder, &["init", "--quiet", "--initial-branch", branch]);
                    git(&folder, &["commit", "--quiet", "--allow-empty", "--message", "one"]);
                }
                git(&folder, &["checkout", "--quiet", "-B", branch]);
            }
            for setting in section.words("settings") {
                let (name, value) = setting.split_once('=').unwrap();
                git(&folder, &["config", "--add", name, value]);
            }
            let protected = section.words("protected");
            lines.check_section(section.name, |line| {
                let asked = is_asked(line, folder.path(), &protected);
                if asked { "ask" } else { "pass" }.to_owned()
            });
        }
    }

    #[test]
    fn the_documentation_says_what_is_not_seen() {
        let folder = test_support::folder();
        for line in lines::of_table(include_str!("../limits/protect-branches.md"), lines::NOT_SEEN) {
            assert!(!is_asked(&line, folder.path(), &[]), "{line}");
        }
    }
}
