//! Tests of the linter for each file, and of the reports, with stubs for the linters.

use std::os::unix::fs::symlink;

use hookkit::Json;

use super::*;
use crate::program::install;
use crate::test_project::TestProject;

impl TestProject {
    /// Returns the report on edits of these files in one message.
    fn lint(&self, files: &[&str]) -> Report {
        let calls = files.iter().map(|file| {
            let input = serde_json::json!({"file_path": self.path(file)}).to_string();
            event::BatchedCall::new("Edit", Json::parse(input).unwrap())
        });
        let context = self.context();
        let files = changed_files(&PostToolBatch::new(calls.collect()), &context).unwrap();
        let states = States::new(self.path("state"), &context);
        lint(&files, self.path("bin").as_os_str(), || states.of_session("lint")).unwrap()
    }

    /// Returns the findings of a report without failures.
    fn findings(&self, files: &[&str]) -> Vec<String> {
        let report = self.lint(files);
        assert_eq!(report.failures, [""; 0]);
        report.findings
    }

    /// Lints files in which linters find nothing, and returns the linters' runs.
    fn linted(&self, files: &[&str]) -> String {
        assert_eq!(self.findings(files), [""; 0]);
        self.ran().unwrap_or_default()
    }
}

fn a_place_with_shellcheck(script: &str) -> TestProject {
    let project = TestProject::new();
    project.script("bin/shellcheck", script);
    project.write("project/a.sh", "echo $a\n");
    project
}

#[test]
fn linters_run_where_they_are_configured() {
    TestProject::check_runs("lint: ", TestProject::linted);
}

#[test]
fn go_is_vetted_by_package_within_a_module() {
    let project = TestProject::new();
    project.script("bin/go", &format!("echo \"$GOTOOLCHAIN $PWD: $*\" >> '{}'", project.path("ran").display()));
    for file in ["a/a.go", "a/b.go", "b/a.go"] {
        project.write(&format!("project/{file}"), "");
    }
    let files = ["project/a/a.go", "project/a/b.go", "project/b/a.go"];
    assert_eq!(project.linted(&files), "");
    project.write("project/go.mod", "");
    assert_eq!(project.linted(&files), "local project/a: vet .\nlocal project/b: vet .");
}

#[test]
fn of_a_package_only_the_changed_files_are_reported() {
    let project = TestProject::new();
    project.write("project/go.mod", "");
    project.write("project/src/a.go", "");
    project.script(
        "bin/go",
        "cat >&2 <<'END'\n# example.com/src\n./a.go:5:2: one\n\tmore of one\nb.go:1:1: two\n\tmore of two\n\
         vet: ./a.go:7:1: three\nsub/a.go:1:1: four\nEND\nexit 1",
    );
    let expected = ["`go vet`:\nsrc/a.go:5:2: one\n\tmore of one\nsrc/a.go:7:1: three"];
    assert_eq!(project.findings(&["project/src/a.go"]), expected);
    project.write("project/src/a.go", "// changed");
    project.script("bin/go", "echo '# example.com/src' >&2; echo 'vet: ./b.go:1:1: two' >&2; exit 1");
    assert!(project.findings(&["project/src/a.go"]).is_empty());
    project.write("project/src/a.go", "// changed again");
    project.script("bin/go", "echo 'go: go.mod requires go >= 1.99' >&2; exit 1");
    let expected = ["`go vet` could not lint `src/a.go`: go: go.mod requires go >= 1.99"];
    assert_eq!(project.lint(&["project/src/a.go"]).failures, expected);
}

#[test]
fn findings_name_files_as_the_project_does() {
    let project = a_place_with_shellcheck("for last; do :; done; echo \"$last:1:6: warning: a [SC2154]\"; exit 1");
    let expected = ["`shellcheck`:\na.sh:1:6: warning: a [SC2154]"];
    assert_eq!(project.findings(&["project/a.sh"]), expected);
}

#[test]
fn what_was_linted_is_not_linted_again() {
    let project = TestProject::new();
    project.tool("bin/shellcheck");
    project.write("project/a.sh", "one");
    project.write("project/b.sh", "one");
    let lint = |files: &[&str]| project.linted(files).replace("project: --format=gcc --color=never ", "");
    assert_eq!(lint(&["project/a.sh"]), "project/a.sh");
    assert_eq!(lint(&["project/a.sh"]), "");
    assert_eq!(lint(&["project/a.sh", "project/b.sh"]), "project/b.sh");
    project.write("project/a.sh", "two");
    assert_eq!(lint(&["project/a.sh", "project/b.sh"]), "project/a.sh");
    // Content from before the last run is new again: its findings may differ.
    project.write("project/a.sh", "one");
    assert_eq!(lint(&["project/a.sh"]), "project/a.sh");
}

#[test]
fn of_many_files_the_latest_are_remembered() {
    let mut linted = Linted::new();
    let name = |number: usize| format!("/project/{number}");
    for number in 0..=MAX_FILES {
        assert!(note(&mut linted, Path::new(&name(number)), 1));
    }
    assert_eq!(linted.len(), MAX_FILES);
    assert!(!note(&mut linted, Path::new(&name(1)), 1));
    assert!(note(&mut linted, Path::new(&name(0)), 1));
}

#[test]
fn a_linter_that_is_not_installed_is_not_missed() {
    let project = TestProject::new();
    project.write("project/ruff.toml", "");
    project.write("project/eslint.config.js", "");
    project.write("project/go.mod", "");
    let files = ["project/a.py", "project/a.ts", "project/a.sh", "project/a.go"];
    for file in files {
        project.write(file, "");
    }
    assert!(project.findings(&files).is_empty());
    project.script("bin/shellcheck", "echo 'version manager: not found' >&2; exit 127");
    assert!(project.findings(&files).is_empty());
}

#[test]
fn files_that_are_gone_elsewhere_or_of_another_type_are_left_alone() {
    let project = TestProject::new();
    project.tool("bin/shellcheck");
    project.write("project/a.txt", "");
    project.write("elsewhere/a.sh", "");
    symlink("../elsewhere/a.sh", project.path("project/link.sh")).unwrap();
    let files = ["project/a.txt", "project/gone.sh", "elsewhere/a.sh", "project/link.sh"];
    assert_eq!(project.linted(&files), "");
    // Nothing is remembered.
    assert!(!project.path("state").exists());
}

#[test]
fn a_linter_that_goes_wrong_is_a_failure_and_stops_no_other_one() {
    let project = a_place_with_shellcheck("echo 'a.sh:1:6: note'; exit 1");
    project.write("project/ruff.toml", "");
    project.write("project/a.py", "");
    project.script("bin/ruff", "echo 'ruff failed' >&2; exit 2");
    let report = project.lint(&["project/a.py", "project/a.sh"]);
    assert_eq!(report.findings, ["`shellcheck`:\na.sh:1:6: note"]);
    assert_eq!(report.failures, ["`ruff check` could not lint `a.py`: ruff failed"]);
    // A linter that exits as if it had found something, but reports nothing.
    project.write("project/a.py", "x = 1\n");
    project.script("bin/ruff", "echo 'no such option' >&2; exit 1");
    let expected = ["`ruff check` could not lint `a.py`: no such option"];
    assert_eq!(project.lint(&["project/a.py"]).failures, expected);
    project.write("project/a.py", "x = 2\n");
    let ruff = project.path("bin/ruff");
    install(&ruff, "#!/missing/interpreter\n");
    let report = project.lint(&["project/a.py"]);
    let failure = format!("`ruff check` could not lint `a.py`: `{}` could not be run: ", ruff.display());
    assert!(report.failures[0].starts_with(&failure), "{report:?}");
}

#[test]
fn other_tools_and_calls_that_were_denied_are_passed_over() {
    let call = |tool: &str, input: &str| event::BatchedCall::new(tool, Json::parse(input).unwrap());
    let project = a_place_with_shellcheck("");
    let input = serde_json::json!({"file_path": project.path("project/a.sh")}).to_string();
    for (tool, input, found) in [
        ("Write", &*input, 1),
        ("NotebookEdit", &input.replace("file_path", "notebook_path"), 1),
        ("Read", &input, 0),
        ("Edit", r#"{"file_path":{}}"#, 0),
        ("Edit", "{}", 0),
        ("Bash", r#"{"command":"ls"}"#, 0),
    ] {
        let batch = PostToolBatch::new(vec![call(tool, input)]);
        assert_eq!(changed_files(&batch, &project.context()).unwrap().len(), found, "{tool} {input}");
    }
}
