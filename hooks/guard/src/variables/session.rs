//! Values from the session: of `PWD`, of variables for folders, and of `"$(pwd)"`.

use super::{TEMPORARY, with_parts};
use crate::folders::{goes, has_definition};
use crate::prelude::*;
use hookkit::protocol::guards::ELSEWHERE;

/// Returns the session's value of a variable that the line does not set, if the value is certain: most may have changed
/// since the session began.
pub(super) fn of_session(name: &str, line: Line) -> Option<String> {
    match name {
        "PWD" => folder_of(line),
        "TMPDIR" => match line.environment.variable(name) {
            Some(folder) => folder.to_str().map(str::to_owned),
            None => line
                .text
                .match_indices(name)
                .all(|(at, _)| is_temporary_or_nothing(line.text, at))
                .then(|| "/tmp".to_owned()),
        },
        _ => {
            let names_own = name == "CLAUDE_CONFIG_DIR" || ELSEWHERE.iter().any(|(variable, _)| *variable == name);
            let folder = line.environment.variable(name).filter(|_| names_own)?;
            folder.into_string().ok().filter(|folder| folder.starts_with('/'))
        }
    }
}

/// Returns `true` for a use of `TMPDIR` that is below a folder for temporary files, and means no existing path if the variable
/// is empty: `"$TMPDIR/x"`.
fn is_temporary_or_nothing(line: &str, at: usize) -> bool {
    const USES: &[&str] = &["$TMPDIR", "${TMPDIR}", "\"$TMPDIR\"", "\"${TMPDIR}\""];
    if line[..at].ends_with("${") && line[at..].starts_with(TEMPORARY) {
        return true;
    }
    let ends = |char: char| char.is_ascii_whitespace() || ";&|()<>".contains(char);
    let start = line[..at].rfind(ends).map_or(0, |before| before + 1);
    let end = line[at..].find(ends).map_or(line.len(), |length| at + length);
    let word = &line[start..end];
    // The value may belong to a variable, or to an option.
    let word = word.split_once('=').map_or(word, |(_, value)| value);
    let word = (word.strip_prefix('"').and_then(|word| word.strip_suffix('"'))).unwrap_or(word);
    let Some(path) = USES.iter().find_map(|used| word.strip_prefix(used)) else {
        return false;
    };
    path.len() > 1
        && path.starts_with('/')
        && has_only(path, "/._-")
        && !path.contains("..")
        && Path::new(path).symlink_metadata().is_err()
}

/// Returns the folder that all commands run in, unless a shell would expand its name.
pub(super) fn folder_of(line: Line) -> Option<String> {
    let folder = line.context.cwd.to_str()?;
    let is_name = !folder.contains(['*', '?', '[', '\t', '\n']);
    (is_name && !line.script.commands().iter().any(goes) && !has_definition(line.script)).then(|| folder.to_owned())
}

/// Returns a word with the folder in place of `"$(pwd)"`.
pub(super) fn with_folder<'w>(word: &'w Word, folder: impl Fn() -> Option<String>) -> Option<Cow<'w, Word>> {
    if !word.has(ExpansionKind::Folder) {
        return Some(Cow::Borrowed(word));
    }
    let part = |part: &Part| {
        if part.is(ExpansionKind::Folder) { folder().map(Part::Literal) } else { Some(part.clone()) }
    };
    let parts: Option<Vec<Part>> = word.parts.iter().map(part).collect();
    Some(Cow::Owned(with_parts(word, parts?)))
}
