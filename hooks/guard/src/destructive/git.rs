//! Git commands that lose work, here or for others.

use super::place::Tree;
use super::{Places, Target, ask, deny, rules};
use crate::prelude::*;

/// Judges a `git` command that rewrites commits that others have, or loses uncommitted work.
pub(super) fn lose(command: &Command, places: &Places) -> Option<Found> {
    let Git { settings, has_unknown_settings, is_elsewhere, options: before, words, .. } = Git::of(command)?;
    let elsewhere = is_elsewhere.then(|| places.elsewhere());
    let original = places;
    let places = elsewhere.as_ref().unwrap_or(places);
    let is_set = |wanted: &str| settings.iter().any(|setting| setting.eq_ignore_ascii_case(wanted));

    if has_unknown_settings || settings.iter().any(|setting| runs(setting, !connects(words))) {
        return ask(command, "may run another program because of a setting");
    }
    let name = words.first()?;
    // It only prints its help.
    let mut options = words.iter().map(Word::literal).take_while(|word| *word != Some("--"));
    if options.any(|word| matches!(word, Some("-h" | "--help"))) {
        return None;
    }
    let Some(name) = name.literal() else {
        return Some(Asked(format!("the effect of `{command}` is computed at run time")));
    };
    if lists(OF_TREE, name) && is_temporary(command, before, original) {
        return None;
    }
    // Most commands need no such reading.
    let read = LazyCell::new(|| Read::of_git(words));
    let first = || read.words().first().and_then(|word| word.literal()).unwrap_or_default();
    let unless_clean = |tree| (!places.is_clean(tree)).then_some(LOSES);
    let what = match name {
        "push" => return push(command, &read, &settings),
        "reset" if read.writes("hard merge") => unless_clean(match read.words()[..] {
            [] => Tree::Tracked,
            [head] if head.is("HEAD") => Tree::Tracked,
            _ => Tree::Pushed,
        })?,
        "clean" if (read.writes("f force") || is_set("clean.requireForce=false")) && !read.has_at_last("n dry-run") => {
            "deletes files that git does not have"
        }
        "checkout" | "switch" if read.writes("f force discard-changes") => unless_clean(Tree::All)?,
        // The name of a new branch may be in a variable.
        "checkout" if is_whole(&read) && !read.writes("b B orphan") => {
            unless_clean(Tree::of(names_commit(&read, places)))?
        }
        "checkout" => checkout(&read, places)?,
        "restore" if restores_worktree(&read) => {
            let has_commit = read.writes("s source");
            if is_whole(&read) || read.writes("pathspec-from-file") {
                unless_clean(Tree::of(has_commit))?
            } else {
                files(&read.words(), has_commit, places)?
            }
        }
        "branch" if read.writes("m move") && read.writes("f force") || read.writes("M") => {
            if !places.is_other_branch(read.words().pop()?.literal()?) {
                return None;
            }
            "replaces a branch, which may be the only reference to its commits"
        }
        "stash" if matches!(first(), "" | "push" | "save") && read.writes("a all") => {
            "removes ignored files, such as builds, variables and installed hooks"
        }
        "reflog" if first() == "expire" && (read.words().len() > 2 || !expires_late(&read, "--e")) => {
            "deletes the log with which lost commits are found"
        }
        "prune"
            if !(read.has_at_last("n dry-run")
                || read.writes("expire") && read.words().is_empty() && expires_late(&read, "--e")) =>
        {
            "deletes unreachable commits"
        }
        "gc" if is_set("gc.pruneExpire=now") || !expires_late(&read, "--p") => "deletes unreachable commits",
        "apply"
            if read.writes("R reverse")
                && (read.writes("apply") || !read.options().any(|option| lists(PRINTS, option))) =>
        {
            "reverts changes that may not be committed"
        }
        "fetch" if read.writes("P") || read.options().any(|option| option == "--prune-tags") => {
            "deletes the tags that the other repository does not have"
        }
        "fetch"
            if (read.writes("p prune") || is_set("fetch.prune=true"))
                && read.words().into_iter().any(is_of_branches) =>
        {
            "deletes the branches that the other repository does not have"
        }

        "mv" if read.writes("f force") => {
            // In a folder it replaces a file of the same name.
            let is_there = |word: &&Word| word.literal().is_none_or(|name| places.is_regular_file(name));
            files(&Vec::from_iter(read.words().pop().filter(is_there)), true, places)?
        }
        "am" | "cherry-pick" | "merge" | "rebase" | "revert" if read.writes("abort") && places.may_be_resolving() => {
            "loses the resolved conflicts"
        }
        "filter-branch" | "filter-repo" if !read.writes("dry-run") => "rewrites history",
        "rm" if read.has_at_last("f force") && !read.has_at_last("cached") && !read.has_at_last("n dry-run") => {
            if is_whole(&read) {
                "deletes all files, with their changes"
            } else {
                files(&read.words(), false, places)?
            }
        }
        name => rules::of_git(name, |option| read.writes(option.trim_start_matches('-')), first)?,
    };
    ask(command, what)
}

/// Options with which `git apply` changes no file.
const PRINTS: &str = "--cached --check --numstat --stat --summary";

/// Returns a word as written in the script.
fn text(word: &Word) -> String {
    let other = |part| if is_glob(part) { "*" } else { "…" };
    word.parts.iter().map(|part| part.literal().unwrap_or_else(|| other(part))).collect()
}

/// Returns `true` if a git command may connect to another machine.
pub(super) fn connects(words: &[Word]) -> bool {
    let Some((name, words)) = words.split_first() else {
        return false;
    };
    match name.literal() {
        Some("archive") => words.iter().any(|word| word.literal().is_none_or(|text| text.starts_with("--r"))),
        Some("remote") => {
            let verb = words.iter().find(|word| !word.is("-v --verbose"));
            verb.is_some_and(|verb| !verb.is("get-url remove rename set-url"))
        }
        // Others fetch the objects that a partial clone lacks.
        _ => !name.is("add branch commit config describe rev-parse status tag"),
    }
}

/// Returns `true` for a setting that makes git run a program: an alias of the line, or a way to connect.
fn runs(setting: &str, is_here: bool) -> bool {
    let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
    let name = name.to_ascii_lowercase();
    let is_ssh = || value.split_whitespace().next().is_some_and(|program| program.ends_with("ssh"));
    value.starts_with('!')
        || lists("core.fsmonitor core.gitproxy diff.external", &name) && !matches!(value, "" | "false")
        || name == "core.sshcommand" && !is_here && !is_ssh()
}

/// Returns `true` if a `restore` changes files, not only the index.
fn restores_worktree(read: &Read) -> bool {
    let is_given = read.options().any(|option| lists("--no-staged --no-worktree", option));
    let is_default = !read.writes("S staged") && !is_given;
    read.has_at_last("W worktree") || is_default
}

/// Judges a `checkout` of files: after `--`, or after a commit.
fn checkout(read: &Read, places: &Places) -> Option<&'static str> {
    if read.writes("pathspec-from-file") {
        return Some(LOSES);
    }
    let has_commit = names_commit(read, places);
    let (mut operands, after_end) = read.words_around_end();
    let named = match after_end {
        Some(named) => named,
        // With these options git takes no files.
        None if read.writes("B b orphan t track") => return None,
        // One operand is a branch, or a file that no branch shares its name with.
        None => operands.split_off(usize::from(has_commit)),
    };
    files(&named, has_commit, places)
}

/// Returns `true` for a git or shell pattern, or for git's pathspec magic: `:/`.
fn is_pathspec(word: &Word) -> bool {
    let is_pattern = |name: &str| name.starts_with(':') || name.contains(['*', '?', '[']);
    word.literal().map_or_else(|| word.parts.iter().any(is_glob), is_pattern)
}

/// Returns `true` for a `checkout` of another commit's files, which may replace ignored or untracked files.
fn names_commit(read: &Read, places: &Places) -> bool {
    let (before, _) = read.words_around_end();
    before.first().is_some_and(|word| !is_pathspec(word) && !word.literal().is_some_and(|name| places.is_file(name)))
}

/// Commands that only lose files of the working tree.
const OF_TREE: &str = "apply checkout checkout-index clean read-tree reset restore rm switch";

/// Returns `true` for a git command in a folder for temporary files.
fn is_temporary(command: &Command, options: &[Word], places: &Places) -> bool {
    match options {
        _ if !command.assignments.is_empty() => false,
        [] => places.here() == Target::Temporary,
        [option, folder] if option.is("-C") => places.target(folder) == Target::Temporary,
        _ => false,
    }
}

/// Judges files replaced by a commit's version. Git can bring back committed content.
fn files(operands: &[&Word], has_commit: bool, places: &Places) -> Option<&'static str> {
    if operands.is_empty() {
        return None;
    }
    let names: Option<Vec<&str>> = operands.iter().map(|word| word.literal()).collect();
    // For patterns, git is asked about the whole tree.
    let is_saved = if operands.iter().any(|word| is_pathspec(word)) {
        places.is_clean(Tree::of(has_commit))
    } else {
        names.is_some_and(|names| places.are_committed(&names, Tree::of(has_commit)))
    };
    (!is_saved).then_some("loses uncommitted changes of the named files")
}

/// Effect of most commands.
const LOSES: &str = "loses uncommitted changes";

/// Returns `true` for references fetched into branches or tags of this repository.
fn is_of_branches(word: &Word) -> bool {
    let reference = text(word);
    begins("* refs/* refs/heads/ refs/tags/", reference.split_once(':').map_or("", |(_, to)| to))
}

/// Returns `true` if all values of an option keep some weeks of history, as git does by default.
fn expires_late(read: &Read, option: &str) -> bool {
    read.options().filter_map(|found| found.strip_prefix(option)?.split_once('=')).all(|(_, value)| {
        let (count, unit) = value.split_once(['.', ' ']).unwrap_or_default();
        let count: u32 = count.parse().unwrap_or_default();
        let is = |name: &str| unit.starts_with(name);
        value == "never"
            || is("day") && count > 13
            || is("week") && count > 1
            || count > 0 && (is("month") || is("year"))
    })
}

/// Returns `true` for a reference pushed by force: `+main`, `refs/heads/a:+b`.
fn is_forced(name: &str) -> bool {
    name.starts_with('+') || name.contains(":+")
}

fn push(command: &Command, read: &Read, settings: &[String]) -> Option<Found> {
    if read.has_at_last("n dry-run") {
        return None;
    }
    let remotes = usize::from(!read.options().any(|option| option.starts_with("--repo")));
    let words = read.words();
    let refs = words.iter().skip(remotes).map(|word| word.known_start());
    let is_forced_by = |setting: &String| {
        let (name, value) = setting.split_once('=').unwrap_or_default();
        let name = name.to_ascii_lowercase();
        name.starts_with("remote.")
            && (name.ends_with(".mirror") && value != "false" || name.ends_with(".push") && is_forced(value))
    };
    if read.writes("f force mirror") || refs.clone().any(is_forced) || settings.iter().any(is_forced_by) {
        return deny(command, "overwrites what others may have pushed meanwhile; `--force-with-lease` checks first");
    }
    if read.writes("d delete prune") || refs.clone().any(|name| name.starts_with(':')) {
        return ask(command, "deletes a branch or a tag that others may have");
    }
    None
}

/// Returns `true` if the command affects the whole tree, not only named files.
fn is_whole(read: &Read) -> bool {
    let is_all = |word: &&Word| word.is(". ./ :/ *") || word.literal().is_none() && word.known_start().is_empty();
    read.words().iter().any(is_all)
}
