//! What the library says of paths and edits is what the client does with them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use anyhow::{Context as _, Result};
use hookkit::{Context, Json, tool};
use hookkit_tests::{Project, Session, Turn, client};
use serde_json::json;

#[test]
fn the_client_leaves_the_text_that_an_edit_is_said_to_leave() -> Result<()> {
    let Some(client) = client::require("the_client_leaves_the_text_that_an_edit_is_said_to_leave") else {
        return Ok(());
    };
    let lines = |count: usize| format!("{}{}two\n", "a\n".repeat(count), "\r\n".repeat(4_000));
    let long = [lines(1_023), lines(1_024)];
    let project = Project::new()?;
    let mut session = Session::new(&client, project.path()).allow(&["Read", "Edit"]);
    let mut expected = Vec::new();
    for (number, (text, old, new, replace_all)) in [
        ("one\r\ntwo\r\nthree\r\n", "one\ntwo", "x\r\ny\nz", false),
        ("one\r\ntwo\r\n", "one\r\ntwo", "x", false),
        ("one\r\ntwo\nthree\n", "two", "x\r\ny", false),
        ("one\r\ntwo\r\nthree\n", "two", "x", false),
        ("one\rtwo\n", "two", "x", false),
        ("\u{feff}one\ntwo\n", "two", "$& $1", false),
        ("\u{feff}one\n", "\u{feff}one", "x", false),
        ("\u{feff}", "", "x", false),
        ("a\0b two\n", "two", "x", false),
        ("one\ntwo\nthree\n", "two", "", false),
        ("one two three\ntwo\n", "two", "", true),
        ("aaa aaaa\n", "aa", "b", true),
        ("aaa\n", "aa", "", false),
        ("two two\n", "two", "x", false),
        ("one\n", "zzz", "x", false),
        ("one\n", "one", "one", false),
        ("one\n", "", "x", false),
        (" \n", "", "x\n", false),
        (&long[0], "two", "x", false),
        (&long[1], "two", "x", false),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("{number}.txt");
        project.write(&name, text)?;
        let path = project.path().join(&name);
        let input = json!({"file_path": path, "old_string": old, "new_string": new, "replace_all": replace_all});
        let edit: tool::Edit = Json::parse(input.to_string())?.decode()?;
        // What is not edited stays.
        let after = edit.text_after(&Context::default());
        expected.push((name, after.clone().unwrap_or_else(|_| text.to_owned()), after.is_ok()));
        session = session
            .turn(Turn::call("Read", json!({"file_path": path})))
            .turn(Turn::call("Edit", input));
    }
    let outcome = session.turn(Turn::text("Done.")).run("go")?;
    let results = outcome.tool_results();
    for (number, (name, after, is_made)) in expected.iter().enumerate() {
        let result = results.get(2 * number + 1).context("a result of each edit")?;
        assert_eq!(project.read(name)?, *after, "{name}: {result}");
        assert_eq!(result.contains("has been updated"), *is_made, "{name}: {result}");
    }
    Ok(())
}

#[test]
fn the_client_writes_where_a_path_is_said_to_lead() -> Result<()> {
    let Some(client) = client::require("the_client_writes_where_a_path_is_said_to_lead") else {
        return Ok(());
    };
    let project = Project::new()?;
    project.write("elsewhere/deep/x", "")?;
    symlink("elsewhere/deep", project.path().join("link"))?;
    let mut context = Context::default();
    context.cwd = project.path().to_owned();
    context.project_dir = project.path().to_owned();
    let back = format!("../{}/5.txt", folder_name(project.path())?);
    let paths = [
        "1.txt",
        "new/./2.txt",
        "link/3.txt",
        "link/../4.txt",
        &back,
        " 6.txt ",
        "7.txt/",
        "~user/8.txt",
        "src//../9.txt",
    ];
    let mut session = Session::new(&client, project.path()).allow(&["Write"]);
    for path in paths {
        assert!(!context.path(path)?.resolved.exists(), "{path}");
        session = session.turn(Turn::call("Write", json!({"file_path": path, "content": path.trim()})));
    }
    let outcome = session.turn(Turn::text("Done.")).run("go")?;
    for path in paths {
        let resolved = context.path(path)?.resolved;
        let content = fs::read_to_string(resolved).with_context(|| format!("{path}: {:?}", outcome.tool_results()))?;
        assert_eq!(content, path.trim());
    }
    Ok(())
}

fn folder_name(path: &Path) -> Result<&str> {
    path.file_name().and_then(|name| name.to_str()).context("a name")
}

#[test]
fn the_client_searches_where_a_call_is_said_to() -> Result<()> {
    let Some(client) = client::require("the_client_searches_where_a_call_is_said_to") else {
        return Ok(());
    };
    const FOLDERS: [&str; 4] = ["", "src/", "elsewhere/", "elsewhere/deep/"];
    let project = Project::new()?;
    for folder in FOLDERS {
        project.write(&format!("{folder}here.txt"), "needle")?;
    }
    symlink("elsewhere/deep", project.path().join("link"))?;
    let mut context = Context::default();
    context.cwd = project.path().to_owned();
    context.project_dir = project.path().to_owned();
    let root = project.path().display();
    let inputs = [
        ("Grep", json!({"pattern": "needle"})),
        ("Grep", json!({"pattern": "needle", "path": "src/../src"})),
        ("Grep", json!({"pattern": "needle", "path": " src "})),
        ("Grep", json!({"pattern": "needle", "path": "link/.."})),
        ("Glob", json!({"pattern": "here.txt", "path": "link"})),
        ("Glob", json!({"pattern": format!("{root}/src/*.txt")})),
        (
            "Glob",
            json!({"pattern": format!("{root}/src/x\\/../../elsewhere/*.txt")}),
        ),
        // Of a pattern without a wildcard the first path is the folder, the second the pattern.
        ("Glob", json!({"pattern": format!("{root}/here.txt")})),
    ];
    let mut session = Session::new(&client, project.path())
        .arguments(&["--tools", "Glob,Grep"])
        .allow(&["Glob", "Grep"]);
    for (tool, input) in &inputs {
        session = session.turn(Turn::call(tool, input.clone()));
    }
    let outcome = session.turn(Turn::text("Done.")).run("go")?;
    for ((tool, input), result) in inputs.iter().zip(outcome.tool_results()) {
        let call = hookkit::event::PreToolUse::new(tool, Json::parse(input.to_string())?);
        let paths = call.paths(&context)?;
        let path = paths.first().with_context(|| format!("{input}: a path"))?;
        let found: Vec<&str> = result.lines().filter(|line| line.ends_with("here.txt")).collect();
        // Every file below the path, and no other.
        let below = FOLDERS.iter().map(|folder| project.path().join(folder));
        let count = below.filter(|folder| folder.starts_with(&path.resolved)).count();
        assert_eq!(found.len(), count, "{input}: {result}");
        for line in found {
            let file = context.path(line)?;
            assert!(file.resolved.starts_with(&path.resolved), "{input}: {line}");
        }
    }
    Ok(())
}
