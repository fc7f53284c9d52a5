use std::fs;

use super::*;
use crate::testing::outcome;

#[test]
fn each_file_ends_as_it_is_said() {
    test_support::lines!("lines/protect-secrets-paths.txt").check_inputs(|section, inputs| {
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
