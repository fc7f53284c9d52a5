//! The macros of hookkit: the attribute `#[hook]` and the derive `ToolInput`.
//!
//! `attr` parses the attribute, and `item` parses the function below it. `valid` checks that the function is a hook,
//! and `options` that its options have an effect. `expand` generates the code, and `fallback` the code next to an
//! error. The rules for a matcher, an `if` and a timeout are in `hookkit_protocol::lint`, because xtask uses them, too.
//! `overridden` expands a hook that a workspace overrides in its Cargo.toml. `derive` expands `#[derive(ToolInput)]`.
//! `messages` tests the errors of both macros.

mod agents;
mod attr;
mod derive;
mod expand;
mod fallback;
mod faults;
mod item;
#[cfg(test)]
mod messages;
mod options;
mod overridden;
mod suggest;
mod valid;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as TokenStream2;

use crate::attr::{Attr, Krate};
use crate::item::Item;

/// Makes a function a hook.
///
/// ```text
/// #[hook(EVENT | EVENT, matcher = "…", if = "…", timeout = SECONDS, status_message = "…", on_failure = block,
///     async | async_rewake, agents = "claude|codex", name = "…", crate = PATH)]
/// ```
///
/// - `EVENT` is the client's name of an event: `PreToolUse`, `Stop`, `FileChanged` … A function on several events takes
///   arguments that all of them have, `Context` or `AnyEvent`, and returns an answer that all of them accept. It
///   becomes one binary, with an entry in the settings for each event. The options apply to all of its events.
/// - `matcher` selects among those events, in the client's matcher language. `Edit|Write` is a list of whole names. A
///   text with any other characters than letters, digits, `_`, `-` and separators is an unanchored JavaScript regular
///   expression. Without a matcher, the type of the event selects: every edit for `PreToolUse<tool::Edit>`, every call
///   for `PreToolUse`.
/// - `if` is a permission rule that a call must match as well: `Bash(git *)`, `Edit(src/**)`.
/// - `timeout` is the number of seconds that the client waits for the hook. `status_message` is the text that the user
///   sees during that time.
/// - `on_failure` is the outcome of the action if the hook fails: `block`, `ask` or `continue`. The default is `block`
///   on PreToolUse and WorktreeCreate, if the function returns the event's answer, and `continue` in all other cases.
///   (On PermissionRequest, `continue` means that the user is asked; in print mode, the client denies the call.) `ask`
///   is possible on PreToolUse only: the user is asked whether the call may run; if the client cannot ask, the call is
///   denied. `block` and `ask` are written to the settings as `onFailure: "block"`, so that the action is denied even
///   if the binary is missing. On Stop, SubagentStop, TeammateIdle and TaskCompleted, the client ignores this setting,
///   so it is not written.
/// - `async`: the client does not wait for the hook, and its `AsyncAnswer` reaches the model later. With `async_rewake`
///   instead, the hook can also wake the model, with a `RewakeAnswer`.
/// - `agents` lists the agents that the hook is for: Claude Code, and others by their names in `install --agent`. A
///   hook that one of them cannot honor does not compile, and `install` leaves the hook out for all other agents.
///   Without this option, `install` decides for each agent.
/// - `name` is the name of the hook and its binary, instead of the function's name in kebab-case.
/// - `crate` is the path of hookkit, if the dependency was renamed: `crate = hk`.
///
/// Mistakes that would fail silently do not compile: a matcher that matches nothing, or more than it seems to match, an
/// `if` that never holds, a timeout in milliseconds. A value in `unchecked(…)` is not checked:
/// `matcher = unchecked("Deploy.*")`.
///
/// The function must be `pub`, in a public module, because its binary is built from outside its crate.
/// Its doc comment is the hook's description.
#[proc_macro_attribute]
pub fn hook(attribute: TokenStream, function: TokenStream) -> TokenStream {
    expand_hook(attribute.into(), function.into()).into()
}

/// Expands `#[hook(attribute)] function`. An invalid hook expands to its errors and a fallback.
fn expand_hook(attribute: TokenStream2, function: TokenStream2) -> TokenStream2 {
    let item = match syn::parse2::<Item>(function.clone()) {
        Ok(item) => item,
        Err(err) => return fallback::unparsed(&err, function),
    };
    let attr = syn::parse2::<Attr>(attribute);
    let krate = attr.iter().find_map(|attr| attr.krate.as_ref().map(|Krate(path)| path.clone()));
    match attr.and_then(|attr| valid::check(attr, &item)) {
        Ok(hook) => expand::expand(&hook, &item),
        Err(err) => fallback::refused(&err, &item, krate.as_ref()),
    }
}

/// Expands the `main` of a hook that a workspace overrides in its Cargo.toml. Only `cargo xtask install` uses this
/// macro.
#[doc(hidden)]
#[proc_macro]
pub fn overridden(input: TokenStream) -> TokenStream {
    match syn::parse(input).and_then(overridden::expand) {
        Ok(launcher) => launcher.into(),
        Err(err) => overridden::refused(err).into(),
    }
}

/// Makes a type the input of a tool, or an enum the input of several tools. See the trait `hookkit::tool::ToolInput`.
#[proc_macro_derive(ToolInput, attributes(tool))]
pub fn tool_input(input: TokenStream) -> TokenStream {
    derive::tool_input(input.into()).into()
}
