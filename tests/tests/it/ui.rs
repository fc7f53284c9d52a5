//! What must not compile does not, and says why at the word that is wrong.

use std::process::Command;

/// The toolchain that the messages were recorded with: those of rustc change from release to release.
const RECORDED_WITH: &str = "rustc 1.95.0 ";

#[test]
fn mistakes_are_refused_at_the_word_that_is_wrong() -> anyhow::Result<()> {
    let version = String::from_utf8(Command::new("rustc").arg("--version").output()?.stdout)?;
    if !version.starts_with(RECORDED_WITH) {
        hookkit_tests::skip(
            "mistakes_are_refused_at_the_word_that_is_wrong",
            &format!("the messages are of {RECORDED_WITH}"),
        );
        return Ok(());
    }
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
    Ok(())
}
