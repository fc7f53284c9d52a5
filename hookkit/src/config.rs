//! The configuration of a hook.

use std::fmt;
use std::ops::Deref;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::json::PayloadProjection;
use crate::{Error, Event, FromInput, Json, JsonError, Payload};

/// The configuration of a hook: a type of its author's, with the values that a workspace gives it.
///
/// Take it as an argument.
/// The type is a struct. Its `Default` has the author's values; in its root Cargo.toml, a workspace writes those that are
/// to be different:
///
/// ```toml
/// [workspace.metadata.hookkit.hooks.long-command.config]
/// longest = 200
/// ```
///
/// `cargo xtask install` decodes them, encodes them again, and refuses a value that does not fit and a key that got lost:
/// a field is written under the name by which it is read, and always. `cargo xtask list` shows all values. They are built into the hook's binary, so that nothing is looked up when it runs.
///
/// ```
/// use hookkit::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// /// The configuration.
/// #[derive(Serialize, Deserialize)]
/// pub struct Limits {
///     /// The most characters of a command.
///     longest: usize,
/// }
///
/// impl Default for Limits {
///     fn default() -> Self {
///         Self { longest: 1000 }
///     }
/// }
///
/// /// Asks about a command that is too long to be read.
/// #[hook(PreToolUse)]
/// pub fn long_command(call: PreToolUse<tool::Bash>, limits: Config<Limits>) -> PreToolUseAnswer {
///     if call.input.command.len() > limits.longest {
///         PreToolUseAnswer::ask("it is too long to be read")
///     } else {
///         PreToolUseAnswer::pass()
///     }
/// }
///
/// // A test gives one.
/// # fn main() {
/// let call = PreToolUse::new("Bash", tool::Bash::new("ls"));
/// let answer = long_command(call, Config(Limits { longest: 1 }));
/// assert_eq!(answer, PreToolUseAnswer::ask("it is too long to be read"));
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Config<T>(pub T);

impl<T> Deref for Config<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// The type of a configuration, for a lister: only there is it written, and looked at beforehand.
pub struct ConfigType {
    /// Returns the values without a workspace's.
    pub defaults: fn() -> Result<Json, JsonError>,
    /// Decodes values, and returns them as they were understood.
    pub understood: fn(&Json) -> Result<Json, JsonError>,
}

impl fmt::Debug for ConfigType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ConfigType")
    }
}

impl<E: Event, T: Default + Serialize + DeserializeOwned> FromInput<E> for Config<T> {
    const CONFIG: Option<&'static ConfigType> = Some(&ConfigType {
        defaults: || Json::encode(&T::default()),
        understood: |values| Json::encode(&values.decode::<T>()?),
    });

    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        match payload.config() {
            None => Ok(Self::default()),
            Some(values) => Json::parse(values)
                .and_then(|values| values.decode())
                .map(Self)
                .map_err(|err| Error::msg(format_args!("its configuration is invalid: {err}"))),
        }
    }

    fn projection(_: &mut PayloadProjection) {}
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::event::Stop;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Limits {
        longest: u32,
        names: Vec<String>,
    }

    impl Default for Limits {
        fn default() -> Self {
            Self {
                longest: 10,
                names: Vec::new(),
            }
        }
    }

    type Argument = Config<Limits>;

    #[test]
    fn what_a_lister_asks_of_a_type_is_what_the_hook_gets() {
        let Some(config) = <Argument as FromInput<Stop>>::CONFIG else {
            panic!("it has a type")
        };
        assert_eq!((config.defaults)().unwrap().text(), r#"{"longest":10,"names":[]}"#);
        let values = Json::parse(r#"{"longest":3,"names":["a"],"unknown":1}"#).unwrap();
        let understood = (config.understood)(&values).unwrap();
        assert_eq!(understood.text(), r#"{"longest":3,"names":["a"]}"#);
        let values = Json::parse(r#"{"longest":"3","names":[]}"#).unwrap();
        let refused = (config.understood)(&values).unwrap_err().to_string();
        assert!(refused.contains("longest"), "{refused}");
    }
}
