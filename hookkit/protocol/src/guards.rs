//! Files that decide which guards a session has, what the guards do, and which code hookkit itself starts.
//!
//! Guards keep the model from changing these files, and `verify` compares the copies in a checkout.

use crate::agents::{AGENTS, KIMI};

/// hookkit's own files below a project's `.claude`. A name that ends with a slash is a folder with everything in it.
pub const IN_PROJECT: &[&str] = &[
    // The binaries.
    "hookkit/",
    // The installed hooks, the user's reviews, the script of a session's start, and the workspaces.
    "hookkit.lock", "hookkit.reviewed", "hookkit.sh", "hookkit.toml", // The list of `protect-files`.
    "protected",
];

/// Settings files below a project's `.claude`, from the weakest to the strongest.
///
/// The client asks before its own tools change them, except in `bypassPermissions`.
pub const SETTINGS: [&str; 2] = ["settings.json", "settings.local.json"];

/// Patterns of the files from which other agents read hooks, below a project or the user's home: a path, or each
/// `*.json` or program of a folder. The folder's name may end with any letters. hookkit's own files for an agent are in
/// the folder `hookkit` next to these files.
pub const OF_AGENTS: [&str; AGENTS.len()] = {
    let mut files = [""; AGENTS.len()];
    let mut at = 0;
    while at < AGENTS.len() {
        files[at] = AGENTS[at].file.read;
        at += 1;
    }
    files
};

/// Patterns of folders whose files form a plugin with a module, in the syntax of `.gitignore`.
///
/// A module runs inside the client, around all hooks except the organization's (2.1.286).
pub const MODULES: &str = "**/.claude/plugins/\n**/.claude/skills/*/.claude-plugin/\n**/.claude/skills/*/hooks/";

/// Files in the user's configuration folder of the client: the binaries of hooks for all projects, and the settings
/// file.
pub const OF_USER: [&str; 2] = ["hookkit", SETTINGS[0]];

/// The folder of states and of `install`'s records: variables that name a folder, each with the path below it. The
/// first variable that is set counts.
pub const RECORDS: [(&str, &str); 2] = [("XDG_STATE_HOME", "hookkit"), ("HOME", ".local/state/hookkit")];

/// Files in which hookkit or the user allows code to run, outside of projects: pairs of a variable and a path below it.
///
/// A variable may be set for the model's commands and not for hookkit, so every row counts. The rows are states,
/// records and the user's list of environment files, direnv's lists of such files, clones of sources, and the installed
/// program.
pub const ELSEWHERE: &[(&str, &str)] = &[
    RECORDS[0],
    RECORDS[1],
    ("LOCALAPPDATA", "hookkit"),
    ("XDG_DATA_HOME", "direnv"),
    ("HOME", ".local/share/direnv"),
    ("XDG_CACHE_HOME", "hookkit"),
    ("HOME", ".cache/hookkit"),
    ("CARGO_HOME", "bin/cargo-hookkit"),
    ("HOME", ".cargo/bin/cargo-hookkit"),
    // Hooks that another agent has for all projects.
    ("KIMI_CODE_HOME", "config.toml"),
    ("KIMI_CODE_HOME", "hookkit"),
    ("HOME", KIMI.file.path),
    ("HOME", ".kimi-code/hookkit"),
];
