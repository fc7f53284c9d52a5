//! The names of the client's built-in tools.

use crate::is_same;

/// The built-in tools by their current names.
///
/// The client adds tools often, so a name that is missing here may still be a tool. The `tools` field of the stream's
/// init message lists a session's tools.
pub const BUILT_IN: &[&str] = &[
    "Agent", "Artifact", "AskUserQuestion", "Bash", "ClaudeDesign", "CronCreate", "CronDelete", "CronList", "Edit",
    "EndConversation", "EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree", "Glob", "Grep", "LSP",
    "ListAgents", "ListMcpResourcesTool", "Monitor", "NotebookEdit", "OfferChromeSetup", "PowerShell", "Projects",
    "PushNotification", "Read", "ReadMcpResourceDirTool", "ReadMcpResourceTool", "ReadNotifications",
    "RefreshMcpTools", "RemoteTrigger", "ReportFindings", "ScheduleWakeup", "SendFeedback", "SendMessage",
    "SendUserFile", "SendUserMessage", "SetGoal", "ShareOnboardingGuide", "ShowOnboardingRolePicker", "Skill",
    "SubagentHandback", "TaskCreate", "TaskGet", "TaskList", "TaskStop", "TaskUpdate", "TodoWrite", "ToolSearch",
    "WaitForMcpServers", "WebFetch", "WebSearch", "Workflow", "Write", "propose_skills",
];

/// Splits the name of an MCP server's tool into the server's name and the tool's. `None` for other tools.
///
/// ```
/// use hookkit_protocol::tool::mcp_name;
///
/// assert_eq!(mcp_name("mcp__github__create_issue"), Some(("github", "create_issue")));
/// assert_eq!(mcp_name("Bash"), None);
/// ```
///
/// The server's name ends at the first `__`, even if the name contains another one; the event's `mcp_server` has the
/// whole name.
pub fn mcp_name(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

/// Old names that the client still translates in matchers, each with the current name.
///
/// Hooks always receive the current name.
pub const RENAMED: &[(&str, &str)] = &[
    ("Task", "Agent"),
    ("KillShell", "TaskStop"),
    ("KillBash", "TaskStop"),
    ("ListPeers", "ListAgents"),
    ("Brief", "SendUserMessage"),
    ("ListMcpResources", "ListMcpResourcesTool"),
    ("ReadMcpResource", "ReadMcpResourceTool"),
    ("ReadMcpResourceDir", "ReadMcpResourceDirTool"),
    ("ProposeGoal", "SetGoal"),
];

/// Tools that a matcher can also select by the name of their family, each with that name.
pub const FAMILIES: &[(&str, &str)] =
    &[("ArtifactComments", "Artifact"), ("ArtifactData", "Artifact"), ("ArtifactCheck", "Artifact")];

/// Names of removed tools, each with its successor.
///
/// The client accepts a matcher that names a removed tool, but never runs the hook.
pub const GONE: &[(&str, Option<&str>)] = &[
    ("MultiEdit", Some("Edit")),
    ("NotebookRead", Some("Read")),
    ("LS", Some("Bash")),
    ("BashOutput", None),
    ("TaskOutput", None),
];

/// The tools whose calls the client compares with the parentheses of a permission rule (client 2.1.330).
///
/// For any other tool, only a rule without parentheses applies.
pub const COMPARED: &[&str] =
    &["Bash", "Edit", "Glob", "Grep", "Monitor", "NotebookEdit", "PowerShell", "Read", "Write"];

/// The members of built-in tools' inputs that are file system paths, each with the tool's name. A tool can have
/// several, and a member can hold a list of paths.
///
/// [Removed](GONE) tools are included, for older clients.
/// Paths that the tool neither reads nor writes are not included: the name of a document on a server, or the file of
/// the plan, which the client adds to ExitPlanMode. The inputs of some tools (SendUserFile) are not published.
pub const PATHS: &[(&str, &str)] = &[
    ("Artifact", "file_path"),
    ("Artifact", "file_paths"),
    ("Artifact", "out_dir"),
    ("Edit", "file_path"),
    ("EnterWorktree", "path"),
    ("Glob", "path"),
    ("Grep", "path"),
    ("LS", "path"),
    ("LSP", "filePath"),
    ("MultiEdit", "file_path"),
    ("NotebookEdit", "notebook_path"),
    ("NotebookRead", "notebook_path"),
    ("Projects", "local_path"),
    ("Read", "file_path"),
    ("Workflow", "scriptPath"),
    ("Write", "file_path"),
];

/// The tools that search the session's current directory if their input has no [path](PATHS) (client 2.1.330).
pub const IN_CURRENT_FOLDER: &[&str] = &["Glob", "Grep"];

/// Returns `true` if this is the current name of a built-in tool.
#[inline]
pub fn is_built_in(name: &str) -> bool {
    BUILT_IN.contains(&name)
}

/// Returns the current name of a tool, given any name that a list may use for it.
#[inline]
pub const fn current_name(name: &str) -> &str {
    let mut renamed = RENAMED;
    while let [(old, current), others @ ..] = renamed {
        if is_same(name.as_bytes(), old.as_bytes()) {
            return current;
        }
        renamed = others;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_belong_to_current_or_removed_tools() {
        let was = |name: &str| GONE.iter().any(|(gone, _)| *gone == name);
        for (tool, member) in PATHS {
            assert!(is_built_in(tool) || was(tool), "{tool}.{member}");
        }
        assert!(PATHS.is_sorted());
        assert!(IN_CURRENT_FOLDER.iter().all(|name| PATHS.contains(&(name, "path"))));
    }
}
