//! The words of a `git` command.

use crate::prelude::*;
pub(crate) use hookkit::shell::programs::git::Git;

/// Returns the branch that a reference changes: `main` of `+HEAD:refs/heads/main`.
pub(crate) fn target(reference: &str) -> &str {
    let name = reference.strip_prefix('+').unwrap_or(reference);
    let name = name.rsplit_once(':').map_or(name, |(_, to)| to);
    name.strip_prefix("refs/heads/")
        .or_else(|| name.strip_prefix("heads/"))
        .unwrap_or(name)
}

/// Returns the folder that a `git` command is about: that of `--git-dir`, of `-C`, or the current one.
pub(crate) fn folder(command: &Command, context: &Context) -> PathBuf {
    let words = command.arguments();
    let behind = Git::of(command).map_or(0, |git| git.words.len());
    let words = &words[..words.len() - behind];
    let own = || words.iter().find_map(|word| word.literal()?.strip_prefix("--git-dir="));
    let value = |name| {
        let pair = words.windows(2).rfind(|pair| pair[0].literal() == Some(name));
        pair.and_then(|pair| pair[1].literal())
    };
    let variable = || {
        command
            .assignments
            .iter()
            .find(|set| set.name == "GIT_DIR")?
            .value
            .literal()
    };
    let folder = own()
        .or_else(|| value("--git-dir"))
        .or_else(|| value("-C"))
        .or_else(variable);
    context.absolute(folder.unwrap_or("."))
}
