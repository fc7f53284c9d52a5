//! The configuration of hooks, for tests.

use std::cell::Cell;

use serde::Serialize;

thread_local! {
    static CONFIG: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Sets the values of [`Config`](crate::Config) for hooks that this thread [runs](super::run) during the call, as if a
/// workspace configured them.
///
/// ```
/// use hookkit::prelude::*;
/// use hookkit::{Hook, testing};
///
/// /// The user's greeting.
/// #[derive(Default, serde::Serialize, serde::Deserialize)]
/// pub struct Greeting {
///     name: String,
/// }
///
/// /// Greets the user by name.
/// #[hook(SessionStart)]
/// pub fn greet(greeting: Config<Greeting>) -> SessionStartAnswer {
///     SessionStartAnswer::pass().with_context(format!("hello, {}", greeting.name))
/// }
///
/// # fn main() {
/// let run = || testing::run(greet::DEF, &SessionStart::new("startup"));
/// let greeting = Greeting { name: "Ada".to_owned() };
/// testing::with_config(&greeting, run).assert_model_reads("hello, Ada");
/// # }
/// ```
///
/// # Panics
///
/// Panics if the values cannot be serialized as JSON.
pub fn with_config<R>(values: &impl Serialize, run: impl FnOnce() -> R) -> R {
    with(Some(leaked(values)), run)
}

/// Returns values as JSON. The text is leaked, because in a real hook the values are constants.
#[track_caller]
pub(super) fn leaked(values: &impl Serialize) -> &'static str {
    let values = serde_json::to_string(values).expect("the values can be serialized");
    values.leak()
}

/// Sets the JSON of the values during a call.
pub(super) fn with<R>(values: Option<&'static str>, run: impl FnOnce() -> R) -> R {
    let _until = Until(CONFIG.replace(values));
    run()
}

/// Restores the previous values on drop, also when the test panics.
struct Until(Option<&'static str>);

impl Drop for Until {
    fn drop(&mut self) {
        CONFIG.set(self.0);
    }
}

pub(super) fn current() -> Option<&'static str> {
    CONFIG.get()
}
