//! Files that only a program writes.

use std::path::Path;

use hookkit::prelude::*;

/// Keeps lock files as their package manager wrote them.
///
/// It ignores all other files, and does not see what Bash commands write, so the package manager still works.
@on_failure@#[hook(PreToolUse, matcher = "Edit|Write", timeout = 5)]
pub fn @function@(call: PreToolUse<tool::FileChange>) -> PreToolUseAnswer {
    match writer(&call.input.file_path) {
        Some(writer) => {
            PreToolUseAnswer::deny(format!("{writer} writes this file: run that instead"))
        }
        None => PreToolUseAnswer::pass(),
    }
}

/// The program that writes a file, if it is a lock file.
fn writer(file: &Path) -> Option<&'static str> {
    match file.file_name()?.to_str()? {
        "Cargo.lock" => Some("cargo"),
        "package-lock.json" => Some("npm"),
        "poetry.lock" => Some("poetry"),
        "uv.lock" => Some("uv"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use hookkit::{Hook, testing};

    use super::*;

    #[test]
    fn an_ordinary_file_passes() {
        let call = PreToolUse::new("Edit", tool::FileChange::new("/project/src/main.rs"));
        testing::run(@function@::DEF, &call).assert_passed();
    }

    #[test]
    fn a_lock_file_is_denied_with_what_to_do_instead() {
        let call = PreToolUse::new("Edit", tool::FileChange::new("/project/Cargo.lock"));
        testing::run(@function@::DEF, &call).assert_denied("cargo writes this file: run that instead");
    }
}
