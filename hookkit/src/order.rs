//! Runs hooks of one event one after the other, in one program, in the order that a workspace declares.
//!
//! The program is a hook like any other, named after the order, and its handler runs the hooks. Each runs in a fork of
//! the process, so that it fails as it would alone: by its own policy, within its own time, and without an effect on
//! the others. A hook reads the call with the changes of the hooks before it.

use std::borrow::Cow;
use std::fs::File;

use crate::answer::merged::Merged;
use crate::failure::failure;
use crate::payload::Surroundings;
use crate::respond::is_called;
use crate::run::run_as_member;
use crate::sys::{self, Ended};
use crate::{Error, HookDef, OnFailure, Payload, Response, termination};

/// A hook in an order.
pub struct Member {
    /// The hook's definition, with one entry.
    pub hook: &'static HookDef,
    /// Variables that the workspace sets for the hook.
    pub environment: &'static [(&'static str, &'static str)],
}

/// Runs the hooks of an order on a payload, and merges their answers. It is the handler of a launcher.
///
/// # Errors
///
/// Fails if the client would not accept the answer.
pub fn answer_in_order(members: &[Member], payload: &Payload<'_>) -> Result<Response, Error> {
    let stdout = termination::stdout().ok_or_else(|| Error::msg("stdout is not open"))?;
    let (mut merged, mut failures) = (Merged::default(), Vec::new());
    let (mut stderr, mut denies) = (String::new(), false);
    let mut document = Cow::Borrowed(payload.document());
    for member in members {
        let payload = Payload::scan(&document, Surroundings::NOTHING).map_err(Error::msg)?;
        if !is_called(member.hook, &payload) {
            continue;
        }
        let mut response = member.respond(&document, stdout);
        let is_failure = |response: &Response| response.exit_code == OnFailure::Continue.exit_code();
        let mut changed = None;
        if !is_failure(&response) {
            match merged.add(&response.stdout) {
                Ok(change) => changed = change,
                Err(err) => {
                    response = member.failed(&err);
                    merged.add(&response.stdout)?;
                }
            }
        }
        if is_failure(&response) {
            let message = String::from_utf8_lossy(&response.stdout) + &*response.stderr;
            failures.push(match message.trim() {
                // A crash is reported on stderr alone.
                "" => format!("hookkit: hook `{}` failed", member.hook.declared.name),
                message => message.to_owned(),
            });
        }
        denies |= response.exit_code == OnFailure::Block.exit_code();
        stderr += &response.stderr;
        let replaced = changed.and_then(|(name, value)| payload.members().replaced(name, value.text().as_bytes()));
        if let Some(replaced) = replaced {
            document = Cow::Owned(replaced);
        }
    }
    // With `onFailure: "block"` in the settings, exit code 1 would deny although the hook that failed does not deny.
    let may_fail = members.iter().all(|member| member.hook.declared.on_failure == OnFailure::Continue);
    if may_fail && merged.is_empty() && !failures.is_empty() {
        let exit_code = OnFailure::Continue.exit_code();
        return Ok(Response { stderr, exit_code, ..Response::default() });
    }
    merged.add_failures(failures);
    let exit_code = if denies { OnFailure::Block.exit_code() } else { 0 };
    Ok(Response { stderr, exit_code, ..merged.response(payload)? })
}

impl Member {
    /// Runs the hook on a payload, in a fork of the process, and returns its response. If the exit code is 1, stdout is
    /// a message.
    fn respond(&self, payload: &[u8], stdout: &File) -> Response {
        let run = || run_as_member(self.hook, payload);
        let (stdout, ended) = match sys::in_fork(stdout, self.environment, run) {
            Ok(ran) => ran,
            Err(err) => return self.failed(&Error::msg(format_args!("it could not be run: {err}"))),
        };
        let own = self.hook.declared.on_failure.exit_code();
        match ended {
            Ended::Exited(exit_code) if [0, OnFailure::Block.exit_code(), own].contains(&exit_code) => {
                Response { stdout, exit_code, ..Response::default() }
            }
            Ended::Exited(exit_code) => self.failed(&Error::msg(format_args!("it exited with {exit_code}"))),
            Ended::Signalled(signal) => self.failed(&Error::msg(format_args!("it was killed by signal {signal}"))),
        }
    }

    /// Returns the hook's response to a failure that it could not report itself.
    fn failed(&self, error: &Error) -> Response {
        failure(self.hook, self.hook.entries.first(), error)
    }
}

/// The `main` of an order's binary. Takes the event, the matcher, the declaration, and the hooks.
#[doc(hidden)]
#[macro_export]
macro_rules! __in_order {
    ($event:ident, $matcher:expr, $declaration:expr, [$($member:expr,)+]) => {
        use $crate::__private as __hk;

        fn __call(payload: &__hk::Payload<'_>) -> ::core::result::Result<__hk::Response, __hk::Error> {
            __hk::answer_in_order(&[$($member,)+], payload)
        }

        static __ENTRIES: [__hk::Entry; 1] = [__hk::entry::<__hk::event::$event>(
            $matcher,
            ::core::option::Option::None,
            true,
            __call,
            // All of the payload.
            &[<__hk::Json as __hk::FromInput<__hk::event::$event>>::projection],
        )];

        static __DEF: __hk::HookDef = __hk::define($declaration, &__ENTRIES, ::core::option::Option::None);

        pub(crate) fn main() {
            __hk::run(&__DEF)
        }
    };
}
