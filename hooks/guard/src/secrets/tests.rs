use std::fs;

use super::*;
use crate::soak;
use crate::testing::context;

/// Returns a token of GitHub's, in pieces here: scanners of repositories would find it.
fn token(kind: &str) -> String {
    format!("{kind}_q7Zk3XvW9bRm2TfYd8LhPc5NsGj4{}", "Bw6KvR8m")
}

fn write(path: &str, content: &str) -> Text {
    let mut write = tool::Write::default();
    write.file_path = path.into();
    content.clone_into(&mut write.content);
    Text::Change(write.into())
}

fn edit(path: &str, old: &str, new: &str) -> Text {
    let mut edit = tool::Edit::default();
    edit.file_path = path.into();
    old.clone_into(&mut edit.old_string);
    new.clone_into(&mut edit.new_string);
    Text::Change(edit.into())
}

fn passes(change: Text, project: &tempfile::TempDir) -> bool {
    deny_secrets(PreToolUse::new("", change), context(project.path())) == PreToolUseAnswer::pass()
}

#[test]
fn what_comes_in_is_denied_by_whichever_tool() {
    let project = test_support::folder();
    let token = token("ghp");
    let mut notebook = tool::NotebookEdit::default();
    notebook.notebook_path = "a.ipynb".into();
    notebook.new_source = format!("token = '{token}'");
    let curl = |header: &str| Text::Bash(tool::Bash::new(&format!("curl -H {header} x")));
    for (change, expected) in [
        (write("a.py", &token), false),
        (edit("a.py", "x", &token), false),
        (Text::Change(notebook.into()), false),
        (curl(&format!("'Authorization: Bearer {token}'")), false),
        (write("a.py", "token = os.environ['TOKEN']"), true),
        (curl("\"Authorization: Bearer $TOKEN\""), true),
    ] {
        assert_eq!(passes(change.clone(), &project), expected, "{change:?}");
    }
}

#[test]
fn what_is_there_already_may_stay_and_go() {
    let project = test_support::folder();
    let (token, other) = (token("ghp"), token("gho"));
    let line = format!("token = '{token}'\n");
    fs::write(project.path().join("a.py"), format!("a = 1\n{line}")).unwrap();
    for (change, expected) in [
        (edit("a.py", &format!("'{token}'"), &format!("\"{token}\"")), true),
        (edit("a.py", &token, "os.environ['TOKEN']"), true),
        (edit("a.py", "a = 1", &format!("a = '{token}'")), true),
        (write("a.py", &line), true),
        (write("a.py", &format!("{line}other = '{other}'\n")), false),
        (write("b.py", &token), false),
    ] {
        assert_eq!(passes(change.clone(), &project), expected, "{change:?}");
    }
}

/// It took minutes when each was looked for in all that the file held.
#[test]
fn thousands_that_are_there_already_may_stay_and_of_new_ones_not_all_are_counted() {
    let start = &token("ghp")["ghp_".len()..][..30];
    let tokens = |from: usize, to: usize| -> String { (from..to).map(|n| format!("ghp_{start}{n:06}\n")).collect() };
    let project = test_support::folder();
    let count = soak::size(5_000, 30_000);
    let known = tokens(0, count);
    fs::write(project.path().join("a"), &known).unwrap();
    assert!(passes(write("a", &known), &project));
    assert!(!passes(write("a", &(known + &tokens(count, count + 1))), &project));
    let new = complaint(&new_ones(secrets(&tokens(count, 2 * count)), ["", &tokens(0, count)])).unwrap();
    assert!(new.ends_with("; and many more"), "{new}");
}

#[test]
fn a_prompt_is_dropped_and_not_shown_again() {
    let token = token("ghp");
    let answer = block_secrets_in_prompts(UserPromptSubmit::new(&format!("use this:\n{token}")));
    let reason = "your prompt holds what looks like a secret, in line 2: a GitHub token (`ghp_…`). The model has not read \
                  it. Send the prompt without it; a line that ends in `gitleaks:allow` is let through";
    assert_eq!(
        answer,
        UserPromptSubmitAnswer::block_and_suppress_original_prompt(reason)
    );
    let prompt = UserPromptSubmit::new("what is the meaning of ghp_?");
    assert_eq!(block_secrets_in_prompts(prompt), UserPromptSubmitAnswer::pass());
}

#[test]
fn of_many_the_first_are_named() {
    let text: String = (0..7).map(|_| token("ghp") + "\n").collect();
    let complaint = complaint(&secrets(&text)).unwrap();
    assert!(
        complaint.starts_with("line 1: a GitHub token (`ghp_…`); line 2: "),
        "{complaint}"
    );
    assert!(
        complaint.ends_with("line 5: a GitHub token (`ghp_…`); and 2 more"),
        "{complaint}"
    );
}
