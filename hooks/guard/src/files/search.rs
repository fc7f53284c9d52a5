//! Searches in files, and the globs that select the files.

use hookkit::secrets::files::first_in;

use super::kind;
use super::of_tool;
use crate::prelude::*;
use crate::words::of_pattern;

/// A search in the content of files.
#[derive(Debug, Clone, serde::Deserialize, ToolInput)]
#[tool("Grep")]
pub struct Search {
    pattern: Option<String>,
    path: Option<PathBuf>,
    glob: Option<String>,
    output_mode: Option<String>,
}

impl Search {
    /// Returns the finding about the files whose lines are printed.
    pub(super) fn look(&self, context: &Context) -> Result<Option<Found>, Error> {
        // Without a mode, only names are printed (client 2.1.330).
        if matches!(self.output_mode.as_deref(), None | Some("count" | "files_with_matches")) {
            return Ok(None);
        }
        let folder = match &self.path {
            Some(path) => {
                let path = context.path(path)?;
                let in_folder = || path.names().any(kind_of_folder).then(|| format!("`{path}` is {FOLDER}"));
                if let Some(found) = of_tool(&path, context).or_else(in_folder) {
                    return Ok(Some(Certain(found)));
                }
                let is_whole = path.resolved == context.project_dir;
                if !is_whole && self.pattern.as_deref().is_none_or(finds_each_line) && self.glob.is_none() {
                    let found = secret_in(&path.resolved, context, |_, _| true);
                    return Ok(found.map(|(file, kind)| Asked(format!("`{path}` has `{}`, {kind}", file.display()))));
                }
                path.resolved
            }
            None => context.absolute("."),
        };
        Ok((self.glob.as_deref()).and_then(|glob| of_glob(&folder, glob, context)))
    }
}

/// Returns `true` for a pattern that matches every line.
pub(super) fn finds_each_line(pattern: &str) -> bool {
    matches!(pattern, "" | "." | ".*" | "^" | "$")
}

/// Returns the finding about the files that a glob selects below a folder, including ignored files.
fn of_glob(folder: &Path, glob: &str, context: &Context) -> Option<Found> {
    let Some(patterns) = patterns(glob) else {
        return Some(Asked("its glob has too many patterns to check".to_owned()));
    };
    // A pattern that leaves files out begins with `!`.
    let patterns = patterns.iter().filter(|pattern| !pattern.starts_with('!'));
    Found::worst(patterns.filter_map(|pattern| of_one(folder, pattern, context)))
}

fn of_one(folder: &Path, pattern: &str, context: &Context) -> Option<Found> {
    let names = |kind: &str| Some(Certain(format!("the glob `{pattern}` names {kind}")));
    let relative = pattern.trim_start_matches('/').replace("**/", "");
    // A `*` also matches nothing.
    let plain = context.absolute(folder.join(relative.replace('*', "")));
    if let Some(kind) = kind(&plain, context) {
        return names(kind);
    }
    let (inner, last) = relative.rsplit_once('/').unwrap_or(("", &relative));
    let pieces = of_pattern(&last.to_lowercase());
    let is_open = pieces.len() > 1;
    let is_in_secrets = || {
        Path::new(inner)
            .ancestors()
            .map(|inner| folder.join(inner))
            .any(|inner| inner != folder && kind_of_folder(&inner))
    };
    if is_open && !is_public(last) && is_in_secrets() {
        return names(FOLDER);
    }
    if !pieces.iter().any(|piece| matches!(piece, Piece::Text(text) if !text.is_empty())) {
        return None;
    }
    let is_it = |name: &str, is_folder: bool| is_folder || fits(&name.to_lowercase(), &pieces);
    let (path, kind) = secret_in(&folder.join(inner), context, is_it)?;
    let found = format!("the glob `{pattern}` finds `{}`, {kind}", path.display());
    Some(if is_open { Asked(found) } else { Certain(found) })
}

/// Returns the first file with secrets in a folder, among the names that a function accepts.
pub(super) fn secret_in(
    folder: &Path,
    context: &Context,
    is_it: impl Fn(&str, bool) -> bool,
) -> Option<(PathBuf, &'static str)> {
    first_in(folder, &context.absolute("~"), bounded::text, |path, is_folder| {
        is_it(&path.file_name().unwrap_or_default().to_string_lossy(), is_folder)
    })
}

/// Returns the patterns in a glob, split at blanks and commas and without braces; `None` if there are too many.
fn patterns(glob: &str) -> Option<Vec<String>> {
    const MOST: usize = 256;
    const LONGEST: usize = 4096;
    let mut open: Vec<String> = glob.split_whitespace().map(str::to_owned).collect();
    let mut patterns = Vec::new();
    while let Some(text) = open.pop() {
        if text.len() > LONGEST || open.len() + patterns.len() > MOST {
            return None;
        }
        // The innermost braces come first.
        let braces = text.find('}').and_then(|end| Some((text[..end].rfind('{')?, end)));
        match braces {
            Some((start, end)) => {
                let (before, inside, behind) = (&text[..start], &text[start + 1..end], &text[end + 1..]);
                open.extend(inside.split(',').map(|one| format!("{before}{one}{behind}")));
            }
            None => patterns.extend(text.split(',').map(str::to_owned)),
        }
    }
    Some(patterns)
}
