//! What must not compile does not, and says why at the word that is wrong.

#[test]
fn mistakes_are_refused_at_the_word_that_is_wrong() -> anyhow::Result<()> {
    // The messages of rustc change from release to release.
    if !hookkit_tests::is_recorded_toolchain("mistakes_are_refused_at_the_word_that_is_wrong")? {
        return Ok(());
    }
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
    Ok(())
}

#[test]
fn a_hook_can_stand_where_a_function_can() {
    trybuild::TestCases::new().pass("tests/ui/pass/*.rs");
}
