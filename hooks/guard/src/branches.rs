//! Guard for branches that only a review may change.

mod way;

use crate::change::script;
use crate::git;
use crate::git::target;
use crate::prelude::*;
use crate::repository::{ALL, Pushes};

use self::way::Ways;

/// Asks before a command pushes to branches that others build on, or deletes them.
///
/// In most teams each change to `main` is reviewed; a model pushes to whichever branch is current.
///
/// For the branches of [`ProtectedBranches`] (`main` and `master` unless a workspace names others), it asks about:
///
/// - `git push` to such a branch by name (`origin main`, `HEAD:main`, `+x:refs/heads/main`), and its deletion on the remote
///   (`:main`, `--delete main`);
/// - `git push` without a branch, or of a branch by its own name, if the push goes to a protected branch. The guard
///   asks git for the settings that decide (`push.default`, the upstream, `remote.NAME.push`), and for the folder's
///   current branch, unless the line has switched branches there;
/// - `git push --all`, `--mirror` and `:`, which push all branches;
/// - `git branch -d`, `-D`, `-f` and `-m` of a protected branch, `git checkout -B`, `git worktree add -B`, `git switch
///   -C`, `git update-ref`, `git subtree push`, and `git fetch` into a protected branch from another branch, or by
///   force.
///
/// Commands in functions, aliases of the line, code in other languages and scripts that the line writes are judged,
/// too. A command run by an MCP server's tool is judged like a Bash command. A line that is too deep, too long or not a
/// script is judged by its words. Pushes to other branches pass; `deny-destruction` judges forced pushes.
///
#[doc = include_str!("../limits/protect-branches.md")]
///
/// # Errors
///
/// Fails if git cannot report the current branch or its settings. Then the user is asked.
#[hook(PreToolUse, matcher = "^(?:Bash|mcp__.*)$", timeout = 5, on_failure = ask)]
pub fn protect_branches(
    call: PreToolUse<Change>,
    context: Context,
    environment: Environment,
    config: Config<ProtectedBranches>,
) -> Result<Option<PreToolUseAnswer>, Error> {
    // Nearly all calls end here.
    let text = &script(&call);
    if !holds("git hub", text) {
        return Ok(None);
    }
    let line = Line { text, script: &shell::analyze(text), context: &context, environment };
    let along = Along::of(line);
    let commands = line.commands();
    let mut ways = Ways::default();
    for command in &commands {
        // The position of a command in another language's code is unknown.
        let is_here = line.between(command.span.start, command.span.end).contains("git");
        let folders = if is_here { along.at(command) } else { &along.whole };
        ways.follow(line, command, folders, &config);
        let Some(change) = Changes::of(command) else {
            continue;
        };
        if let Some(branch) = change.protected(command, &ways, &config, folders, &context)? {
            return Ok(Some(PreToolUseAnswer::ask(format!(
                "`{command}` changes the branch `{branch}`, which others build on. Push a branch of your own for a \
                 pull request: git switch -c NAME && git push -u origin NAME"
            ))));
        }
    }
    Ok(None)
}

/// The configuration of [`protect_branches`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProtectedBranches {
    /// The protected branches. A `*` at the end matches any rest: `release/*`.
    pub branches: Vec<String>,
}

impl Default for ProtectedBranches {
    fn default() -> Self {
        Self { branches: vec!["main".to_owned(), "master".to_owned()] }
    }
}

impl ProtectedBranches {
    fn has(&self, branch: &str) -> bool {
        self.branches.iter().any(|protected| fits(protected, branch))
    }

    /// Returns `true` if a git pattern matches one of the branches.
    fn fits(&self, pattern: &str) -> bool {
        let Some((start, end)) = pattern.split_once('*') else { return false };
        let is_it = |name: &str| name.starts_with(start) && name.ends_with(end);
        self.branches.iter().any(|branch| is_it(branch) || is_it(&format!("refs/heads/{branch}")))
    }
}

/// Returns `true` if a name equals a configured name, or begins with the part before its `*`.
pub(crate) fn fits(configured: &str, name: &str) -> bool {
    match configured.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == configured,
    }
}

/// The branches that a command changes.
enum Changes<'a> {
    /// Branches whose names are certain.
    Named(Vec<&'a str>),
    /// Branches that git pushes for these names or, without names, because of its settings.
    Pushed {
        remote: Option<&'a str>,
        names: Vec<&'a str>,
    },
    All,
}

impl<'a> Changes<'a> {
    fn of(command: &'a Command) -> Option<Self> {
        let words = Git::of(command)?.words;
        let read = LazyCell::new(|| Read::of_git(words));
        let has = |names| read.writes(names);
        let operands = || operands(&read.words());
        let targets = |names: Vec<&'a str>| Some(Self::Named(names.into_iter().map(target).collect()));
        let change = match words.first()?.literal()? {
            "push" if read.has_at_last("n dry-run") || has("tags") && operands().len() < 2 => None,
            "push" | "send-pack" if has("all branches mirror") => Some(Self::All),
            "push" | "send-pack" => {
                let mut names = operands();
                let remote = read.value("repo").or_else(|| (!names.is_empty()).then(|| names.remove(0)));
                Some(Self::Pushed { remote, names })
            }
            // A branch that fast-forwards keeps its commits.
            "fetch" | "pull" => {
                let names = operands();
                let takes_all = names.first() == Some(&".") || has("f force");
                let is_other = |reference: &&str| {
                    let (from, _) = reference.split_once(':').unwrap_or_default();
                    !from.is_empty() && (takes_all || from.starts_with('+') || target(from) != target(reference))
                };
                targets(names.into_iter().skip(1).filter(is_other).collect())
            }
            "branch" if has("D d delete") || has("M m move") => targets(operands()),
            // The source of a copy stays, and so does the commit that a branch is moved to.
            "branch" if has("C") || has("c copy") && has("f force") => targets(operands().pop().into_iter().collect()),
            "branch" if has("f force") => targets(operands().into_iter().take(1).collect()),
            // The target commit may follow the name.
            "checkout" | "worktree" => Some(Self::Named(vec![read.value("B")?])),
            "switch" => Some(Self::Named(vec![read.value("C force-create")?])),
            "subtree" if operands().first() == Some(&"push") => targets(operands().split_off(2.min(operands().len()))),
            "subtree" => Some(Self::Named(vec![read.value("b branch")?])),
            "symbolic-ref" => targets(operands().into_iter().take(1).collect()),
            "update-ref" if has("stdin") => Some(Self::All),
            "update-ref" => {
                targets(operands().into_iter().find(|name| name.starts_with("refs/")).into_iter().collect())
            }
            _ => None,
        };
        change.filter(|_| !has("h help"))
    }

    /// Returns the first protected branch that changes, if any.
    fn protected(
        self,
        command: &Command,
        ways: &Ways,
        config: &ProtectedBranches,
        folders: &Folders,
        here: &Context,
    ) -> Result<Option<String>, Error> {
        let any = || config.branches.first().cloned();
        let one_of = |names: Vec<&str>| {
            if names.contains(&ALL) {
                any()
            } else {
                names.into_iter().find(|name| config.has(name) || config.fits(name)).map(str::to_owned)
            }
        };
        let (remote, names) = match self {
            Self::All => return Ok(any()),
            Self::Named(names) => return Ok(one_of(names)),
            Self::Pushed { remote, names } => (remote, names),
        };
        // These push all branches that both repositories have.
        if names.iter().any(|name| lists(": +:", name)) {
            return Ok(any());
        }
        if let Some(branch) = one_of(names.iter().map(|name| target(name)).collect()) {
            return Ok(Some(branch));
        }
        let mut pushed: Vec<Option<&str>> =
            names.iter().copied().filter(|name| !name.contains(':') || target(name) == "HEAD").map(Some).collect();
        if names.is_empty() {
            pushed.push(None);
        }
        let settings = Git::of(command).map(|git| git.settings).unwrap_or_default();
        for context in folders.contexts.iter().filter(|_| !pushed.is_empty()) {
            let (tree, heads) = ways.heads(&git::folder(command, context), folders.is_lost, &here.cwd)?;
            for head in heads {
                let current = head.map(|head| head.name);
                let branch = match &tree {
                    Some(tree) => {
                        let pushes = Pushes::of(tree, &settings, current, head.and_then(|head| head.start))?;
                        pushes.and_then(|pushes| {
                            one_of(pushed.iter().flat_map(|name| pushes.changed(*name, remote)).collect())
                        })
                    }
                    None => one_of(current.into_iter().collect()),
                };
                if branch.is_some() {
                    return Ok(branch);
                }
            }
        }
        Ok(None)
    }
}

/// Returns the literal part of each operand, or `ALL` for a glob of branches.
fn operands<'a>(words: &[&'a Word]) -> Vec<&'a str> {
    let names = words.iter().map(|word| match (word.known_start(), word.parts.last()) {
        (start, _) if start.ends_with("heads/") && word.parts.iter().any(is_glob) => ALL,
        // The target is literal, the source is not.
        (start, Some(Part::Literal(end))) if !start.contains(':') && end.contains(':') => end,
        (start, _) => start,
    });
    names.collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::testing::{bash, context};
    use test_support::{git, lines};

    fn is_asked(line: &str, folder: &Path, branches: &[&str]) -> bool {
        let mut config = ProtectedBranches::default();
        if !branches.is_empty() {
            config.branches = branches.iter().copied().map(str::to_owned).collect();
        }
        let call = bash(line);
        protect_branches(call, context(folder), Environment::default(), Config(config)).unwrap().is_some()
    }

    #[test]
    fn each_line_ends_as_it_is_said() {
        let lines = test_support::lines!("lines/protect-branches.txt");
        for section in &lines.sections {
            let folder = test_support::folder();
            fs::create_dir(folder.path().join("src")).unwrap();
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
            for branch in section.words("worktree") {
                let name = after_last(branch, '/');
                let is_there = section.words("repository").contains(&name);
                let new = if is_there { vec![name] } else { vec!["-b", name] };
                git(&folder, &[&["worktree", "add", "--quiet"], &[branch][..], &new].concat());
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
