//! Replaces the client's environment variables in tests. The variables of the test's process are ignored.

use std::cell::RefCell;
use std::ffi::OsString;

thread_local! {
    static VARIABLES: RefCell<Vec<(String, OsString)>> = const { RefCell::new(Vec::new()) };
}

/// Sets environment variables for hooks that this thread [runs](super::run) during the call, in addition to those of an
/// enclosing call.
///
/// The variables are a hook's whole environment: [`Environment`](crate::Environment), the file of an
/// [`EnvFile`](crate::EnvFile) (`CLAUDE_ENV_FILE`), the project's root (`CLAUDE_PROJECT_DIR`), and, with the feature
/// `state`, the folder of states (`XDG_STATE_HOME`).
/// They are not set for the process, nor for programs that a hook starts.
///
/// ```
/// use hookkit::prelude::*;
/// use hookkit::{Hook, testing};
///
/// /// Greets the user in an attended session.
/// #[hook(SessionStart)]
/// pub fn greet(environment: Environment) -> Option<SessionStartAnswer> {
///     environment.is_attended().then(|| SessionStartAnswer::pass().with_context("say hello"))
/// }
///
/// # fn main() {
/// let run = || testing::run(greet::DEF, &SessionStart::new("startup"));
/// run().assert_passed();
/// testing::with_variables([("CLAUDE_CODE_SESSION_ATTENDED", "1")], run).assert_model_reads("say hello");
/// # }
/// ```
pub fn with_variables<R>(
    variables: impl IntoIterator<Item = (impl Into<String>, impl Into<OsString>)>,
    run: impl FnOnce() -> R,
) -> R {
    let _until = Until(VARIABLES.with_borrow(Vec::len));
    let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
    VARIABLES.with_borrow_mut(|set| set.extend(variables));
    run()
}

/// Removes all variables after the first ones on drop, also when the test panics.
struct Until(usize);

impl Drop for Until {
    fn drop(&mut self) {
        VARIABLES.with_borrow_mut(|set| set.truncate(self.0));
    }
}

/// Returns the value that a hook sees: the one that was set last.
pub(super) fn look_up(name: &str) -> Option<OsString> {
    VARIABLES.with_borrow(|set| Some(set.iter().rev().find(|(set, _)| set == name)?.1.clone()))
}

#[cfg(test)]
mod tests {
    use std::panic;

    use super::*;

    #[test]
    fn variables_are_set_during_one_call_even_if_it_panics() {
        let seen = || ["A", "B"].map(|name| look_up(name).map(|value| value.into_string().unwrap()));
        let some = |value: &str| Some(value.to_owned());
        with_variables([("A", "1")], || {
            with_variables([("A", "2"), ("B", "3")], || assert_eq!(seen(), [some("2"), some("3")]));
            assert_eq!(seen(), [some("1"), None]);
            let panicked = panic::catch_unwind(|| with_variables([("B", "4")], || panic!("a failing test")));
            assert!(panicked.is_err());
            assert_eq!(seen(), [some("1"), None]);
        });
        assert_eq!(seen(), [None, None]);
    }
}
