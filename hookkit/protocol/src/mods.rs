//! Mods: JavaScript of a plugin that runs inside the client, around its events (client 2.1.332).
//!
//! A plugin's file with hooks names a module by [`KEY`]. If a hook of the module is around `classic.<Event>`, it can
//! answer in place of the hooks on that event, which then do not start. Every module can start programs.

use crate::event::EVENTS;

/// The key for the plugin's module in a plugin's file with hooks. Its value is a list with one path.
pub const KEY: &str = "modules";

/// The first version of the client that loads modules if [`SWITCH`] is set.
pub const WITH_SWITCH_SINCE: &str = "2.1.259";

/// The first version of the client that loads modules without [`SWITCH`]. The variable has no effect any more.
pub const SINCE: &str = "2.1.286";

/// The variable that turns modules on, in versions from [`WITH_SWITCH_SINCE`] to [`SINCE`].
pub const SWITCH: &str = "CLAUDE_CODE_ENABLE_FUNCTION_HOOKS";

/// Extensions of the files of a module; their case counts.
pub const ENDINGS: [&str; 8] = ["js", "mjs", "cjs", "jsx", "ts", "tsx", "mts", "cts"];

/// Maximum size of a module's file that the client reads, in bytes.
pub const LONGEST_FILE: u64 = 1_048_576;

/// The built-in mod that keeps other mods from skipping hooks.
///
/// The client loads it if managed settings have any key, unless they turn it off in `enabledPlugins` or have
/// [`FIRST_PLUGINS`] without it.
pub const GUARD: &str = "cc-plugin-sec-default@builtin";

/// The key of managed settings that lists the outermost mods.
pub const FIRST_PLUGINS: &str = "prependPlugins";

/// The option of [`GUARD`] in managed settings that keeps the modules of all other mods from loading.
pub const ONLY_MANAGED: &str = "allowManagedModsOnly";

/// The event that decides about a tool call, after hooks and permission rules.
pub const CHECK: &str = "tool.check";

/// The event of a tool call itself. A hook around it can answer in place of the tool, even if [`GUARD`] is loaded.
pub const CALL: &str = "tool.call";

/// Returns `true` if a pattern selects an event. A pattern is a name, `*` for all events, or a prefix and `*`; after
/// `!`, it selects all other events.
pub fn selects(pattern: &str, event: &str) -> bool {
    if let Some(others) = pattern.strip_prefix('!') {
        return !selects(others, event);
    }
    match pattern.strip_suffix('*') {
        Some(prefix) => (prefix.is_empty() || prefix.ends_with('.')) && event.starts_with(prefix),
        None => pattern == event,
    }
}

/// Returns `true` if a hook around this pattern can skip the hooks of an event. The hooks of InstructionsLoaded always
/// run.
pub fn skips(pattern: &str, event: &str) -> bool {
    event != "InstructionsLoaded" && selects(pattern, &format!("classic.{event}"))
}

/// Returns `true` if a pattern selects an event that decides about tool calls, or the hooks of such an event.
pub fn is_of_interest(pattern: &str) -> bool {
    [CHECK, CALL].iter().any(|event| selects(pattern, event)) || EVENTS.iter().any(|event| skips(pattern, event.name))
}
