//! Environment variables that the client sets for a hook.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use crate::json::PayloadProjection;
use crate::payload::Variables;
use crate::{Error, Event, FromInput, Payload};

/// The environment variables that the client sets for a hook.
///
/// Take it as an argument next to the event. Each variable is looked up when it is requested.
/// The project's root, which most hooks need, is in [`Context`](crate::Context).
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Asks only if the user can answer.
/// #[hook(PreToolUse)]
/// pub fn publish(call: PreToolUse<tool::Bash>, environment: Environment) -> PreToolUseAnswer {
///     if !call.input.command.starts_with("cargo publish") {
///         PreToolUseAnswer::pass()
///     } else if environment.is_attended() {
///         PreToolUseAnswer::ask("a release cannot be taken back")
///     } else {
///         PreToolUseAnswer::deny("releases are made by people")
///     }
/// }
///
/// // A test creates one.
/// # fn main() {
/// let alone = Environment::new(|name| (name == "CLAUDE_CODE_SESSION_ATTENDED").then(|| "0".into()));
/// let call = PreToolUse::new("Bash", tool::Bash::new("cargo publish"));
/// assert_eq!(publish(call, alone), PreToolUseAnswer::deny("releases are made by people"));
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Environment(Variables);

impl Environment {
    /// Creates an environment for a test, with a function that looks up variables.
    pub fn new(variables: fn(&str) -> Option<OsString>) -> Self {
        Self(variables)
    }

    /// Returns a variable; `None` if it is not set or is empty.
    pub fn variable(&self, name: &str) -> Option<OsString> {
        (self.0)(name).filter(|value| !value.is_empty())
    }

    /// Returns `true` if the session runs in the cloud (`CLAUDE_CODE_REMOTE`).
    pub fn is_remote(&self) -> bool {
        self.variable("CLAUDE_CODE_REMOTE").is_some_and(|value| value == "true")
    }

    /// Returns `true` if the user can be asked (`CLAUDE_CODE_SESSION_ATTENDED`); `false` if the variable is not set.
    pub fn is_attended(&self) -> bool {
        self.variable("CLAUDE_CODE_SESSION_ATTENDED").is_some_and(|value| value == "1")
    }

    /// Returns the user's home folder (`HOME`, on Windows `USERPROFILE`); `None` if the variable is not an absolute
    /// path.
    ///
    /// A test sets it with `testing::with_variables([("HOME", folder)], || …)`.
    pub fn home(&self) -> Option<PathBuf> {
        let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        self.variable(name).map(PathBuf::from).filter(|home| home.is_absolute())
    }

    /// Returns the folder of the hook's plugin or skill (`CLAUDE_PLUGIN_ROOT`).
    pub fn plugin_root(&self) -> Option<PathBuf> {
        self.variable("CLAUDE_PLUGIN_ROOT").map(PathBuf::from)
    }

    /// Returns the data folder of the hook's plugin (`CLAUDE_PLUGIN_DATA`).
    pub fn plugin_data(&self) -> Option<PathBuf> {
        self.variable("CLAUDE_PLUGIN_DATA").map(PathBuf::from)
    }
}

/// Creates an environment without variables.
impl Default for Environment {
    fn default() -> Self {
        Self(|_| None)
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Environment")
    }
}

impl<E: Event> FromInput<E> for Environment {
    const LOCAL: Option<&'static str> =
        Some("a service has no `Environment`: a request does not contain the client's variables");

    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        Ok(Self(payload.variables()))
    }

    fn projection(_: &mut PayloadProjection) {}
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn home_is_an_absolute_path() {
        let home = |variables| Environment::new(variables).home();
        let expected = Some("/home/me".into());
        assert_eq!(home(|name| (name == "HOME").then(|| "/home/me".into())), expected);
        assert_eq!(home(|name| (name == "HOME").then(|| "me".into())), None);
        assert_eq!(home(|name| (name == "HOME").then(|| "".into())), None);
        assert_eq!(home(|_| None), None);
    }
}
