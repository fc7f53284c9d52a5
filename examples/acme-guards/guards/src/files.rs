//! Protected files.

use hookkit::prelude::*;

/// Denies edits of files in folders named `keys`.
#[hook(PreToolUse, timeout = 5)]
pub fn protect_keys(call: PreToolUse<tool::TextChange>, context: Context) -> Result<PreToolUseAnswer, Error> {
    for file in call.paths(&context)? {
        if file.names().any(|name| name.components().any(|part| part.as_os_str() == "keys")) {
            return Ok(PreToolUseAnswer::deny("keys are rotated by the platform team: ask them, in #platform"));
        }
    }
    Ok(PreToolUseAnswer::pass())
}
