//! The `#[hook]` attribute of hookkit; see there for what it does.
//!
//! Each file answers one question: what was written in the attribute (`attr`), what stands below it (`item`), is it
//! a hook (`valid`), which tokens does it become (`expand`), and which beside an error (`fallback`).

mod attr;
mod expand;
mod fallback;
mod item;
mod valid;

use proc_macro::TokenStream;

use crate::attr::Attr;
use crate::item::Item;

/// Makes a function a hook.
///
/// ```text
/// #[hook(EVENT, matcher = "…", timeout = SECONDS)]
/// ```
///
/// - `EVENT` is one of the client's events: `PreToolUse`, `PostToolUse`, `Notification`, `UserPromptSubmit`,
///   `SessionStart`, `Stop`.
/// - `matcher` says which of those events, in the client's matcher language: `Edit|Write` is a list of whole names,
///   anything beyond letters, digits, `_`, `-` and separators an unanchored JavaScript regular expression.
///   Without it the hook is called on all.
/// - `timeout` is how long the client waits for the hook, in seconds.
///
/// The function must be `pub`, since its binary is built from outside its crate.
/// Its doc comment is the hook's description, its name in kebab-case the hook's name.
#[proc_macro_attribute]
pub fn hook(attribute: TokenStream, function: TokenStream) -> TokenStream {
    let function = proc_macro2::TokenStream::from(function);
    let item = match syn::parse2::<Item>(function.clone()) {
        Ok(item) => item,
        Err(err) => return fallback::unparsed(&err, function).into(),
    };
    let hook = syn::parse::<Attr>(attribute).and_then(|attr| valid::check(attr, &item));
    match hook {
        Ok(hook) => expand::expand(&hook, &item).into(),
        Err(err) => fallback::refused(&err, &item).into(),
    }
}
