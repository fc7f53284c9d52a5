//! Values that replace a tool's input or output.

use serde::{Deserialize, Serialize};

use crate::json::{PayloadProjection, Projection, merged};
use crate::tool::{Tool, ToolInput};
use crate::{Error, Payload};

/// The tool's input, or its output, stays as it is: what an answer is typed by that says no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unchanged {}

/// A type that can replace a call's input: that of a tool's input that can be serialized, too.
///
/// Members of the call's input that the type does not name stay as they came, at every depth, and so do values that the
/// answer does not change.
/// A set of tools is an enum that is written as what it holds: it derives `serde::Serialize` with `#[serde(untagged)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be put in the place of a tool's input",
    label = "not an input that can be written",
    note = "it is the input of a tool (`tool::Bash`); a type of one's own derives `serde::Serialize`, too, next to `serde::Deserialize` and `ToolInput`"
)]
pub trait UpdatedInput: Sized {
    #[doc(hidden)]
    const MATCHER: Option<&'static str>;

    #[doc(hidden)]
    fn write(self, payload: &Payload<'_>) -> Result<Vec<u8>, Error>;

    #[doc(hidden)]
    fn projection(projection: &mut PayloadProjection);
}

impl UpdatedInput for Unchanged {
    const MATCHER: Option<&'static str> = None;

    fn write(self, _: &Payload<'_>) -> Result<Vec<u8>, Error> {
        match self {}
    }

    fn projection(_: &mut PayloadProjection) {}
}

#[diagnostic::do_not_recommend]
impl<T: ToolInput + Serialize> UpdatedInput for T {
    const MATCHER: Option<&'static str> = T::MATCHER;

    fn write(self, payload: &Payload<'_>) -> Result<Vec<u8>, Error> {
        let written = serde_json::to_vec(&self)?;
        if written.first() != Some(&b'{') {
            return Err(Error::msg("a tool's updated input has to be an object"));
        }
        let tool = payload.optional_string(TOOL)?.unwrap_or_default();
        let base = payload.member(INPUT).map(|input| T::from_call(&tool, input));
        replaced(payload, INPUT, &as_read(base), written)
    }

    fn projection(projection: &mut PayloadProjection) {
        projection.add_member(INPUT, Projection::All);
    }
}

/// A tool whose output an answer can replace: one whose [`Tool::Response`] can be written, too.
#[diagnostic::on_unimplemented(
    message = "what `{Self}` gives back cannot be put in the place of a tool's output",
    label = "not a tool whose output can be written",
    note = "it is a tool whose response is known (`tool::Bash`); the response of one's own tool derives `serde::Serialize`, too"
)]
pub trait UpdatedOutput {
    /// The output.
    type Output;

    #[doc(hidden)]
    const MATCHER: Option<&'static str>;

    #[doc(hidden)]
    fn write(output: Self::Output, payload: &Payload<'_>) -> Result<Vec<u8>, Error>;

    #[doc(hidden)]
    fn projection(projection: &mut PayloadProjection);
}

impl UpdatedOutput for Unchanged {
    type Output = Self;

    const MATCHER: Option<&'static str> = None;

    fn write(output: Self, _: &Payload<'_>) -> Result<Vec<u8>, Error> {
        match output {}
    }

    fn projection(_: &mut PayloadProjection) {}
}

#[diagnostic::do_not_recommend]
impl<T: Tool<Response: Serialize>> UpdatedOutput for T {
    type Output = T::Response;

    const MATCHER: Option<&'static str> = T::MATCHER;

    fn write(output: T::Response, payload: &Payload<'_>) -> Result<Vec<u8>, Error> {
        let base = payload.member(RESPONSE).map(T::Response::deserialize);
        replaced(payload, RESPONSE, &as_read(base), serde_json::to_vec(&output)?)
    }

    fn projection(projection: &mut PayloadProjection) {
        projection.add_member(RESPONSE, Projection::All);
    }
}

const TOOL: &str = "tool_name";
const INPUT: &str = "tool_input";
const RESPONSE: &str = "tool_response";

/// Serializes a value that was read; an empty object if the value did not fit the type.
fn as_read<T: Serialize, E>(value: Option<Result<T, E>>) -> Vec<u8> {
    let text = value.and_then(Result::ok).map(|value| serde_json::to_vec(&value));
    text.and_then(Result::ok).unwrap_or_else(|| b"{}".to_vec())
}

/// The whole value: what a type has written, and what it does not know.
#[inline(never)]
fn replaced(payload: &Payload<'_>, member: &str, base: &[u8], written: Vec<u8>) -> Result<Vec<u8>, Error> {
    match payload.member(member) {
        Some(original) => merged(original, base, &written)
            .map_err(|err| Error::msg(format_args!("the payload is invalid: {}", err.inside(member)))),
        None => Ok(written),
    }
}
