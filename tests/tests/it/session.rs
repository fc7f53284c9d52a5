//! The pack hooks/session in one session of the real client.

use anyhow::Result;
use hookkit_tests::xtask::{repository, xtask_ok};
use hookkit_tests::{Project, Session, Turn, client};

use crate::hooks::keep;

#[test]
fn the_hooks_that_accompany_a_session_do_so() -> Result<()> {
    let Some(client) = client::require("the_hooks_that_accompany_a_session_do_so") else {
        return Ok(());
    };
    let project = Project::new()?;
    project.write("notes.txt", "")?;
    let folder = project.path().to_str().expect("a UTF-8 path");
    xtask_ok(repository(), &["install", "--project", folder])?;
    keep(&project, &["git-context"])?;
    let outcome = Session::new(&client, project.path())
        .turn(Turn::text("Done."))
        .run("go")?;
    let read = outcome.model_read();
    for line in ["On branch `main`, which has no commits yet.", "- untracked: notes.txt"] {
        assert!(read.contains(line), "{line}: {:?}", outcome.hook_responses());
    }
    Ok(())
}
