//! git's commands that only look.

use hookkit::shell::programs::table::lists;
use hookkit::shell::{Command, Word};

/// They look, whatever their options, but for those of [`WRITE_OR_RUN`].
const LOOKERS: &[&str] = &[
    "annotate", "blame", "cat-file", "check-attr", "check-ignore", "cherry", "count-objects", "describe", "diff",
    "diff-files", "diff-index", "diff-tree", "for-each-ref", "grep", "log", "ls-files", "ls-tree", "merge-base",
    "name-rev", "range-diff", "rev-list", "rev-parse", "shortlog", "show-branch", "show", "show-ref", "status",
    "whatchanged",
];

/// Options that write a file or run a program, or show any file that was committed. git takes them cut short, too.
/// A merge that is made again (`--remerge-diff`) runs merge drivers.
const WRITE_OR_RUN: &[&str] = &[
    "alternate-refs", "diff-merges", "remerge-diff", "output", "ext-diff", "textconv", "open-files-in-pager",
    "filters", "exec", "exec-path", "help", "show-signature", "batch",
];

/// Sections of settings that hold no secret.
const OPEN_SETTINGS: &[&str] = &["branch.", "core.", "init.", "pull.", "push.", "remote.", "user."];

/// Returns `true` if no git command runs in another folder than the session's: another repository may have settings of its own.
pub(super) fn stays(commands: &[Command]) -> bool {
    let has = |name: &str| commands.iter().any(|command| command.name() == Some(name));
    !(has("git") && has("cd"))
}

pub(super) fn looks_only(words: &[Word]) -> bool {
    let known: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
    let Some(known) = known else {
        return false;
    };
    let mut words = known.as_slice();
    while let ["--no-pager" | "-P" | "--no-optional-locks", rest @ ..] = words {
        words = rest;
    }
    let Some((name, rest)) = words.split_first() else {
        return false;
    };
    if words == ["--version"] {
        return true;
    }
    if !rest.iter().all(|word| is_harmless(word)) {
        return false;
    }
    let options = || rest.iter().filter(|word| word.starts_with('-'));
    let has_operands = rest.iter().any(|word| !word.starts_with('-'));
    let all = |allowed: &[&str]| options().all(|option| allowed.contains(&option.split('=').next().unwrap_or(option)));
    match *name {
        "branch" => {
            let is_list = rest
                .iter()
                .any(|word| lists("--list --contains --no-contains --merged --no-merged --points-at", word));
            let allowed = [
                "-a", "-r", "-v", "-vv", "--all", "--remote", "--remotes", "--verbose", "--list", "--show-current",
                "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "--no-color", "--no-column",
                "--sort", "--format",
            ];
            all(&allowed) && (is_list || !has_operands)
        }
        "tag" => {
            let allowed = [
                "-l", "--list", "-n", "--contains", "--points-at", "--merged", "--sort", "--format",
            ];
            // They list, too.
            let lists = ["-l", "--list", "--contains", "--points-at", "--merged"];
            all(&allowed) && (rest.iter().any(|word| lists.contains(word)) || !has_operands)
        }
        "remote" => matches!(rest, [] | ["-v" | "--verbose"] | ["get-url", _]),
        "stash" => matches!(rest, ["list"] | ["show", ..]),
        "config" => {
            let is_open = |name: &str| OPEN_SETTINGS.iter().any(|open| name.to_lowercase().starts_with(open));
            matches!(rest, [name] | ["--get" | "--get-all" | "get", name] if is_open(name))
        }
        "reflog" => matches!(rest, [] | ["show", ..]),
        "worktree" => matches!(rest, ["list"] | ["list", "--porcelain" | "-v"]),
        "notes" => matches!(rest, [] | ["list"] | ["show", ..]),
        "bisect" => matches!(rest, ["log"]),
        "rerere" => matches!(rest, ["status" | "diff"]),
        "sparse-checkout" => matches!(rest, ["list"]),
        // With a second name it changes the first one.
        "symbolic-ref" => matches!(rest, [name] | ["--short" | "-q", name] if !name.starts_with('-')),
        "var" => matches!(
            rest,
            ["GIT_AUTHOR_IDENT" | "GIT_COMMITTER_IDENT" | "GIT_DEFAULT_BRANCH"]
        ),
        "bundle" => matches!(rest, ["verify" | "list-heads", _]),
        "fsck" => all(&[
            "--full", "--strict", "--connectivity-only", "--no-dangling", "--unreachable", "--no-progress",
        ]),
        // With `-w` it writes an object.
        "hash-object" => all(&["--stdin", "-t", "--no-filters", "--path"]),
        "submodule" => matches!(rest, ["status"]),
        _ => LOOKERS.contains(name),
    }
}

/// Returns `true` for a path with magic, by which it is another one: `:(top).env`.
pub(super) fn has_magic(word: &str) -> bool {
    word.replace(":(exclude)", "").contains(":(")
}

fn is_harmless(word: &str) -> bool {
    // For a signature it starts another program.
    let starts_signature = |(at, _)| word[at + 1..].trim_start_matches(['+', '-', ' ']).starts_with('G');
    if word.match_indices('%').any(starts_signature) || word.contains("signature") || has_magic(word) {
        return false;
    }
    if let Some(option) = word.strip_prefix("--") {
        let name = option.split('=').next().unwrap_or(option);
        return name.is_empty()
            || !WRITE_OR_RUN
                .iter()
                .any(|bad| bad.starts_with(name) || name.starts_with(bad));
    }
    // `-O` opens files in a pager, or reads another one.
    !word.starts_with('-') || !word.contains('O')
}
