//! The matchers and conditions that the real client is asked about.
//!
//! The client tier records the tools that a hook with each of them ran on; the fast tier compares our own reading.

/// The tools that are called.
pub const TOOLS: [&str; 4] = ["Read", "Bash", "Write", "Edit"];

/// The matchers: those from the client's documentation, and a few that an engine may read in its own way.
#[rustfmt::skip]
pub const MATCHERS: [&str; 64] = [
    "", "*", ".*", "Edit|Write", "Edit|Write ", "Edit | Write", "Edit,Write", "Edit, Write", "Edit|Write|", " Bash",
    "Bash|", "Bash Read", "|", "edit", "EDIT", "bash.*", "Ba", "ash", "Notebook", "echo", "my-srv", "mcp", "Ba*",
    "Bas.", "a.h", "^Bash$", "Bash$", "^Ba", "[B]ash", "(Bash)", "Edit|Write.*", "Notebook.*", "Bash|^Read$",
    "^(?!Bash)", "(", "*Bash", "!Bash", "Bash(true)", "Bash(*)", "Task", "Agent", "MultiEdit", "mcp__srv",
    "mcp__srv__.*", "mcp__.*", "mcp__srv|Write", "Write|mcp__srv__echo",
    r"^[^\W_]{4}$", r"^(.)(?!.*\1)", "(?<=E)dit", "Bash{", "Ba{1}sh{0,1}", "[^]ash", "[]", r"\u{1}",
    r"(?<a>.)\k<a>", "Bash|(", "(?i:bash)", "(?<a>Ba)sh|(?<a>Re)ad", r"\b+Read",
    r#"tool == "Edit" || tool == "Write""#, "Bash(git *) || Edit", "^Edit$ || ^Write$", "^Edit$ | ^Write$",
];

/// The conditions. The calls are `true` in Bash, and a `.txt` file for the other tools.
#[rustfmt::skip]
pub const CONDITIONS: [&str; 13] = [
    "Bash", "Bash(true)", "Bash(false)", "Write(*.txt)", "Edit(*.txt)", "Edit|Write", "Bash(true)|Bash(false)",
    "Edit(*.txt), Write(*.txt)", "bash(true)", "Bash(true", "Bash(true))", "MultiEdit", "mcp__files",
];
