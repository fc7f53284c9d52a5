//! Files that decide which guards a session has, what these do, and which code hookkit itself starts.
//!
//! The guards keep the model from changing them, and `verify` compares those of a checkout.

/// hookkit's own files below `.claude` of a project; a name that ends with a slash is a folder with all that is in it.
pub const IN_PROJECT: &[&str] = &[
    // The binaries.
    "hookkit/",
    // What was installed, what a person has reviewed, the script of a session's start, and the workspaces.
    "hookkit.lock", "hookkit.reviewed", "hookkit.sh", "hookkit.toml", // The list of `protect-files`.
    "protected",
];

/// Settings files below `.claude` of a project, from the weakest to the strongest.
///
/// The client asks before its own tools change them, except in `bypassPermissions`.
pub const SETTINGS: [&str; 2] = ["settings.json", "settings.local.json"];

/// Files in the user's configuration folder of the client: the binaries of hooks for all projects, and the settings.
pub const OF_USER: [&str; 2] = ["hookkit", SETTINGS[0]];

/// hookkit's own files outside of projects: a variable that names a folder, and the path below it.
///
/// A variable may be set for the model's commands and not for hookkit, so that each row counts: states and records,
/// clones of sources, and the installed program.
pub const ELSEWHERE: &[(&str, &str)] = &[
    ("XDG_STATE_HOME", "hookkit"),
    ("HOME", ".local/state/hookkit"),
    ("LOCALAPPDATA", "hookkit"),
    ("XDG_CACHE_HOME", "hookkit"),
    ("HOME", ".cache/hookkit"),
    ("CARGO_HOME", "bin/cargo-hookkit"),
    ("HOME", ".cargo/bin/cargo-hookkit"),
];
