use tempfile::TempDir;

use super::*;
use crate::testing::context;

fn looked(project: &Path, command: &str) -> Result<Option<Found>, Error> {
    let context = context(project);
    let script = shell::analyze(command);
    let line = Line { text: command, script: &script, context: &context, environment: Environment::default() };
    look(line, || Protected::of(&context, Environment::default(), &[]))
}

fn effect(project: &Path, command: &str) -> &'static str {
    match looked(project, command).unwrap() {
        Some(Certain(_)) => "changes",
        Some(Possible(_)) => "may change",
        Some(Asked(_)) => "asks",
        None => "pass",
    }
}

#[test]
fn each_command_ends_as_it_is_said() {
    let lines = test_support::lines!("lines/protect-files.txt");
    lines.check_in_folders("", |_, project, line| effect(project, line).to_owned());
}

/// Returns a project without rules of its own.
fn project() -> TempDir {
    let project = test_support::folder();
    fs::create_dir(project.path().join(".claude")).unwrap();
    for file in [".claude/protected", "Cargo.lock", "package.json"] {
        fs::write(project.path().join(file), "").unwrap();
    }
    project
}

#[cfg(unix)]
#[test]
fn the_documentation_says_what_is_not_seen() {
    use test_support::lines;

    let project = project();
    for line in lines::of_table(include_str!("../../../limits/protect-files.md"), lines::NOT_SEEN) {
        assert_eq!(effect(project.path(), &line), "pass", "{line}");
    }
}

#[test]
fn a_long_script_is_not_a_file() {
    let project = project();
    let script = "s/a/b/;".repeat(100);
    for command in [
        format!("sed -i '{script}' a.txt"),
        format!("sed -i -e '{script}' a.txt"),
        format!("sed 's/ w {script}/' a.txt"),
        format!("perl -pi -e '{script}' a.txt"),
    ] {
        assert_eq!(effect(project.path(), &command), "pass");
    }
}

#[cfg(unix)]
#[test]
fn a_path_that_is_longer_than_the_kernel_opens_is_an_error() {
    let project = project();
    let (marks, name) = ("*".repeat(100_000), "f".repeat(100_000));
    let err = looked(project.path(), &format!("sed -i'{marks}' s/a/b/ {name}")).unwrap_err();
    assert!(err.to_string().contains("File name too long"), "{err}");
    let root = "/proc/self/root".repeat(100);
    let inside = format!("rm {root}{}/Cargo.lock", project.path().display());
    assert!(looked(project.path(), &inside).unwrap().is_some());
}

#[test]
fn more_words_of_braces_than_are_made_are_names_that_are_not_known() {
    let project = project();
    let braces = "{a,C}".repeat(20);
    for command in [
        format!("rm {braces}argo.lock"),
        format!("rm {{x{braces},Cargo.lock}}"),
        format!("rm {}Cargo.lock{}", "{a,".repeat(5000), "}".repeat(5000)),
    ] {
        assert_eq!(effect(project.path(), &command), "may change");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_link_below_dev_is_followed() {
    let Some(folder) = test_support::below_dev() else {
        return;
    };
    let project = project();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(project.path().join("Cargo.lock"), &link).unwrap();
    let line = format!("echo x > {}", link.display());
    assert_eq!(effect(project.path(), &line), "changes");
}

#[test]
fn a_command_of_too_many_long_words_is_denied() {
    let project = project();
    let line = format!("cp {}/{}", "x ".repeat(1000), "a".repeat(500_000));
    assert_eq!(
        looked(project.path(), &line).unwrap_err().to_string(),
        "the command has too many long words to be analyzed: split it"
    );
}

#[cfg(windows)]
#[test]
fn a_folder_of_windows_that_is_not_certain_is_an_error() {
    let lines = test_support::lines!("lines/protect-files-windows.txt");
    lines.check_in_folders("", |_, project, line| {
        let found = looked(project, line);
        found.map_or("error", |found| if found.is_some() { "found" } else { "pass" }).to_owned()
    });
}
