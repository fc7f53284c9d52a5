//! The client's payload, scanned but not decoded, and the arguments that handlers take from it.

use std::borrow::Cow;
use std::ffi::OsString;

use crate::json::{self, Deserializer, Index, Input, Members, PayloadProjection, Projection, Scanner};
use crate::{Error, Event, Json};

/// The JSON object that the client sends to a hook on stdin, scanned but not decoded.
///
/// The arguments of a handler are decoded from it (see [`FromInput`](crate::FromInput)).
/// A test parses a recorded event; the environment is empty:
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

/// A function that looks up an environment variable.
pub(crate) type Variables = fn(&str) -> Option<OsString>;

/// The input of a handler in addition to the client's JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surroundings {
    pub(crate) variables: Variables,
    /// The configuration that a workspace sets, as JSON.
    pub(crate) config: Option<&'static str>,
}

impl Surroundings {
    /// Surroundings without variables and configuration.
    pub(crate) const NOTHING: Self = Self::variables(|_| None);

    pub(crate) const fn variables(variables: Variables) -> Self {
        Self { variables, config: None }
    }
}

impl<'a> Payload<'a> {
    /// Scans a payload.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not one JSON object, or are nested deeper than 127 levels.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::scan(bytes, Surroundings::NOTHING).map_err(|err| Error::unreadable(&err, bytes))
    }

    pub(crate) fn scan(bytes: &'a [u8], surroundings: Surroundings) -> Result<Self, json::Error> {
        let mut scanner = Scanner::new(bytes);
        let mut index = Index::start(&mut scanner)?;
        while index.next(&mut scanner, &PayloadProjection::ALL)? {}
        scanner.end()?;
        Ok(Self { document: bytes, index, surroundings })
    }

    pub(crate) fn members(&self) -> Members<'_, 'a> {
        Members::new(self.document, &self.index)
    }

    /// Returns the client's text.
    pub(crate) fn document(&self) -> &'a [u8] {
        self.document
    }

    /// Returns the name of the event.
    ///
    /// # Errors
    ///
    /// Fails if `hook_event_name` is missing or is not a string.
    pub fn event_name(&self) -> Result<Cow<'a, str>, Error> {
        self.string(EVENT_NAME)
    }

    /// Returns a member, if it is present.
    pub(crate) fn member(&self, key: &str) -> Option<Deserializer<'_, 'a>> {
        self.members().get(key)
    }

    /// Returns a member that must be a string.
    pub(crate) fn string(&self, key: &str) -> Result<Cow<'a, str>, Error> {
        string(self.members(), key)
    }

    /// Returns a member that may be a string, `null` or absent.
    pub(crate) fn optional_string(&self, key: &str) -> Result<Option<Cow<'a, str>>, Error> {
        optional_string(self.members(), key)
    }

    /// Decodes a member that may be `null` or absent.
    pub(crate) fn optional<T>(
        &self,
        key: &str,
        decode: fn(Deserializer<'_, '_>) -> Result<T, json::Error>,
    ) -> Result<Option<T>, Error> {
        match self.members().get(key) {
            Some(value) if !value.is_null() => decode(value).map(Some).map_err(|err| invalid(&err.inside(key))),
            _ => Ok(None),
        }
    }

    /// Returns an environment variable; `None` if it is not set or is empty.
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        (self.surroundings.variables)(name).filter(|value| !value.is_empty())
    }

    /// Returns the function that looks up variables.
    pub(crate) fn variables(&self) -> Variables {
        self.surroundings.variables
    }

    /// Returns the configuration that a workspace sets, as JSON.
    pub(crate) fn config(&self) -> Option<&'static str> {
        self.surroundings.config
    }

    /// Decodes a type from the payload's members.
    pub(crate) fn decode<T: serde::Deserialize<'a>>(&self) -> Result<T, Error> {
        self.members().decode().map_err(|err| invalid(&err))
    }

    /// Returns the whole payload, as the client wrote it.
    pub(crate) fn to_json(&self) -> Result<Json, Error> {
        Json::scanned(self.document).map_err(|err| invalid(&err))
    }

    /// Decodes one member. An absent member is decoded as `null`, if the type accepts `null`.
    pub(crate) fn decode_member<T>(
        &self,
        key: &str,
        decode: impl Fn(Deserializer<'_, '_>) -> Result<T, json::Error>,
    ) -> Result<T, Error> {
        let Some(value) = self.members().get(key) else {
            return decode(Deserializer::new(b"null")).map_err(|_| missing(key));
        };
        decode(value).map_err(|err| invalid(&err.inside(key)))
    }
}

/// Returns a member that must be a string.
pub(crate) fn string<'a>(members: Members<'_, 'a>, key: &str) -> Result<Cow<'a, str>, Error> {
    optional_string(members, key)?.ok_or_else(|| missing(key))
}

fn optional_string<'a>(members: Members<'_, 'a>, key: &str) -> Result<Option<Cow<'a, str>>, Error> {
    match members.get(key) {
        Some(value) if !value.is_null() => value.as_str().map(Some).map_err(|err| invalid(&err.inside(key))),
        _ => Ok(None),
    }
}

#[cold]
fn missing(key: &str) -> Error {
    Error::msg(format_args!("the payload has no `{key}`"))
}

#[cold]
fn invalid(err: &json::Error) -> Error {
    Error::msg(format_args!("the payload is invalid: {err}"))
}

/// A payload that is being scanned, member by member.
pub(crate) struct Partial<'s, S> {
    scanner: &'s mut Scanner<S>,
    index: Index,
}

impl<'s, S: Input> Partial<'s, S> {
    pub(crate) fn start(scanner: &'s mut Scanner<S>) -> Result<Self, json::Error> {
        let index = Index::start(scanner)?;
        Ok(Self { scanner, index })
    }

    /// Scans the next member; returns `false` if there is none.
    pub(crate) fn next(&mut self, projection: &PayloadProjection) -> Result<bool, json::Error> {
        self.index.next(self.scanner, projection)
    }

    /// Returns the members scanned so far.
    pub(crate) fn so_far(&self) -> Members<'_, '_> {
        Members::new(self.scanner.scanned(), &self.index)
    }

    /// Returns `true` if the last scanned member has this key.
    #[inline]
    pub(crate) fn last_is(&self, key: &str) -> bool {
        self.index.last_is(key, self.scanner.scanned())
    }

    /// Returns the payload, after the last member was scanned.
    ///
    /// In a stream, bytes after the payload are ignored, because it is random how many of them were read.
    pub(crate) fn end(self, surroundings: Surroundings) -> Result<Payload<'s>, json::Error> {
        if !S::DISCARDS {
            self.scanner.end()?;
        }
        Ok(Payload { document: self.scanner.scanned(), index: self.index, surroundings })
    }
}

/// Key of the member with the event's name.
pub(crate) const EVENT_NAME: &str = "hook_event_name";

/// A type that a handler can take as an argument on event `E`.
///
/// The arguments are the event itself, typed by its tool if it has one; [`AnyEvent`](crate::event::AnyEvent); the whole
/// payload as [`Json`](crate::Json), with fields that hookkit does not know; [`Context`](crate::Context);
/// [`Environment`](crate::Environment); [`Config`](crate::Config); `States` (feature `state`); `Caller` (feature
/// `service`); and on some events [`EnvFile`](crate::EnvFile). Other crates cannot implement it yet.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument that a hook on `{E}` can take",
    label = "not an argument for this event",
    note = "a hook takes any of these, in any order: its own event, `AnyEvent`, the payload as `Json`, `Context`, `Environment`, `Config<T>`, `States` (feature `state`), and on SessionStart, Setup, CwdChanged and FileChanged `EnvFile`",
    note = "the event of a tool call has the tool's input as its type parameter: `PreToolUse<tool::Bash>`; for \
            several tools, `PreToolUse<tool::FileChange>`; for your own type, one with `#[derive(ToolInput)]`; for \
            any tool, not decoded, `PreToolUse`",
    note = "a hook on several events takes all of these except for the event itself"
)]
pub trait FromInput<E: Event>: Sized {
    /// Events that the argument can be decoded from, as a matcher: the default matcher of a hook. `None` means all of
    /// them.
    const MATCHER: Option<&'static str> = None;

    /// Type of the configuration, if the argument is a [`Config`](crate::Config).
    #[doc(hidden)]
    const CONFIG: Option<&'static crate::config::ConfigType> = None;

    /// Reason why the argument needs the user's machine; `None` if it does not. With a reason, the hook does not
    /// compile into a service.
    #[doc(hidden)]
    const LOCAL: Option<&'static str> = None;

    /// Name of the argument's type, if only Claude Code provides the argument: no other agent can run the hook.
    #[doc(hidden)]
    const OF_CLAUDE: Option<&'static str> = None;

    /// Decodes the argument.
    ///
    /// # Errors
    ///
    /// Fails if a field that the argument needs is missing or invalid.
    /// The hook is then not called, and its failure policy applies.
    fn from_input(payload: &Payload<'_>) -> Result<Self, Error>;

    /// Adds the members of the payload that the type decodes. All other members are not indexed, and are dropped from a
    /// large payload.
    #[doc(hidden)]
    fn projection(projection: &mut PayloadProjection);
}

/// The whole payload, as the client wrote it, including fields that hookkit does not know.
///
/// A hook with this argument keeps the whole payload in memory, even if it is large.
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
    fn a_key_with_an_escape_is_found() {
        let payload = Payload::parse(br#"{"\u0073ource":"clear","session_title":"t"}"#).unwrap();
        let start = SessionStart::from_input(&payload).unwrap();
        assert_eq!(start.source, SessionSource::Clear);
        assert_eq!(start.session_title.as_deref(), Some("t"));
    }
}
