//! Internals for the fuzz targets of `tests/fuzz`: only cargo-fuzz sets `cfg(fuzzing)`.

use std::io::Read;

use serde::de::DeserializeOwned;

use crate::json::{Deserializer, Input, PayloadProjection, Projection, Scanner, Stream};
use crate::payload::{EVENT_NAME, Partial, Surroundings};
use crate::{Error, Event, FromInput, HookDef, Response, respond};

/// Decodes a document with the scanner and deserializer that hooks use.
///
/// # Errors
///
/// Fails if the document is not a single JSON value of the type.
pub fn value<T: DeserializeOwned>(document: &[u8]) -> Result<T, Error> {
    let mut scanner = Scanner::new(document);
    let value = scanner.value().map_err(Error::msg)?;
    scanner.end().map_err(Error::msg)?;
    T::deserialize(Deserializer::new(scanner.slice(value.text))).map_err(Error::msg)
}

/// Returns the length of the value at the beginning of a text.
///
/// # Errors
///
/// Fails if the text does not begin with a value.
pub fn end_of_value(text: &[u8]) -> Result<usize, Error> {
    let mut scanner = Scanner::new(text);
    scanner.value().map_err(Error::msg)?;
    Ok(scanner.place())
}

/// Decodes an argument of a hook from a complete payload.
///
/// # Errors
///
/// Fails if the bytes are not a payload that has the argument.
pub fn whole<E: Event, T: FromInput<E>>(payload: &[u8]) -> Result<T, Error> {
    scanned::<E, T, _>(Scanner::new(payload))
}

/// Decodes an argument of a hook from a payload whose rest is streamed, keeping only the requested members. Bytes after
/// the payload are ignored.
///
/// # Errors
///
/// Fails if the bytes are not a payload that has the argument.
pub fn streamed<E: Event, T: FromInput<E>>(start: &[u8], rest: impl Read) -> Result<T, Error> {
    scanned::<E, T, _>(Scanner::new(Stream::new(&mut start.to_vec(), rest)))
}

fn scanned<E: Event, T: FromInput<E>, S: Input>(mut scanner: Scanner<S>) -> Result<T, Error> {
    let mut partial = Partial::start(&mut scanner).map_err(Error::msg)?;
    let projection = projection::<E, T>();
    while partial.next(&projection).map_err(Error::msg)? {}
    T::from_input(&partial.end(Surroundings::NOTHING).map_err(Error::msg)?)
}

/// Returns the members of a payload that a hook with one argument reads.
fn projection<E: Event, T: FromInput<E>>() -> PayloadProjection {
    let mut projection = PayloadProjection::nothing();
    for name in [Some(EVENT_NAME), E::FACTS.matcher_target.field()].into_iter().flatten() {
        projection.add_member(name, Projection::All);
    }
    T::projection(&mut projection);
    projection
}

/// Returns a hook's answer to a payload, which is scanned no further than necessary.
///
/// # Errors
///
/// Fails if the scanned part is not a payload.
pub fn respond_to_bytes(hook: &HookDef, payload: &[u8]) -> Result<Response, Error> {
    respond::respond_to_scanned(hook, &mut Scanner::new(payload), |_| None, |_| ()).map_err(Error::msg)
}
