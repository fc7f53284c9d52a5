//! Reports edits of dotfiles that chezmoi manages.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookkit::ProjectPath;
use hookkit::prelude::*;
use hookkit::process::shell_word;

use crate::program::installed;

/// Reports to the model that an edited file is managed by chezmoi, and how to bring the edit into its source.
///
/// Otherwise the next `chezmoi apply` undoes the edit, or asks the user about it.
/// A plain file is brought back with `chezmoi re-add FILE`. A file that chezmoi makes from a template or a script
/// (`modify_`) must be changed in its source, whose path the model reads.
/// The model reads this next to the result of the edit, which is not undone.
///
/// It prints nothing if chezmoi is not installed, for files that chezmoi does not manage, and for links into chezmoi's
/// source: there the edit is already in the source.
///
/// chezmoi's own message about an unknown file is on the hook's stderr, which the client writes to its debug log.
///
/// # What it cannot see
///
/// - Files that shell commands write.
/// - Whether the source was changed already.
///
/// # Errors
///
/// If chezmoi takes longer than 5 seconds, or cannot be run, the user reads the reason, and the work goes on.
#[hook(PostToolUse, matcher = "Edit|Write", timeout = 10)]
pub fn chezmoi_reminder(
    call: PostToolUse<tool::FileChange>,
    context: Context,
    environment: Environment,
) -> Result<Option<PostToolUseAnswer>, Error> {
    let Some(search_path) = environment.variable("PATH") else {
        return Ok(None);
    };
    let file = context.path(&call.input.file_path)?;
    let source = source_of(&file, &search_path)?;
    Ok(source.map(|source| PostToolUseAnswer::block(reason(&file.absolute, &source))))
}

/// Returns the file's source in chezmoi, if chezmoi manages it.
fn source_of(file: &ProjectPath, search_path: &OsStr) -> Result<Option<PathBuf>, Error> {
    let asked = installed("chezmoi", search_path, Duration::from_secs(5))
        .args(["--no-tty", "source-path", "--"])
        .arg(&file.absolute)
        .output();
    let output = match asked {
        Err(err) if err.kind() == ErrorKind::NotFound => return Ok(None),
        asked => asked?,
    };
    if !output.status.success() {
        // Each release has other words for a file that it does not manage.
        eprintln!("{}", output.stderr_text());
        return Ok(None);
    }
    let source = PathBuf::from(&*output.stdout_text());
    let is_edited = source.canonicalize().is_ok_and(|source| source == file.resolved);
    Ok((!source.as_os_str().is_empty() && !is_edited).then_some(source))
}

/// Returns the text for the model.
fn reason(file: &Path, source: &Path) -> String {
    let (path, text) = (file.display(), file.to_string_lossy());
    let file = shell_word(&text);
    let name = source.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let kind = match name {
        _ if name.ends_with(".tmpl") => "a template",
        _ if name.starts_with("modify_") => "a script",
        _ => {
            return format!(
                "`{path}` is managed by chezmoi, and the next `chezmoi apply` would undo this edit. Bring it into the \
                 source: run `chezmoi re-add {file}`"
            );
        }
    };
    format!(
        "`{path}` is made by chezmoi from {kind}, `{}`, and the next `chezmoi apply` would undo this edit. Make it in that \
         file instead, then see with `chezmoi diff {file}` that nothing is left to apply",
        source.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_into_the_source_is_that_of_the_file_s_kind() {
        let message = |source: &str| reason(Path::new("/home/me/it's a file"), Path::new(source));
        for plain in ["/s/dot_file", "/s/private_dot_file", "/s/encrypted_dot_file.age"] {
            assert_eq!(
                message(plain),
                "`/home/me/it's a file` is managed by chezmoi, and the next `chezmoi apply` would undo this edit. Bring it \
                 into the source: run `chezmoi re-add '/home/me/it'\\''s a file'`"
            );
        }
        for (made, kind) in [("/s/dot_file.tmpl", "a template"), ("/s/modify_dot_file", "a script")] {
            let start = format!("`/home/me/it's a file` is made by chezmoi from {kind}, `{made}`, ");
            assert!(message(made).starts_with(&start), "{}", message(made));
            assert!(!message(made).contains("re-add"));
        }
    }
}
