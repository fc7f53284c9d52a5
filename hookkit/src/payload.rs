//! The client's payload, scanned and not yet decoded, and the arguments that handlers take of it.

use std::borrow::Cow;
use std::ffi::OsString;

use crate::json::{self, Deserializer, Index, Input, Members, PayloadProjection, Projection, Scanner};
use crate::{Error, Event, Json};

/// The JSON object that the client gives a hook on stdin: scanned once to its closing brace, not yet decoded.
///
/// A handler does not see it; its arguments are decoded from it (see [`FromInput`](crate::FromInput)).
/// In a test it comes from a recorded event, and the environment is empty:
///
/// ```
/// use hookkit::Payload;
///
/// let payload = Payload::parse(br#"{"hook_event_name":"Stop","stop_hook_active":false}"#).unwrap();
/// assert_eq!(payload.event_name().unwrap(), "Stop");
/// ```
#[derive(Debug)]
pub struct Payload<'a> {
    document: &'a [u8],
    index: Index,
    surroundings: Surroundings,
}

/// A function that looks a variable up.
pub(crate) type Variables = fn(&str) -> Option<OsString>;

/// The input of a handler apart from the client's JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surroundings {
    pub(crate) variables: Variables,
    /// The values that a workspace configures, as JSON.
    pub(crate) config: Option<&'static str>,
}

impl Surroundings {
    /// Nothing.
    pub(crate) const NOTHING: Self = Self::variables(|_| None);

    pub(crate) const fn variables(variables: Variables) -> Self {
        Self {
            variables,
            config: None,
        }
    }
}

impl<'a> Payload<'a> {
    /// Scans a payload.
    ///
    /// # Errors
    ///
    /// When the bytes are not one JSON object, or nest deeper than 127 levels.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::scan(bytes, Surroundings::NOTHING).map_err(|err| Error::unreadable(&err, bytes))
    }

    pub(crate) fn scan(bytes: &'a [u8], surroundings: Surroundings) -> Result<Self, json::Error> {
        let mut scanner = Scanner::new(bytes);
        let mut index = Index::start(&mut scanner)?;
        while index.next(&mut scanner, &PayloadProjection::ALL)? {}
        scanner.end()?;
        Ok(Self {
            document: bytes,
            index,
            surroundings,
        })
    }

    pub(crate) fn members(&self) -> Members<'_, 'a> {
        Members::new(self.document, &self.index)
    }

    /// The event, by the client's name of it.
    ///
    /// # Errors
    ///
    /// When `hook_event_name` is missing or no string.
    pub fn event_name(&self) -> Result<Cow<'a, str>, Error> {
        self.string(EVENT_NAME)
    }

    /// A member, if there is one.
    pub(crate) fn member(&self, key: &str) -> Option<Deserializer<'_, 'a>> {
        self.members().get(key)
    }

    /// A member that is a string.
    pub(crate) fn string(&self, key: &str) -> Result<Cow<'a, str>, Error> {
        string(self.members(), key)
    }

    /// A member that is a string, or absent, or `null`.
    pub(crate) fn optional_string(&self, key: &str) -> Result<Option<Cow<'a, str>>, Error> {
        optional_string(self.members(), key)
    }

    /// A member that may be absent, or `null`.
    pub(crate) fn optional<T>(
        &self,
        key: &str,
        decode: fn(Deserializer<'_, '_>) -> Result<T, json::Error>,
    ) -> Result<Option<T>, Error> {
        match self.members().get(key) {
            Some(value) if !value.is_null() => decode(value).map(Some).map_err(|err| unfit(&err.inside(key))),
            _ => Ok(None),
        }
    }

    /// A variable that the client set for the hook; an empty one is none.
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        (self.surroundings.variables)(name).filter(|value| !value.is_empty())
    }

    /// Returns the function that looks variables up.
    pub(crate) fn variables(&self) -> Variables {
        self.surroundings.variables
    }

    /// The values that a workspace configures, as JSON.
    pub(crate) fn config(&self) -> Option<&'static str> {
        self.surroundings.config
    }

    /// Decodes what a type names from the payload's members.
    pub(crate) fn decode<T: serde::Deserialize<'a>>(&self) -> Result<T, Error> {
        self.members().decode().map_err(|err| unfit(&err))
    }

    /// The whole of it, as the client wrote it.
    pub(crate) fn to_json(&self) -> Result<Json, Error> {
        Json::scanned(self.document).map_err(|err| unfit(&err))
    }

    /// Decodes one member. To a type that takes `null` one that is absent is `null`.
    pub(crate) fn decode_member<T>(
        &self,
        key: &str,
        decode: impl Fn(Deserializer<'_, '_>) -> Result<T, json::Error>,
    ) -> Result<T, Error> {
        let Some(value) = self.members().get(key) else {
            return decode(Deserializer::new(b"null")).map_err(|_| missing(key));
        };
        decode(value).map_err(|err| unfit(&err.inside(key)))
    }
}

/// A member that is a string.
pub(crate) fn string<'a>(members: Members<'_, 'a>, key: &str) -> Result<Cow<'a, str>, Error> {
    optional_string(members, key)?.ok_or_else(|| missing(key))
}

fn optional_string<'a>(members: Members<'_, 'a>, key: &str) -> Result<Option<Cow<'a, str>>, Error> {
    match members.get(key) {
        Some(value) if !value.is_null() => value.as_str().map(Some).map_err(|err| unfit(&err.inside(key))),
        _ => Ok(None),
    }
}

#[cold]
fn missing(key: &str) -> Error {
    Error::msg(format_args!("the payload has no `{key}`"))
}

#[cold]
fn unfit(err: &json::Error) -> Error {
    Error::msg(format_args!("the payload is invalid: {err}"))
}

/// A payload that is still being scanned, member by member.
pub(crate) struct Partial<'s, S> {
    scanner: &'s mut Scanner<S>,
    index: Index,
}

impl<'s, S: Input> Partial<'s, S> {
    pub(crate) fn start(scanner: &'s mut Scanner<S>) -> Result<Self, json::Error> {
        let index = Index::start(scanner)?;
        Ok(Self { scanner, index })
    }

    /// Scans another member; false if that was the last one.
    pub(crate) fn next(&mut self, projection: &PayloadProjection) -> Result<bool, json::Error> {
        self.index.next(self.scanner, projection)
    }

    /// Returns the members that were scanned so far.
    pub(crate) fn so_far(&self) -> Members<'_, '_> {
        Members::new(self.scanner.scanned(), &self.index)
    }

    /// Returns `true` if the member that was scanned last has this key.
    #[inline]
    pub(crate) fn last_is(&self, key: &str) -> bool {
        self.index.last_is(key, self.scanner.scanned())
    }

    /// The payload, when the last member was scanned.
    ///
    /// Of a stream the bytes behind it are not looked at: how many of them were read is up to chance.
    pub(crate) fn end(self, surroundings: Surroundings) -> Result<Payload<'s>, json::Error> {
        if !S::DISCARDS {
            self.scanner.end()?;
        }
        Ok(Payload {
            document: self.scanner.scanned(),
            index: self.index,
            surroundings,
        })
    }
}

/// The member that names the event.
pub(crate) const EVENT_NAME: &str = "hook_event_name";

/// A type that a handler can take as an argument on event `E`.
///
/// The event itself, typed by its tool where it has one, [`AnyEvent`](crate::event::AnyEvent), or the whole payload as
/// [`Json`](crate::Json), with the fields that hookkit does not know; next to it [`Context`](crate::Context) and
/// [`Environment`](crate::Environment), [`Config`](crate::Config), and on some events [`EnvFile`](crate::EnvFile).
/// It cannot be implemented elsewhere yet.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument that a hook on `{E}` can take",
    label = "not an argument for this event",
    note = "a hook takes its own event (for a tool event typed by the tool: `PreToolUse<tool::Bash>`), `AnyEvent`, the payload as `Json`, `Context`, `Environment`, `Config`, or nothing",
    note = "on several events it takes `AnyEvent`, the payload as `Json`, `Context`, `Environment`, `Config`, or nothing"
)]
pub trait FromInput<E: Event>: Sized {
    /// Events that it can be decoded from, in the client's matcher language: the matcher of a hook that declares
    /// none. `None`: all of them.
    const MATCHER: Option<&'static str> = None;

    /// The type of its values, if it is a [`Config`](crate::Config).
    #[doc(hidden)]
    const CONFIG: Option<&'static crate::config::ConfigType> = None;

    /// Decodes the argument.
    ///
    /// # Errors
    ///
    /// When the payload lacks a field that the argument needs, or has it in another shape.
    /// The hook is then not called; its failure policy decides.
    fn from_input(payload: &Payload<'_>) -> Result<Self, Error>;

    /// Adds the members of the payload that it is decoded from. The others are not taken apart, nor kept where there is no
    /// room for them.
    #[doc(hidden)]
    fn projection(projection: &mut PayloadProjection);
}

/// The whole payload, as the client wrote it: this is how fields are reached that hookkit does not know.
///
/// A hook that takes it wants all of a payload, so that nothing of a large one is skipped.
///
/// ```
/// use hookkit::Json;
/// use hookkit::prelude::*;
///
/// #[derive(serde::Deserialize)]
/// struct Unknown {
///     a_new_field: Option<String>,
/// }
///
/// /// Reads a field that is newer than hookkit.
/// #[hook(Stop)]
/// pub fn newer(stop: Stop, payload: Json) -> Result<(), Error> {
///     let Unknown { a_new_field } = payload.decode()?;
///     eprintln!("{}: {a_new_field:?}", stop.stop_hook_active);
///     Ok(())
/// }
/// # fn main() {}
/// ```
impl<E: Event> FromInput<E> for Json {
    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        payload.to_json()
    }

    fn projection(projection: &mut PayloadProjection) {
        projection.add(Projection::All);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{SessionSource, SessionStart};

    #[test]
    fn a_field_is_found_by_a_key_with_an_escape() {
        let payload = Payload::parse(br#"{"\u0073ource":"clear","session_title":"t"}"#).unwrap();
        let start = SessionStart::from_input(&payload).unwrap();
        assert_eq!(start.source, SessionSource::Clear);
        assert_eq!(start.session_title.as_deref(), Some("t"));
    }
}
