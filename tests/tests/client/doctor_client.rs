//! `cargo dev doctor` reports how the real client reads settings, and does not run commands or write files.

use hookkit_tests::copies::ask;
use hookkit_tests::files::contents;
use hookkit_tests::prelude::*;

#[test]
fn hooks_fire_on_copies_and_what_is_dropped_has_the_client_s_reason() -> Result<()> {
    let client = client!("hooks_fire_on_copies_and_what_is_dropped_has_the_client_s_reason");
    let project = Project::new()?;
    let trace = project.path().join("trace").display().to_string();
    let table = lines!("lines/asked.txt");
    for [files, printed] in [["files", "printed"], ["other files", "other printed"]] {
        for row in &table.section(files).rows {
            project.write(&row.expected.concat(), row.line.replace("TRACE", &trace))?;
        }
        let before = contents(project.path())?;
        let (text, is_clean) = ask(&client, project.path(), &project.path().join("user"))?;
        assert!(before == contents(project.path())?, "a file was changed, or a command ran");
        for row in &table.section(printed).rows {
            text.has(&format!("{}: {}", row.line, row.expected.concat()));
        }
        assert!(!is_clean);
    }
    Ok(())
}
