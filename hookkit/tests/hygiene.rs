//! A hook can be anywhere that a function can be.
#![no_implicit_prelude]
#![forbid(unsafe_code)]
#![deny(warnings, clippy::pedantic)]

extern crate hookkit as hk;

mod hookkit {}

/// Nothing here comes from the standard library.
pub mod deep {
    /// Names that shadow those of the standard library.
    pub mod er {
        use ::hk::answer::{PreToolUseAnswer, StopAnswer};
        use ::hk::event::{PreToolUse, Stop};
        use ::hk::{Context, hook, tool};

        /// Not that of `core`.
        pub struct Option;
        /// Not that of `core`.
        pub struct Result;
        /// Not a variant.
        pub enum Some {}
        /// Not a variant.
        pub enum None {}

        /// A raw name.
        #[hook(Stop, crate = ::hk)]
        pub fn r#match(stop: Stop) -> StopAnswer {
            StopAnswer::block_once(&stop, "not yet")
        }

        /// A pattern for an argument.
        #[hook(PreToolUse, crate = ::hk, if = "Bash(git *)", status_message = "looking", name = "looks")]
        pub fn looks_at(
            PreToolUse { input: tool::Bash { command, .. }, .. }: PreToolUse<tool::Bash>,
            Context { cwd, .. }: Context,
        ) -> PreToolUseAnswer {
            if ::std::path::Path::new(&command) == cwd {
                PreToolUseAnswer::deny("no")
            } else {
                PreToolUseAnswer::pass()
            }
        }
    }
}

macro_rules! hold {
    ($name:ident, $event:ident) => {
        /// Written by a macro.
        #[::hk::hook($event, crate = hk, timeout = 5)]
        pub fn $name() {}
    };
}

macro_rules! any {
    ($function:item $($tokens:tt)*) => {
        #[::hk::hook(Stop, crate = hk)]
        $function

        $($tokens)*
    };
}

any! {
    /// As one item.
    #[deprecated]
    pub fn item(stop: ::hk::event::Stop) {
        let _ = stop;
    }

    /// As tokens.
    #[::hk::hook(PreToolUse, crate = hk)]
    pub fn tokens(call: ::hk::event::PreToolUse<::hk::tool::Bash>) {
        let _ = call;
    }
}

#[doc = ::core::concat!("Held by ", "a macro.")]
/// And manually.
#[::hk::hook(Stop | SessionEnd, crate = hk)]
pub fn documented(context: ::hk::Context) {
    let _ = context;
}

hold!(by_macro, Stop);
hold!(by_another, Notification);

fn main() {
    use ::hk::Hook;
    ::std::assert_eq!(deep::er::r#match::DEF.declared.name, "match");
    ::std::assert_eq!(deep::er::looks_at::DEF.declared.name, "looks");
    ::std::assert_eq!(deep::er::looks_at::DEF.entries[0].matcher, ::std::option::Option::Some("Bash"));
    ::std::assert_eq!(deep::er::looks_at::DEF.declared.condition, ::std::option::Option::Some("Bash(git *)"));
    ::std::assert_eq!(documented::DEF.declared.description, "Held by a macro.\nAnd manually.");
    ::std::assert_eq!(by_macro::DEF.declared.timeout, by_another::DEF.declared.timeout);
}
