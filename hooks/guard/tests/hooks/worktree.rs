//! `keep_to_worktree` in repositories with worktrees.

use hookkit::Hook;
use hookkit::testing::{Recorded, Session, Verdict};
use hookkit_guard::worktree::{keep_to_worktree, note_worktree};
use serde_json::json;
use test_support::lines;

use crate::outcome::outcome;

/// Returns a session in a worktree of the repository `project`.
fn session(tree: &str) -> Session {
    let mut session = Session::new();
    session.write("a.txt", "a\n");
    session.repository().commit("One");
    for (number, path) in ["../wt", "../other", ".claude/worktrees/x", ".claude/worktrees/y"].into_iter().enumerate() {
        session.git(["worktree", "add", "--quiet", "-b", &format!("b{number}"), path]);
    }
    session.git(["init", "--quiet", "../else"]);
    session.start_in(tree);
    session
}

fn bash(session: &Session, line: &str) -> Verdict {
    session.run(keep_to_worktree::DEF, &Recorded::of("PreToolUse Bash").with("tool_input.command", line))
}

const ANOTHER: &str = "another working tree of this repository";

#[test]
fn commands_reach_the_worktree_of_the_session_only() {
    let mut of_section = (String::new(), None);
    test_support::lines!("lines/keep-to-worktree.txt").check(|section, line| {
        if of_section.0 != section.name {
            of_section = (section.name.to_owned(), Some(session(section.words("tree")[0])));
        }
        let session = of_section.1.as_ref().expect("a session");
        outcome(&bash(session, line), ANOTHER, "")
    });
}

#[test]
fn the_documentation_says_what_is_not_seen() {
    let session = session("../wt");
    for line in lines::of_table(include_str!("../../limits/keep-to-worktree.md"), lines::NOT_SEEN) {
        bash(&session, &line.replace("../app", "../project")).assert_passed();
    }
}

#[test]
fn an_edit_is_sent_to_the_same_file_of_the_worktree() {
    let session = session("../wt");
    let edit = |tool: &str, member: &str, path: &str| {
        let event = Recorded::of(&format!("PreToolUse {tool}"));
        session.run(keep_to_worktree::DEF, &event.with(&format!("tool_input.{member}"), session.path(path)))
    };
    let own = session.path("../wt").canonicalize().unwrap().join("src/new/b.rs");
    edit("Write", "file_path", "src/new/b.rs").assert_denied(&format!("use `{}` instead", own.display()));
    edit("Edit", "file_path", "../other/a.txt").assert_denied(ANOTHER);
    edit("NotebookEdit", "notebook_path", "a.ipynb").assert_denied(ANOTHER);
    edit("Write", "file_path", "../wt/src/b.rs").assert_passed();
    edit("Write", "file_path", "../else/b.rs").assert_passed();
    edit("Write", "file_path", "~/.claude/plans/a.md").assert_passed();
    // A link does not lead out.
    std::os::unix::fs::symlink("../project", session.path("../wt/link")).unwrap();
    edit("Edit", "file_path", "../wt/link/a.txt").assert_denied(ANOTHER);
    // A server's tool does not either.
    let server = |tool: &str| {
        let event = Recorded::of("PreToolUse mcp__srv__echo").with("tool_name", tool);
        session.run(keep_to_worktree::DEF, &event.with("tool_input", json!({"path": session.path("a.txt")})))
    };
    server("mcp__files__write_file").assert_denied(ANOTHER);
    server("mcp__git__git_commit").assert_denied(ANOTHER);
    server("mcp__files__read_file").assert_passed();
    // A link of the worktree may be removed.
    bash(&session, "rm link && echo x > a.txt").assert_passed();
    bash(&session, "rm link/a.txt").assert_denied(ANOTHER);
}

#[test]
fn a_submodule_belongs_to_the_tree_around_it() {
    let session = session("../wt");
    for tree in ["../project", "../wt"] {
        session.write(format!("{tree}/sub/.git"), "gitdir: /none\n");
    }
    bash(&session, "echo x > ../project/sub/a.txt").assert_denied(ANOTHER);
    bash(&session, "echo x > sub/a.txt").assert_passed();
}

#[test]
fn a_session_is_held_to_the_worktree_that_it_went_into_and_not_by_a_cd() {
    let mut session = session("");
    let edit = Recorded::of("PreToolUse Write").with("tool_input.file_path", session.path("a.txt"));
    let run = |session: &Session| session.run(keep_to_worktree::DEF, &edit);
    run(&session).assert_passed();
    let tree = session.path("../wt");
    session.context_mut().cwd.clone_from(&tree);
    run(&session).assert_passed();
    session.context_mut().agent_id = Some("a1".to_owned());
    run(&session).assert_denied(ANOTHER);
    session.context_mut().agent_id = None;
    let entered = Recorded::of("PostToolUse EnterWorktree").with("tool_response.worktreePath", &tree);
    session.run(note_worktree::DEF, &entered).assert_passed();
    run(&session).assert_denied(ANOTHER);
    let left = Recorded::of("PostToolUse ExitWorktree").with("tool_response.worktreePath", &tree);
    session.run(note_worktree::DEF, &left).assert_passed();
    run(&session).assert_passed();
}
