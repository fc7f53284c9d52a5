//! The pack's hooks on recorded events.

use crate::outcome::outcome;
use hookkit::testing::{Action, Recorded, Session};
use hookkit::{Hook, HookDef};
use hookkit_guard::branches::protect_branches;
use hookkit_guard::checks::protect_checks;
use hookkit_guard::commit::check_commit_message;
use hookkit_guard::destructive::deny_destruction;
use hookkit_guard::files::protect_secrets;
use hookkit_guard::git_hooks::keep_git_hooks;
use hookkit_guard::instructions::mark_instructions;
use hookkit_guard::packages::check_packages;
use hookkit_guard::protected::protect_files;
use hookkit_guard::secrets::{block_secrets_in_prompts, deny_secrets};
use serde_json::{Map, Value};

const HOOKS: [&HookDef; 11] = [
    protect_checks::DEF,
    deny_destruction::DEF,
    protect_secrets::DEF,
    mark_instructions::DEF,
    protect_files::DEF,
    block_secrets_in_prompts::DEF,
    deny_secrets::DEF,
    keep_git_hooks::DEF,
    protect_branches::DEF,
    check_packages::DEF,
    check_commit_message::DEF,
];

/// An invented token without its prefix: scanners of repositories would find a whole one here.
const TOKEN: &str = "_q7Zk3XvW9bRm2TfYd8LhPc5NsGj4Bw6KxQe1";

#[test]
fn each_call_ends_as_it_is_said() {
    test_support::lines!("lines/calls.txt").check_inputs(|section, inputs| {
        let &[text, event, members] = inputs else { panic!("{inputs:?}: a row has a text, an event and its members") };
        let session = Session::new();
        section.write(&session.path(""), &format!("a = 1\ntoken = 'ghp{TOKEN}'\n"));
        let [project, home] = ["", "~"].map(|folder| session.path(folder).display().to_string());
        let slashes = project.replace('\\', "/");
        let members = members
            .replace("{path}", &project.replace('\\', "\\\\"))
            .replace("{home}", &home.replace('\\', "\\\\"))
            .replace("{project}", &slashes)
            .replace("{token}", TOKEN);
        let members: Map<String, Value> = serde_json::from_str(&members).expect("an object");
        let event = members.iter().fold(Recorded::of(event), |event, (field, value)| event.with(field, value));
        let hook = HOOKS.iter().find(|hook| [hook.declared.name] == section.words("hook")[..]);
        let verdict = session.run(hook.expect("a hook of the pack"), &event);
        assert!(!format!("{verdict:?}").contains(TOKEN));
        let text = text.replace("{project}", &slashes);
        match verdict.action {
            _ if verdict.failed.is_some() => {
                verdict.assert_failed(&text).assert_denied(&text);
                "fail".to_owned()
            }
            Action::Denied if verdict.event == "UserPromptSubmit" => {
                verdict.assert_user_sees(&text);
                let is_kept_out = verdict.user_sees[0].rule.words.contains("`suppressOriginalPrompt`");
                assert!(is_kept_out, "{verdict:?}");
                "drop".to_owned()
            }
            Action::GoesOn if !verdict.model_reads.is_empty() => {
                verdict.assert_model_reads(&text);
                "reads".to_owned()
            }
            _ => outcome(&verdict, &text, &text),
        }
    });
}
