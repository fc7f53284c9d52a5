//! The library computes the effects of edits, writes and searches that were recorded of the client.

use anyhow::{Context as _, Result};
use hookkit::{Context, Json, tool};
use hookkit_tests::edits::{Edited, FOLDERS, PATHS, edits, project, search, searches};
use hookkit_tests::record::Record;

#[test]
fn edits_leave_the_recorded_texts() -> Result<()> {
    let record = Record::<Edited>::read("edits")?;
    let edits = edits();
    assert_eq!(record.gaps(edits.iter().map(|edit| &*edit.name)), Vec::<String>::new());
    for edit in edits {
        let input: tool::Edit = Json::parse(edit.input("a.txt").to_string())?.decode()?;
        let folder = test_support::folder();
        std::fs::write(folder.path().join("a.txt"), &edit.text)?;
        let mut context = Context::default();
        context.cwd = folder.path().to_owned();
        let after = input.text_after(&context);
        let edited = Edited::new(after.is_ok(), after.as_deref().unwrap_or(&edit.text));
        assert_eq!(edited, record.rows[&edit.name], "{}", edit.name);
    }
    Ok(())
}

#[test]
fn writes_go_to_the_recorded_files() -> Result<()> {
    let record = Record::<String>::read("writes")?;
    assert_eq!(record.gaps(PATHS), Vec::<String>::new());
    let (project, context) = project()?;
    for path in PATHS {
        let resolved = context.path(path)?.resolved;
        assert_eq!(resolved, project.path().join(&record.rows[path]), "{path}");
    }
    Ok(())
}

#[test]
fn searches_find_the_recorded_files() -> Result<()> {
    let record = Record::<Vec<String>>::read("searches")?;
    let keys: Vec<String> = searches().iter().map(|(tool, input)| format!("{tool} {input}")).collect();
    assert_eq!(record.gaps(keys.iter().map(String::as_str)), Vec::<String>::new());
    let (project, context) = project()?;
    for (tool, input) in searches() {
        let call = hookkit::event::PreToolUse::new(&tool, Json::parse(search(&project, &input)?.to_string())?);
        let paths = call.paths(&context)?;
        let path = paths.first().with_context(|| format!("{input}: a path"))?;
        // Every file below the path, and no other.
        let files = FOLDERS.map(|folder| format!("{folder}here.txt"));
        let below = files.into_iter().filter(|file| project.path().join(file).starts_with(&path.resolved));
        let mut below: Vec<String> = below.collect();
        below.sort();
        assert_eq!(below, record.rows[&format!("{tool} {input}")], "{input}");
    }
    Ok(())
}
