//! Finds comments that a reader of the code does not need.

use crate::prelude::*;

/// Reports comments in an edit that repeat the code or describe the change.
///
/// ```text
/// // Get the user by id
/// let user = get_user_by_id(id);
/// // Updated to use the new client, as requested
/// let client = connect();
/// ```
///
/// The first comment repeats the line. The second belongs in the commit message, and is wrong after the next change.
///
/// A comment repeats the code if nearly all of its words (at least two) are in the names on the next line, or in the
/// code on its own line. A comment on several lines never counts as a repetition.
///
/// A comment describes the change if it has words such as `updated to` and `as requested`; the list is in
/// `hooks/quality/src/comments/changes.txt`.
///
/// Only comments that the edit adds are checked, and the edit goes ahead. Doc comments (`///`, `/**`) may repeat a
/// name, because tools show them without the code. The hook ignores prose, and all file types for which
/// `forbid-suppressions` has no row.
///
/// # What it cannot see
///
/// - A comment that repeats the code in other words: `// Add one` above `count += 1`.
/// - Comments in docstrings, and comments that a shell command writes.
///
/// # Errors
///
/// It returns no errors. If the process fails, the edit goes ahead.
#[hook(PreToolUse, timeout = 5, on_failure = continue)]
pub fn needless_comments(call: PreToolUse<TextChange>, context: Context) -> Option<PreToolUseAnswer> {
    let change = call.input;
    let needless = needless_in(&Texts::of(&change, &context)?, Language::of(change.path())?);
    (!needless.is_empty()).then(|| {
        PreToolUseAnswer::pass().with_context(format!(
            "This edit adds needless comments to `{}`:\n{}\nRemove them, or say why the code is as it is.",
            change.path().display(),
            needless.join("\n")
        ))
    })
}

/// Maximum number of comments to report, and of new comments to check.
const MOST: usize = 10;
const MOST_NEW: usize = 1000;

/// Maximum length of a line to check.
const LONGEST: usize = 1000;

/// Returns a line for each needless comment that a change adds.
fn needless_in(texts: &Texts<'_>, language: Language) -> Vec<String> {
    let after = SourceText::new(&texts.after, &language.spans());
    let before = SourceText::new(&texts.before, &language.spans()).comments.into_iter();
    let before: HashSet<&str> = before.map(|comment| texts.before[comment].trim()).collect();
    let is_new = |comment: &&Range<usize>| !before.contains(after.text[(*comment).clone()].trim());
    let new = after.comments.iter().filter(is_new).take(MOST_NEW);
    let needless = new.filter_map(|comment| {
        let text = after.text[comment.clone()].trim_end_matches("*/").trim();
        let why = if speaks_of_change(text) {
            "describes the change"
        } else {
            code_of(&after, comment).filter(|code| repeats(text, code))?;
            "repeats the code"
        };
        let line = after.text[..comment.start].matches('\n').count() + 1;
        Some(format!("- line {line} {why}: {}", text.lines().next()?))
    });
    needless.take(MOST).collect()
}

/// Returns `true` if a comment has words that describe a change. A row of the list matches anywhere, or only at the
/// start if it begins with `^`.
fn speaks_of_change(comment: &str) -> bool {
    let comment = comment.to_lowercase();
    let mut rows = include_str!("comments/changes.txt").lines();
    rows.any(|row| match row.strip_prefix('^') {
        Some(words) => after_words(&comment, words, u8::eq).is_some(),
        None => anywhere(&comment, row).next().is_some(),
    })
}

/// Returns the code that a comment is about: the code on its line, or the next line. A comment on several lines has
/// none.
fn code_of<'s>(source: &'s SourceText<'_>, comment: &Range<usize>) -> Option<&'s str> {
    let is_blank = |line: &str| line.len() <= LONGEST && line.trim().is_empty();
    let (before, after) = (&source.code[..comment.start], &source.code[comment.end..]);
    let own = before.rsplit('\n').next()?;
    let start = before.len() - own.len();
    let follows_blank = |text: &str| text[..start].lines().next_back().is_none_or(is_blank);
    if is_blank(own) && follows_blank(&source.code) && !follows_blank(source.text) {
        return None;
    }
    let mut lines = [own].into_iter().chain(after.split('\n').take(2));
    lines.find(|line| !is_blank(line)).filter(|line| line.len() <= LONGEST)
}

/// Returns `true` if nearly all words of a comment are in the names of a line of code.
fn repeats(comment: &str, code: &str) -> bool {
    /// Words of more than two letters that have no meaning of their own.
    const SMALL: &str = "all and are each for from the this with";
    /// Minimum length of a word that may continue in another form, such as `user` and `users`.
    const SHORTEST: usize = 3;
    let (comment_words, names) = (words(comment), words(code));
    let said = comment_words.split_whitespace();
    let said: Vec<&str> = said.filter(|word| word.len() >= SHORTEST && !lists(SMALL, word)).collect();
    let is_in_code = |word: &str| {
        let mut names = names.split_whitespace();
        names.any(|name| name.starts_with(word) || name.len() >= SHORTEST && word.starts_with(name))
    };
    let others = said.iter().filter(|word| !is_in_code(word)).count();
    // The opening of a doc comment is longer.
    !comment.starts_with(['/', '!', '*', ':']) && said.len() >= 2 && others <= said.len() / 5
}

/// Returns the words of a text in lowercase, with blanks between them: `get user by id` for `getUserBy_id`.
fn words(text: &str) -> String {
    let mut words = String::new();
    let mut was_lower = false;
    for char in text.chars() {
        if !char.is_alphanumeric() || was_lower && char.is_uppercase() {
            words.push(' ');
        }
        words.extend(char.to_lowercase().filter(|char| char.is_alphanumeric()));
        was_lower = char.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use hookkit::Hook;
    use hookkit::testing::{Recorded, Session};

    use super::*;

    /// Returns the reasons for the comments of a change, in the order of the lines.
    fn reasons(file: &str, before: &str, after: &str) -> String {
        let session = Session::new();
        let path = session.write(file, before);
        let write = Recorded::of("PreToolUse Write").with("tool_input.file_path", path);
        let verdict = session.run(needless_comments::DEF, &write.with("tool_input.content", after));
        verdict.assert_goes_ahead();
        let text = verdict.model_reads.first().map_or("", |message| &message.text);
        let reasons = text.lines().filter_map(|line| line.strip_prefix("- line ")?.split_once(": "));
        let reasons: Vec<&str> = reasons.map(|(reason, _)| reason).collect();
        reasons.join(", ")
    }

    #[test]
    fn each_comment_ends_as_it_is_said() {
        test_support::lines!("lines/needless-comments.txt").check_inputs(|_, inputs| {
            let &[file, after] = inputs else { panic!("{inputs:?}") };
            match reasons(file, "", after).as_str() {
                "" => "pass".to_owned(),
                found => found.to_owned(),
            }
        });
    }

    #[test]
    fn a_comment_that_was_there_is_not_reported() {
        let old = "// Get the user\nget_user();\n";
        assert_eq!(reasons("a.rs", old, &format!("{old}b();\n")), "");
        assert_eq!(reasons("a.rs", old, &format!("a();\n{old}")), "");
    }

    #[test]
    fn many_comments_are_looked_at_in_time() {
        let many = "/* get user */".repeat(100_000) + "\n" + &"// get user\n".repeat(100_000);
        assert_eq!(reasons("a.rs", "", &format!("{many}get_user();\n")), "");
    }
}
