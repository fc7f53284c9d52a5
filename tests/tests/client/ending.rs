//! The end of a turn, and programs that outlive a session.

use std::time::Instant;

use hookkit_tests::prelude::*;

#[test]
fn the_transcript_of_stop_has_the_last_reply_once_and_a_detached_program_outlives_the_session() -> Result<()> {
    let name = "the_transcript_of_stop_has_the_last_reply_once_and_a_detached_program_outlives_the_session";
    let client = client!(name);
    let project = Project::new()?;
    workspace::install("ending-hooks", &project)?;
    let outcome = Session::new(&client, project.path())
        .allow(&["Bash"])
        .turn(Turn::bash("uname"))
        .turn(Turn::text("All is done."))
        .run("go")?;
    assert_eq!(outcome.exit_code(), Some(0), "{}", outcome.stderr());
    // The session has not waited for the program.
    assert_eq!(project.read("program")?, "started\n");
    let reply = project.read("last-reply")?;
    reply.starts("2 [");
    reply.ends("Some(\"All is done.\"), Some(\"All is done.\")]");
    // It has not ended the program either.
    project.write("go", "")?;
    let asked = Instant::now();
    while project.read("program")? != "started\nended\n" {
        ensure!(asked.elapsed() < Duration::from_secs(30), "the program was ended");
        thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}
