use super::*;
use crate::testing::{context, outcome};
use test_support::lines;

#[test]
fn each_file_ends_as_it_is_said() {
    lines!("lines/protect-secrets-paths.txt").check_inputs(|section, inputs| {
        let project = test_support::folder();
        section.write(project.path(), "TOKEN=1");
        let path = match inputs[0].starts_with('~') {
            true => Context::default().absolute(inputs[0]),
            // A path may begin with two slashes.
            false => format!("{}/{}", project.path().display(), inputs[0]).into(),
        };
        if let [_, content] = inputs {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content).unwrap();
        }
        let call = PreToolUse::new("Read", Access::File(FileAccess { path }));
        outcome(protect_secrets(call, Context::default()))
    });
}

#[test]
fn what_is_a_secret_by_the_table_is_denied_to_tools_and_commands() {
    lines!("../../hookkit/secrets/lines/files.txt").check_inputs(|_, inputs| {
        let project = test_support::folder();
        let (path, content) = (inputs[0], inputs.get(1));
        if let Some(content) = content {
            let file = project.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, content).unwrap();
        }
        let context = context(project.path());
        let run = |access| outcome(protect_secrets(PreToolUse::new("", access), context.clone()));
        let tool = run(Access::File(FileAccess { path: context.absolute(path) }));
        let name = path.replace(' ', "\\ ");
        let command = run(Access::Bash(tool::Bash::new(&format!("cat {name}"))));
        match (&*tool, &*command) {
            ("deny", "deny") => "secret".to_owned(),
            // A name with a blank is seldom one in a command.
            ("deny", "pass") if path.contains(' ') => "secret".to_owned(),
            ("pass", "pass") => "open".to_owned(),
            _ => format!("{tool} by a tool and {command} by a command"),
        }
    });
}

#[test]
fn a_search_that_prints_each_line_is_asked_about_in_a_folder_with_a_secret() {
    let project = test_support::folder();
    fs::create_dir_all(project.path().join("certs")).unwrap();
    fs::create_dir_all(project.path().join("src")).unwrap();
    fs::write(project.path().join("certs/server.key"), "x").unwrap();
    let run = |path: &str, pattern: &str| {
        let input =
            serde_json::json!({"path": project.path().join(path), "pattern": pattern, "output_mode": "content"});
        let search = serde_json::from_value(input).unwrap();
        outcome(protect_secrets(PreToolUse::new("Grep", Access::Search(search)), context(project.path()))) != "pass"
    };
    assert!(run("certs", "."));
    assert!(!run("certs", "main"));
    assert!(!run("src", "."));
    assert!(!run("", "."));
}
