//! The words of a `git` command.

use crate::prelude::*;
pub(crate) use hookkit::shell::programs::git::Git;

/// Returns the branch that a refspec changes: `main` of `+HEAD:refs/heads/main`.
pub(crate) fn target(reference: &str) -> &str {
    let name = reference.strip_prefix('+').unwrap_or(reference);
    let name = after_last(name, ':');
    name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("heads/")).unwrap_or(name)
}

/// Returns the folder that a `git` command works in: from `--git-dir`, from `-C`, or the current one.
pub(crate) fn folder(command: &Command, context: &Context) -> PathBuf {
    let words = Git::of(command).map_or(&[][..], |git| git.options);
    let own = || words.iter().find_map(|word| word.literal()?.strip_prefix("--git-dir="));
    let values = |name| {
        words
            .windows(2)
            .filter(move |pair| pair[0].literal() == Some(name))
            .filter_map(|pair| literal(&pieces(&pair[1])).map(PathBuf::from))
    };
    // Each folder is relative to the one before.
    let there = values("-C")
        .fold(PathBuf::from("."), |there, next| if next.starts_with("~") { next } else { there.join(next) });
    let variable = || command.assignments.iter().find(|set| set.name == "GIT_DIR")?.value.literal().map(PathBuf::from);
    let own = own().map(PathBuf::from).or_else(|| values("--git-dir").next_back()).or_else(variable);
    context.absolute(own.map_or_else(|| there.clone(), |own| there.join(own)))
}
