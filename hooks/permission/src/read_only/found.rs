//! Detects secrets among the files that a pattern or the search of a folder finds.

use hookkit::glob::Patterns;
use hookkit::secrets::files::first_in;
use hookkit::shell::programs::find;
use hookkit::shell::programs::text::letters;

use super::is_literal_or_pattern;
use crate::prelude::*;

/// Returns `true` if a command would show a secret that a word finds: by a pattern, or by the search of a folder.
pub(super) fn shows_secret(command: &Command, word: &Word, context: &Context) -> bool {
    let text = find::glob(word);
    let is_searched = searches_folders(command);
    if word.literal().is_some() && !is_searched
        || !word.parts.iter().all(is_literal_or_pattern)
        || !shows_lines(command)
    {
        return false;
    }
    // The folder, and the pattern of the files in it.
    let (known, pattern) = match word.literal() {
        Some(folder) => (folder, ""),
        None => match word.known_start().rsplit_once('/') {
            Some(("", _)) => ("/", text.trim_start_matches('/')),
            Some((folder, _)) => (folder, text.get(folder.len() + 1..).unwrap_or_default()),
            None => (".", &*text),
        },
    };
    let root = context.absolute(known);
    if pattern.is_empty() && root == context.project_dir {
        return false;
    }
    let depth = pattern.matches('/').count();
    let patterns = Patterns::parse_lenient("", &format!("/{}", pattern.trim_start_matches("./")));
    // A pattern leads into the folders that it names, a search into all folders below.
    let is_found = |path: &str| {
        let is_deep = is_searched || pattern.contains("**");
        pattern.is_empty() || (is_deep || path.matches('/').count() == depth) && patterns.find(path).is_some()
    };
    let is_chosen = |path: &Path, is_folder: bool| {
        let name = path.file_name().unwrap_or_default();
        let relative = path.strip_prefix(&root).ok().and_then(Path::to_str);
        !name.to_string_lossy().starts_with('.') && (is_folder || relative.is_none_or(is_found))
    };
    first_in(&root, &context.absolute("~"), bounded::text, is_chosen).is_some()
}

/// Returns `true` if a command that finds names gives the name of a secret to a command that shows files.
pub(super) fn gives_secret(commands: &[Command], folders: &[Context]) -> bool {
    let is_given = |command: &Command| command.is_run_by("find xargs") && shows_lines(command);
    let finds = |(folder, name): (String, String)| {
        let pattern = Patterns::parse_lenient("", &name);
        let is_it = |path: &Path, is_folder| {
            is_folder || path.file_name().and_then(OsStr::to_str).is_none_or(|name| pattern.find(name).is_some())
        };
        let in_folder = |context: &Context| {
            first_in(&context.absolute(&folder), &context.absolute("~"), bounded::text, is_it).is_some()
        };
        folders.iter().any(in_folder)
    };
    commands.iter().any(is_given) && commands.iter().flat_map(find::names).any(finds)
}

/// Returns `true` if a command reads all files below a folder: `grep -r`, `rg`.
fn searches_folders(command: &Command) -> bool {
    let is_recursive = |word: &Word| {
        let option = word.known_start();
        letters(option).contains(['r', 'R']) || option.ends_with("recursive")
    };
    match command.name() {
        Some("ack" | "ag" | "rg" | "rgrep" | "ugrep") => true,
        Some("diff" | "egrep" | "fgrep" | "grep") => command.arguments().iter().any(is_recursive),
        _ => false,
    }
}

/// Returns `true` if a command may print lines of the files, and not only names and numbers.
fn shows_lines(command: &Command) -> bool {
    let words = command.arguments();
    let Some((program, from)) = Program::of(command.name().unwrap_or_default(), words) else {
        return true;
    };
    let is_name = |argument: Argument| matches!(argument, Argument::Known { takes: Takes::Makes(Role::Name), .. });
    !matches!(program.last(), Role::Name | Role::Measured) && !program.read(&words[from..]).any(is_name)
}
