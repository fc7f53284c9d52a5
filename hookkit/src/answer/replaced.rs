//! Replacement of a tool's input or output in an answer.

use serde::{Deserialize, Serialize};

use crate::json::{PayloadProjection, Projection, merged};
use crate::tool::{Tool, ToolInput};
use crate::{Error, Payload};

/// The default type parameter of answers, which leaves the tool's input or output unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unchanged {}

/// A type of tool input that an answer can replace: it also implements `Serialize`.
///
/// Members of the call's input that the type does not declare are kept, at every depth, and so are values that the
/// answer does not change. An enum for several tools derives `serde::Serialize` with `#[serde(untagged)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot replace a tool's input",
    label = "not a serializable tool input",
    note = "use the input of a tool (`tool::Bash`); your own type needs `serde::Serialize`, in addition to `serde::Deserialize` and `ToolInput`"
)]
pub trait UpdatedInput: Sized {
    #[doc(hidden)]
    const MATCHER: Option<&'static str>;

    #[doc(hidden)]
    const REWRITES: bool = true;

    #[doc(hidden)]
    fn write(self, payload: &Payload<'_>) -> Result<Vec<u8>, Error>;

    #[doc(hidden)]
    fn projection(projection: &mut PayloadProjection);
}

/// An input that an answer with the type parameter `U` accepts: `U` itself.
#[diagnostic::on_unimplemented(
    message = "the type parameter of this answer is `{U}`, so it cannot replace the tool's input with `{Self}`",
    label = "not the input that the answer replaces",
    note = "name the tool in the hook's return type: `PreToolUseAnswer<tool::Bash>` or \
            `PermissionRequestAnswer<tool::Bash>`; without a tool, the type parameter is `Unchanged`, and the input \
            stays unchanged"
)]
pub trait InputOf<U> {
    #[doc(hidden)]
    fn into_input(self) -> U;
}

#[diagnostic::do_not_recommend]
impl<U> InputOf<U> for U {
    fn into_input(self) -> U {
        self
    }
}

impl UpdatedInput for Unchanged {
    const MATCHER: Option<&'static str> = None;
    const REWRITES: bool = false;

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
            return Err(Error::msg("a tool's updated input must be a JSON object"));
        }
        let tool = payload.optional_string(TOOL)?.unwrap_or_default();
        let base = payload.member(INPUT).map(|input| T::from_call(&tool, input));
        replaced(payload, INPUT, &as_read(base), written)
    }

    fn projection(projection: &mut PayloadProjection) {
        projection.add_member(INPUT, Projection::All);
    }
}

/// A tool whose output an answer can replace: its [`Tool::Response`] also implements `Serialize`.
#[diagnostic::on_unimplemented(
    message = "the output of `{Self}` cannot be replaced",
    label = "not a tool with a serializable response",
    note = "use a tool with a known response (`tool::Bash`); the response of your own tool needs `serde::Serialize`"
)]
pub trait UpdatedOutput {
    /// Type of the output.
    type Output;

    #[doc(hidden)]
    const MATCHER: Option<&'static str>;

    #[doc(hidden)]
    const REWRITES: bool = true;

    #[doc(hidden)]
    fn write(output: Self::Output, payload: &Payload<'_>) -> Result<Vec<u8>, Error>;

    #[doc(hidden)]
    fn projection(projection: &mut PayloadProjection);
}

impl UpdatedOutput for Unchanged {
    type Output = Self;

    const MATCHER: Option<&'static str> = None;
    const REWRITES: bool = false;

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

/// Serializes a decoded value; returns an empty object if the value could not be decoded.
fn as_read<T: Serialize, E>(value: Option<Result<T, E>>) -> Vec<u8> {
    let text = value.and_then(Result::ok).map(|value| serde_json::to_vec(&value));
    text.and_then(Result::ok).unwrap_or_else(|| b"{}".to_vec())
}

/// Returns the complete value: the serialized one, plus the members that its type does not declare.
#[inline(never)]
fn replaced(payload: &Payload<'_>, member: &str, base: &[u8], written: Vec<u8>) -> Result<Vec<u8>, Error> {
    match payload.member(member) {
        Some(original) => merged(original, base, &written)
            .map_err(|err| Error::msg(format_args!("the payload is invalid: {}", err.inside(member)))),
        None => Ok(written),
    }
}
