//! Faults of a commit message.

use crate::prelude::*;

/// A fault of a commit message; [`check_commit_message`](super::check_commit_message) lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the hook's page has a table of them")]
pub enum Code {
    GC001,
    GC002,
    GC003,
    GC004,
    GC005,
    GC006,
    GC007,
}

/// Maximum length of a subject: git shows it in one line, and GitHub does not cut it off.
const LONGEST_SUBJECT: usize = 72;

/// Maximum length of a line: it can be read without scrolling.
const LONGEST_LINE: usize = 100;

pub(super) fn faults(message: &str, is_conventional_here: bool) -> Vec<(Code, String)> {
    let mut faults = Vec::new();
    let mut fault = |code, text: &str| faults.push((code, text.to_owned()));
    // git removes leading blank lines always, and comments only after an editor.
    let mut lines = message.lines().skip_while(|line| line.trim().is_empty()).map(str::trim_end);
    let Some(subject) = lines.next() else {
        fault(Code::GC001, "there is no subject: say in one line what changes");
        return faults;
    };
    let length = subject.chars().count();
    if length > LONGEST_SUBJECT {
        fault(
            Code::GC002,
            &format!(
                "the subject has {length} characters, and lists show only {LONGEST_SUBJECT}: shorten it, and put the \
                 rest into the body"
            ),
        );
    }
    if subject.ends_with('.') && !subject.ends_with("..") {
        fault(Code::GC003, "the subject ends with a full stop: remove it");
    }
    if lines.clone().next().is_some_and(|line| !line.is_empty()) {
        fault(Code::GC004, "the line after the subject must be blank, or git reads both as the subject");
    }
    for (index, line) in lines.enumerate() {
        let length = line.chars().count();
        if length > LONGEST_LINE && !may_be_long(line) {
            fault(Code::GC005, &format!("line {} has {length} characters: break it before {LONGEST_LINE}", index + 2));
        }
    }
    if is_conventional_here && !is_conventional(subject) && !is_made(subject) {
        fault(
            Code::GC006,
            "the subject must have this project's form `type(scope): what`, such as `fix(parser): accept empty lines`",
        );
    }
    if names_in(subject, "").next().unwrap_or_default().eq_ignore_ascii_case("wip") {
        fault(
            Code::GC007,
            "the subject says that the work is unfinished: commit when it is done, and say what changes",
        );
    }
    faults
}

/// Returns `true` for links, trailers, quotes and code.
fn may_be_long(line: &str) -> bool {
    let is_trailer = line.split_once(": ").is_some_and(|(name, _)| name.contains('-') && !name.contains(' '));
    line.contains("://") || is_trailer || line.starts_with(['>', '|', ' ', '\t'])
}

/// Returns `true` for the subject of a message that git generates.
fn is_made(subject: &str) -> bool {
    ["Merge ", "Revert ", "Reapply ", "fixup! ", "squash! ", "amend! "].iter().any(|start| subject.starts_with(start))
}

/// Returns `true` for `type(scope)!: what`.
pub(super) fn is_conventional(subject: &str) -> bool {
    let Some((head, what)) = subject.split_once(": ") else {
        return false;
    };
    let head = head.strip_suffix('!').unwrap_or(head);
    let (kind, scope) = match head.split_once('(') {
        Some((kind, scope)) => (kind, scope.strip_suffix(')')),
        None => (head, Some("none")),
    };
    !kind.is_empty()
        && kind.bytes().all(|byte| byte.is_ascii_lowercase())
        && scope.is_some_and(|scope| !scope.is_empty())
        && !what.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_has_the_faults_that_are_said() {
        test_support::lines!("lines/commit-messages.txt").check(|section, message| {
            let is_conventional_here = section.name.ends_with("conventional");
            let codes: Vec<String> =
                faults(message, is_conventional_here).into_iter().map(|(code, _)| format!("{code:?}")).collect();
            if codes.is_empty() { "in form".to_owned() } else { codes.join(" ") }
        });
    }
}
