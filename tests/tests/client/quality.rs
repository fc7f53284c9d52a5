//! The pack *quality* in the real client.

use hookkit_tests::prelude::*;

use crate::hooks::install;

#[test]
fn suppressions_are_denied_and_fixes_are_not() -> Result<()> {
    let client = client!("suppressions_are_denied_and_fixes_are_not");
    let project = Project::new()?;
    install(&project, &["forbid-suppressions", "keep-tests"])?;
    project.write("main.py", "import os\n")?;
    project.write("test_main.py", "def test_a():\n    assert f() == 1\n")?;
    let notebook = r#"{"cells":[{"cell_type":"code","id":"c1","metadata":{},"outputs":[],"execution_count":null,"source":["import os"]}],"metadata":{},"nbformat":4,"nbformat_minor":5}"#;
    project.write("a.ipynb", notebook)?;
    let file = |name: &str| project.path().join(name);
    let edit = |new: &str| json!({"file_path": file("main.py"), "old_string": "import os", "new_string": new});
    let reads = ["main.py", "a.ipynb", "test_main.py"].map(|name| ("Read", json!({"file_path": file(name)})));
    let of_test = json!({"file_path": file("test_main.py"), "old_string": "assert f() == 1", "new_string": "f()"});
    let cell = json!({"notebook_path": file("a.ipynb"), "cell_id": "c1", "new_source": "import os  # noqa"});
    let outcome = Session::new(&client, project.path())
        .allow(&["Read", "Edit", "NotebookEdit"])
        .turn(Turn::calls(reads))
        .turn(Turn::call("Edit", edit("import os  # noqa")))
        .turn(Turn::call("NotebookEdit", cell))
        .turn(Turn::call("Edit", edit("import sys")))
        .turn(Turn::call("Edit", of_test))
        .go()?;
    let results = outcome.tool_results();
    for (result, tool) in [(&results[3], "Edit"), (&results[4], "NotebookEdit")] {
        result.starts(&format!("PreToolUse:{tool} hook error: `"));
        result.has("`import os  # noqa` hides a finding");
    }
    assert_eq!(project.read("main.py")?, "import sys\n");
    assert!(!project.read("a.ipynb")?.contains("noqa"));
    assert!(results[6].contains("has 0 assertions instead of 1"), "{results:?}");
    assert!(project.read("test_main.py")?.contains("assert"));
    Ok(())
}

#[test]
fn files_of_one_message_are_formatted_then_linted_once() -> Result<()> {
    let client = client!("files_of_one_message_are_formatted_then_linted_once");
    let project = Project::new()?;
    install(&project, &["format-on-edit", "lint-on-edit"])?;
    project.write("go.mod", "module example.com/a\n")?;
    let tools = Project::new()?;
    let gofmt = "#!/bin/sh\nsleep 0.3\necho '// formatted' >> \"$2\"\n";
    let content = "#!/bin/sh\necho \"$@\" >> runs.txt\ngrep -Hn formatted ./*.go >&2\nexit 1\n";
    files::program(tools.path().join("gofmt"), gofmt)?;
    files::program(tools.path().join("go"), content)?;
    let file = |name: &str| project.path().join(name);
    let write = |name: &str| ("Write", json!({"file_path": file(name), "content": "package a\n"}));
    let edit = json!({"file_path": file("a.go"), "old_string": "package a", "new_string": "package a // now"});
    let outcome = Session::new(&client, project.path())
        .allow(&["Read", "Edit", "Write"])
        .path_first(tools.path())
        .turn(Turn::calls([write("a.go"), write("b.go")]))
        .turn(Turn::call("Read", json!({"file_path": file("b.go")})))
        .turn(Turn::call("Edit", edit))
        .go()?;
    let responses = outcome.hook_responses();
    assert_eq!(project.read("runs.txt")?, "vet .\nvet .\n", "{responses:?}");
    let of_batch = responses.into_iter().filter(|response| response.event == "PostToolBatch");
    let linted: Vec<String> = of_batch.map(|response| response.stdout).collect();
    linted[0].has(r"`go vet`:\na.go:2:// formatted\nb.go:2:// formatted");
    assert_eq!(linted[1], "", "nothing was changed");
    linted[2].has(r#"`go vet`:\na.go:2:// formatted\na.go:3:// formatted""#);
    assert!(outcome.model_read().contains("b.go:2:// formatted"));
    Ok(())
}

#[test]
fn changes_of_the_check_ask_the_user() -> Result<()> {
    let client = client!("changes_of_the_check_ask_the_user");
    let project = Project::new()?;
    project.write(".claude/check", "exit 1\n")?;
    let file = project.path().join(".claude/check");
    let edit = json!({"file_path": file, "old_string": "exit 1", "new_string": "exit 0"});
    let command = json!({"command": "echo 'exit 0' > .claude/check", "description": "Change it"});
    let outcome = Session::new(&client, project.path())
        .allow(&["Read", "Edit", "Write", "Bash"])
        .arguments(&["--permission-mode", "acceptEdits"])
        .turn(Turn::call("Read", json!({"file_path": file})))
        .turn(Turn::call("Edit", edit))
        .turn(Turn::call("Write", json!({"file_path": file, "content": "exit 0\n"})))
        .turn(Turn::call("Bash", command))
        .go()?;
    // There is no user to ask, so the client denies them.
    for result in &outcome.tool_results()[1..] {
        assert!(result.contains("which is a sensitive file"), "{result}");
    }
    assert_eq!(project.read(".claude/check")?, "exit 1\n");
    Ok(())
}
