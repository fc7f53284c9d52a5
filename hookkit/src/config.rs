//! The configuration of a hook.

use std::fmt;
use std::ops::Deref;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::json::PayloadProjection;
use crate::{Error, Event, FromInput, Json, JsonError, Payload};

/// The configuration of a hook: a struct of the hook's author, with values that a workspace can override.
///
/// Take it as an argument.
/// The struct's `Default` has the author's values; a workspace overrides them in its root `Cargo.toml`:
///
/// ```toml
/// [workspace.metadata.hookkit.hooks.long-command.config]
/// longest = 200
/// ```
///
/// `cargo xtask install` decodes the values, encodes them again, and rejects invalid values and unknown keys. So each
/// field must always be serialized, under the same name as it is deserialized. `cargo xtask list` shows all values.
/// They are compiled into the hook's binary, so that no file is read when it runs.
///
/// ```
/// use hookkit::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// /// Limits of the hook.
/// #[derive(Serialize, Deserialize)]
/// pub struct Limits {
///     /// Maximum length of a command.
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
/// // A test creates one.
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

/// The type of a configuration, for a lister. No other program serializes it.
pub struct ConfigType {
    /// Function that returns the author's values.
    pub defaults: fn() -> Result<Json, JsonError>,
    /// Function that decodes values and encodes them again.
    pub decoded: fn(&Json) -> Result<Json, JsonError>,
}

impl fmt::Debug for ConfigType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ConfigType")
    }
}

impl<E: Event, T: Default + Serialize + DeserializeOwned> FromInput<E> for Config<T> {
    const CONFIG: Option<&'static ConfigType> = Some(&ConfigType {
        defaults: || Json::encode(&T::default()),
        decoded: |values| Json::encode(&values.decode::<T>()?),
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
            Self { longest: 10, names: Vec::new() }
        }
    }

    type Argument = Config<Limits>;

    #[test]
    fn a_lister_decodes_values_as_the_hook_does() {
        let Some(config) = <Argument as FromInput<Stop>>::CONFIG else {
            panic!("a `Config` has a type of configuration")
        };
        assert_eq!((config.defaults)().unwrap().text(), r#"{"longest":10,"names":[]}"#);
        let values = Json::parse(r#"{"longest":3,"names":["a"],"unknown":1}"#).unwrap();
        let decoded = (config.decoded)(&values).unwrap();
        assert_eq!(decoded.text(), r#"{"longest":3,"names":["a"]}"#);
        let values = Json::parse(r#"{"longest":"3","names":[]}"#).unwrap();
        let error = (config.decoded)(&values).unwrap_err().to_string();
        assert!(error.contains("longest"), "{error}");
    }
}
