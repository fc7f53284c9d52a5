//! `cargo xtask run --as-test`: a test of a recorded event, in the hook's pack.

#![expect(
    clippy::disallowed_methods,
    reason = "the files are those of a workspace that is built"
)]

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result, ensure};
use hookkit_verdict::{Action, Verdict};
use serde_json::{Value, json};

use crate::binaries::definition::Definition;
use crate::binaries::sample::Sample;
use crate::cargo::metadata::Metadata;
use crate::commands::new::made::Made;
use crate::commands::new::pack::Pack;
use crate::commands::new::template::payload;
use crate::terminal::rows::row;
use crate::terminal::style::DONE;
use crate::terminal::text::Text;

/// The file that such tests are in.
const TESTS: &str = "tests/recorded.rs";

/// Writes the event and the test. Returns the rows of what has changed.
pub(super) fn write(hook: &Definition, sample: &Sample, verdict: &Verdict, text: &mut Text) -> Result<Vec<Value>> {
    let metadata = Metadata::here()?;
    let package = &hook.declared.package;
    ensure!(
        metadata.packages.iter().any(|known| known.name == *package),
        "`{package}`, which has the hook, is not a package of this workspace: no test can be written there"
    );
    let pack = Pack::of(&metadata, package)?;
    let function = hook.declared.path.rsplit("::").next().unwrap_or_default();
    let function = function.trim_start_matches("r#");
    let (payloads, tests) = (pack.folder.join("tests/payloads"), pack.folder.join(TESTS));
    let number = (1..).find(|number| !payloads.join(format!("{function}_{number}.json")).exists());
    let name = format!("{function}_{}", number.unwrap_or(1));
    let file = payloads.join(format!("{name}.json"));
    let test = test(&name, hook, verdict);

    let mut made = Made::default();
    let is_testing_new = pack.test(&metadata, &mut made)?;
    made.file(&file, &payload(sample)?)?;
    match fs::read_to_string(&tests) {
        Ok(before) => {
            made.changes(&tests)?;
            fs::write(&tests, format!("{before}\n{test}")).with_context(|| format!("writing {}", tests.display()))?;
        }
        Err(_) => made.file(
            &tests,
            &format!("//! Events of recorded runs, with the hooks' answers.\n\n{test}"),
        )?,
    }
    made.format();
    let mut rows = made.rows()?;
    made.keep();
    rows.push(row("test", json!({"name": name, "package": package}))?);
    text.line_end()
        .words(DONE, "Created")
        .plain(" the test `")
        .bold(&name)
        .plain("`:\n\n");
    let manifest = pack.folder.join("Cargo.toml");
    for (path, what) in [
        (
            &file,
            Some("the event, with `/home/user/project` in the place of your project"),
        ),
        (&tests, Some("the test: today's answer")),
        (
            &manifest,
            is_testing_new.then_some("hookkit's `testing`, for the pack's tests"),
        ),
    ] {
        if let Some(what) = what {
            let path = path.strip_prefix(&metadata.workspace_root).unwrap_or(path);
            text.plain("  ")
                .path(path.display())
                .plain(format_args!("\n      {what}\n"));
        }
    }
    text.plain("\nRead the event before you commit it. Test it: ")
        .command(format_args!("cargo test --package {package}"))
        .line_end();
    Ok(rows)
}

/// Returns the test that a hook answers an event as it does today.
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
        action => writeln!(
            code,
            "    assert_eq!(verdict.action, hookkit::testing::Action::{action:?});"
        ),
    };
    for message in &verdict.model_reads {
        let _ = writeln!(code, "    verdict.assert_model_reads({:?});", message.text);
    }
    for message in &verdict.user_sees {
        let _ = writeln!(code, "    verdict.assert_user_sees({:?});", message.text);
    }
    code + "}\n"
}
