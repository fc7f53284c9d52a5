//! `protect_secrets` on calls of Grep.

use crate::outcome::outcome;
use hookkit::Hook;
use hookkit::testing::{Recorded, Session};
use hookkit_guard::files::protect_secrets;
use serde_json::json;

#[test]
fn a_glob_of_a_search_names_files_too() {
    let search = |session: &Session, folder: &str, glob: &str| {
        let input = json!({"pattern": "x", "path": session.path(folder), "glob": glob, "output_mode": "content"});
        let event = Recorded::of("PreToolUse Bash").with("tool_name", "Grep");
        session.run(protect_secrets::DEF, &event.with("tool_input", input))
    };
    test_support::lines!("lines/protect-secrets-globs.txt").check(|section, glob| {
        let session = Session::new();
        section.write(&session.path(""), "");
        let folder = section.words("in").concat();
        let verdict = search(&session, &folder, glob);
        let found = format!("the glob `{glob}` finds `");
        let denied = if section.words("files").is_empty() { "the glob `" } else { &found };
        outcome(&verdict, denied, &found)
    });
    search(&Session::new(), "", &"{a,b}".repeat(20)).assert_asked("its glob has too many patterns to check");
}
