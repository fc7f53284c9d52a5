//! `cargo xtask run --as-test`: adds a test with a recorded event to the hook's pack.

#![expect(clippy::disallowed_methods, reason = "the files belong to the workspace being built")]

use std::fmt::Write as _;
use std::fs;

use hookkit_verdict::{Action, Verdict};

use crate::binaries::definition::Definition;
use crate::binaries::sample::Sample;
use crate::cargo::metadata::Metadata;
use crate::cargo::undo::Undo;
use crate::commands::new::pack::{Pack, TESTING};
use crate::commands::new::template::{described, payload};
use crate::commands::prelude::*;
use crate::disk::files;

/// The file for these tests.
const TESTS: &str = "tests/recorded.rs";

/// Writes the event and the test. Returns the rows of the changed files.
pub(super) fn write(hook: &Definition, sample: &Sample, verdict: &Verdict, text: &mut Text) -> Result<Vec<Value>> {
    let metadata = Metadata::here()?;
    let package = &hook.declared.package;
    ensure!(
        metadata.package(package).is_some(),
        "`{package}`, which has the hook, is not a package of this workspace: no test can be written there"
    );
    let pack = Pack::of(&metadata, package)?;
    let function = hook.declared.path.rsplit("::").next().unwrap_or_default().trim_start_matches("r#");
    let (payloads, tests) = (pack.folder.join("tests/payloads"), pack.folder.join(TESTS));
    let number = (1..).find(|number| !payloads.join(format!("{function}_{number}.json")).exists());
    let name = format!("{function}_{}", number.unwrap_or(1));
    let file = payloads.join(format!("{name}.json"));
    let test = test(&name, hook, verdict);

    let mut undo = Undo::default();
    let is_testing_new = pack.test(&metadata, &mut undo)?;
    undo.create(&file, &payload(sample)?)?;
    match fs::read_to_string(&tests) {
        Ok(before) => {
            undo.note(&tests)?;
            files::write(&tests, format!("{before}\n{test}"))?;
        }
        Err(_) => undo.create(&tests, &format!("//! Events of recorded runs, with the hooks' answers.\n\n{test}"))?,
    }
    let mut rows = undo.keep()?;
    rows.push(row("test", json!({"name": name, "package": package})));
    text.line_end().words(DONE, "Created").plain(" the test `").bold(&name).plain("`:\n\n");
    let event = "the event, with `/home/user/project` in place of your project".to_owned();
    let manifest = is_testing_new.then(|| pack.manifest());
    let new = manifest.iter().map(|manifest| (manifest, TESTING.to_owned()));
    let files = [(&file, event), (&tests, "the test: today's answer".to_owned())];
    described(text, &metadata.workspace_root, files.into_iter().chain(new));
    text.plain("\nRead the event before you commit it. Test it: ")
        .command(format_args!("cargo test --package {package}"))
        .line_end();
    Ok(rows)
}

/// Returns a test that the hook still answers an event as it does now.
fn test(name: &str, hook: &Definition, verdict: &Verdict) -> String {
    let mut code = format!(
        "#[test]\nfn {name}() {{\n    \
         let event = include_bytes!(\"payloads/{name}.json\");\n    \
         let verdict = hookkit::testing::run_recorded(<{} as hookkit::Hook>::DEF, event);\n",
        hook.path_from_outside()
    );
    // Writing to a string cannot fail.
    let _ = match &verdict.action {
        Action::Answered(_) | Action::CreatedAt(_) => Ok(()),
        action => writeln!(code, "    assert_eq!(verdict.action, hookkit::testing::Action::{action:?});"),
    };
    for message in &verdict.model_reads {
        let _ = writeln!(code, "    verdict.assert_model_reads({:?});", message.text);
    }
    for message in &verdict.user_sees {
        let _ = writeln!(code, "    verdict.assert_user_sees({:?});", message.text);
    }
    code + "}\n"
}
