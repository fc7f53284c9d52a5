//! Runs a hook on an event, from the JSON to the client's reaction.

use hookkit_protocol::matcher;

use super::{Ran, TestEvent, Verdict, config, variables};
use crate::payload::Surroundings;
use crate::{Context, HookDef, Payload, Response, respond};

/// Runs a hook on an event, without a process: the event becomes the JSON that the client sends, the hook's matcher is
/// applied, the types are decoded, and the verdict is made from the output.
///
/// The fields of [`Context`] are as in [`run_in`], with the `cwd` `/project`. A matcher that is a list is applied as
/// the client does it: a hook on `Task` is called on `Agent`, but not on `Task`, an old name that is no longer sent
/// (client 2.1.330). A regular expression and an `if` are not applied: the hook is called. If the hook panics, the test
/// panics. Only the variables of [`with_variables`](super::with_variables) are set.
///
/// ```
/// use hookkit::prelude::*;
/// use hookkit::{Hook, testing};
///
/// /// Keeps secrets out of Claude's hands.
/// #[hook(PreToolUse, matcher = "Read|Edit|Write")]
/// pub fn protect_env(call: PreToolUse<tool::FileAccess>) -> PreToolUseAnswer {
///     if call.input.file_path.ends_with(".env") {
///         PreToolUseAnswer::deny("`.env` holds secrets: ask the user to edit it")
///     } else {
///         PreToolUseAnswer::pass()
///     }
/// }
///
/// # fn main() {
/// let call = |path| PreToolUse::new("Read", tool::FileAccess::new(path));
/// testing::run(protect_env::DEF, &call("/project/.env")).assert_denied("holds secrets");
/// testing::run(protect_env::DEF, &call("/project/README.md")).assert_passed();
/// // The matcher does not match this one.
/// let call = PreToolUse::new("Bash", tool::Bash::new("cat .env"));
/// testing::run(protect_env::DEF, &call).assert_not_called();
/// # }
/// ```
///
/// # Panics
///
/// Panics if the event cannot be serialized as JSON, for example because a path is not UTF-8.
pub fn run(hook: &HookDef, event: &impl TestEvent) -> Verdict {
    let context = Context {
        session_id: "00000000-0000-4000-8000-000000000001".to_owned(),
        cwd: "/project".into(),
        ..Context::default()
    };
    run_in(&context, hook, event)
}

/// Runs a hook like [`run`], in a session with this context. The context's `cwd` is the project.
///
/// # Panics
///
/// Panics if the event or the context cannot be serialized as JSON.
pub fn run_in(context: &Context, hook: &HookDef, event: &impl TestEvent) -> Verdict {
    let payload = serde_json::Value::Object(event.payload(context, None));
    run_recorded(hook, payload.to_string().as_bytes())
}

/// Runs a hook like [`run`], on a payload of the client, such as a recorded one.
///
/// # Panics
///
/// Panics if the bytes are not the payload of an event that hookkit has.
pub fn run_recorded(hook: &HookDef, payload: &[u8]) -> Verdict {
    let surroundings = Surroundings { variables: variables::look_up, config: config::current() };
    let payload = Payload::scan(payload, surroundings).expect("the text is a payload");
    let name = payload.event_name().expect("the payload has an event");
    let event = hookkit_protocol::event::event(&name).expect("the event is known");
    let entry = hook.entries.iter().find(|entry| entry.event.name == event.name);
    let target = event.matcher_target.field().and_then(|field| payload.string(field).ok());
    // The client also applies a list before it starts the hook.
    let is_listed = match (entry, &target) {
        (Some(entry), Some(target)) => entry.filter.lists(event, target),
        _ => None,
    };
    let is_called = is_listed != Some(false);
    let response = match is_called {
        false => Response::default(),
        true => respond(hook, &payload),
    };
    let mut ran = Ran::from(response)
        .command(hook.declared.name)
        .mode(hook.declared.mode)
        .blocks_in_settings(entry.is_some_and(|entry| entry.blocks_in_settings));
    ran.target = target.map(Into::into);
    let mut verdict = Verdict::of(event, &ran);
    if let (false, Some(matcher), Some(target)) = (is_called, entry.and_then(|entry| entry.matcher), &ran.target) {
        verdict.not_called = Some(matcher::mismatch(matcher, target));
    }
    verdict
}

impl From<Response> for Ran {
    fn from(response: Response) -> Self {
        Self::exit(response.exit_code.into()).stdout(response.stdout).stderr(response.stderr)
    }
}
