//! The `#[hook]` attribute of hookkit; see there for what it does.
//!
//! `attr` parses the attribute, `item` the function below it. `valid` checks that it is a hook, and `options` that its
//! options have an effect. `expand` generates the code, and `fallback` the code next to an error. The rules for a
//! matcher, an `if` and a timeout are in `hookkit_protocol::lint`, which others use, too. `overridden` does all this
//! for a hook that a workspace changes in its Cargo.toml. `derive` has all of `#[derive(ToolInput)]`. `messages` tests
//! the errors of both.

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
/// - `EVENT` is one of the client's events, by the client's name of it: `PreToolUse`, `Stop`, `FileChanged` … A
///   function on several events takes what all of them have, `Context` or `AnyEvent`, and returns an answer that all of
///   them accept. It is one binary, with an entry in the settings for each event; the options hold on each.
/// - `matcher` says which of those events, in the client's matcher language: `Edit|Write` is a list of whole names,
///   anything beyond letters, digits, `_`, `-` and separators an unanchored JavaScript regular expression. Without it
///   the hook is called on everything that its event's type covers: on every edit for `PreToolUse<tool::Edit>`, on
///   every call for `PreToolUse`.
/// - `if` is a permission rule that a call must fit, too: `Bash(git *)`, `Edit(src/**)`.
/// - `timeout` is how long the client waits for the hook, in seconds, `status_message` what the user sees meanwhile.
/// - `on_failure` is `block`, `ask` or `continue`: the outcome of the action when the hook fails. The default is
///   `block` on PreToolUse and WorktreeCreate, where the function returns the event's answer, and `continue` elsewhere:
///   on PermissionRequest the user is asked then, and in print mode the client denies the call. `ask` is for PreToolUse
///   alone: the user is asked whether the call may run, and where the client cannot ask, it does not. `block` and `ask`
///   are written into the settings as `onFailure: "block"`, except on Stop, SubagentStop, TeammateIdle and
///   TaskCompleted, where the client ignores that: the action is then denied even if the binary is missing.
/// - `async`: the client does not wait for the hook, whose `AsyncAnswer` reaches the model later. `async_rewake` in its
///   place: the hook can even wake the model, by a `RewakeAnswer`.
/// - `agents` names the agents that the hook is for: Claude Code, and others by their words in `install --agent`. What one of them
///   cannot honor does not compile, and `install` leaves the hook out in any other. Without it `install` decides for each agent.
/// - `name` is the hook's name, and its binary's, where it is not the function's in kebab-case.
/// - `crate` is where hookkit is, for a dependency that was renamed: `crate = hk`.
///
/// Mistakes that would fail in silence do not compile: a matcher that matches nothing, or more than it seems to, an `if` that never
/// holds, a timeout in milliseconds. Such a value in `unchecked(…)` is taken as it is: `matcher = unchecked("Deploy.*")`.
///
/// The function must be `pub`, in a public module, since its binary is built from outside its crate.
/// Its doc comment is the hook's description.
#[proc_macro_attribute]
pub fn hook(attribute: TokenStream, function: TokenStream) -> TokenStream {
    expand_hook(attribute.into(), function.into()).into()
}

/// Expands `#[hook(attribute)] function`. If that is not a valid hook, the expansion is its errors and a fallback.
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

/// The `main` of a hook that a workspace changes in its Cargo.toml. Only `cargo xtask install` writes it.
#[doc(hidden)]
#[proc_macro]
pub fn overridden(input: TokenStream) -> TokenStream {
    match syn::parse(input).and_then(overridden::expand) {
        Ok(launcher) => launcher.into(),
        Err(err) => overridden::refused(err).into(),
    }
}

/// Makes a type the input of a tool, or an enum the input of several; see the trait `hookkit::tool::ToolInput`.
#[proc_macro_derive(ToolInput, attributes(tool))]
pub fn tool_input(input: TokenStream) -> TokenStream {
    derive::tool_input(input.into()).into()
}
