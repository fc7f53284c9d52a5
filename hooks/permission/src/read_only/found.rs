//! Detects secrets among the files that a pattern or the search of a folder finds.

use std::path::Path;

use hookkit::bounded;
use hookkit::glob::Patterns;
use hookkit::prelude::*;
use hookkit::secrets::files::first_in;
use hookkit::shell::programs::{Argument, Program, Role, Takes, find};
use hookkit::shell::{Command, Word};

use super::is_literal_or_pattern;

/// Returns `true` if a command would show a secret that a word finds, which is a pattern or a folder to search.
pub(super) fn shows_secret(command: &Command, word: &Word, context: &Context) -> bool {
    let text = find::glob(word);
    let text = text.trim_start_matches("./");
    let is_searched = searches_folders(command);
    (word.literal().is_none() || is_searched)
        && word.parts.iter().all(is_literal_or_pattern)
        && shows_lines(command)
        && finds_secret(text, is_searched, false, context)
}

/// Returns `true` if commands would show a secret that none of their words names: one of the files whose names are given to them,
/// or of the folder that they run in.
pub(super) fn gives_secret(commands: &[Command], folders: &[Context]) -> bool {
    let is_given =
        |command: &Command| command.via.iter().any(|via| via.is_prefix("find xargs")) && shows_lines(command);
    let searches_here = |command: &Command| {
        let operands = command.arguments().iter().filter(|word| !word.is_option());
        searches_folders(command) && shows_lines(command) && operands.count() < 2
    };
    let finds = |glob: String| folders.iter().any(|context| finds_secret(&glob, false, true, context));
    commands.iter().any(is_given) && commands.iter().flat_map(find::globs).any(finds)
        || commands.iter().any(searches_here) && folders.iter().any(|context| finds_secret(".", true, false, context))
}

/// Returns `true` if a glob finds a file with secrets, or if one is in a folder of this name that is searched.
fn finds_secret(glob: &str, is_searched: bool, with_hidden: bool, context: &Context) -> bool {
    let known = match glob.find(['*', '?', '[', '{']) {
        Some(at) => glob[..at].rsplit_once('/').map_or(".", |(folder, _)| folder),
        None => glob,
    };
    let glob = match glob {
        "" | "." if context.cwd == context.project_dir => return false,
        "" | "." => "**",
        _ => glob,
    };
    let pattern = Patterns::parse_lenient("", &format!("/{glob}"));
    // A pattern leads into the folders that it names, and a search into all below.
    let is_found = |path: &str| {
        let is_deep = is_searched || glob.contains("**");
        (is_deep || path.matches('/').count() == glob.matches('/').count()) && pattern.find(path).is_some()
    };
    let is_chosen = |path: &Path, is_folder: bool| {
        let name = path.file_name().unwrap_or_default();
        let relative = path.strip_prefix(&context.cwd).ok().and_then(Path::to_str);
        (with_hidden || !name.to_string_lossy().starts_with('.')) && (is_folder || relative.is_none_or(is_found))
    };
    first_in(&context.absolute(known), &context.absolute("~"), bounded::text, is_chosen).is_some()
}

/// Returns `true` if a command reads all files below a folder: `grep -r`, `rg`.
fn searches_folders(command: &Command) -> bool {
    let is_recursive = |word: &Word| {
        let option = word.known_start();
        let is_short = option.starts_with('-') && !option.starts_with("--");
        is_short && option.contains(['r', 'R']) || option.ends_with("recursive")
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
