//! The names of the client's built-in tools.

/// The built-in tools by their current names.
///
/// A session's own list is in the `tools` field of the stream's init message; the client adds tools often, so a name
/// that is missing here is not wrong.
pub const BUILT_IN: &[&str] = &[
    "Agent",
    "Artifact",
    "AskUserQuestion",
    "Bash",
    "ClaudeDesign",
    "CronCreate",
    "CronDelete",
    "CronList",
    "Edit",
    "EndConversation",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Glob",
    "Grep",
    "LSP",
    "ListAgents",
    "ListMcpResourcesTool",
    "Monitor",
    "NotebookEdit",
    "OfferChromeSetup",
    "PowerShell",
    "Projects",
    "PushNotification",
    "Read",
    "ReadMcpResourceDirTool",
    "ReadMcpResourceTool",
    "ReadNotifications",
    "RefreshMcpTools",
    "RemoteTrigger",
    "ReportFindings",
    "ScheduleWakeup",
    "SendFeedback",
    "SendMessage",
    "SendUserFile",
    "SendUserMessage",
    "SetGoal",
    "ShareOnboardingGuide",
    "ShowOnboardingRolePicker",
    "Skill",
    "SubagentHandback",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "WaitForMcpServers",
    "WebFetch",
    "WebSearch",
    "Workflow",
    "Write",
    "propose_skills",
];

/// Old names that the client still translates in matchers, each with the current one.
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

/// Tools that also answer to the name of their family in a matcher, each with that name.
pub const FAMILIES: &[(&str, &str)] = &[
    ("ArtifactComments", "Artifact"),
    ("ArtifactData", "Artifact"),
    ("ArtifactCheck", "Artifact"),
];

/// Names that no tool has any more, each with the tool that does its work now.
///
/// The client takes a matcher that names one, and never runs its hook.
pub const GONE: &[(&str, Option<&str>)] = &[
    ("MultiEdit", Some("Edit")),
    ("NotebookRead", Some("Read")),
    ("LS", Some("Bash")),
    ("BashOutput", None),
    ("TaskOutput", None),
];

/// The tools of which the client compares a call with what stands in parentheses in a permission rule (client 2.1.330).
///
/// With any other tool only the bare name holds.
pub const COMPARED: &[&str] = &[
    "Bash",
    "Edit",
    "Glob",
    "Grep",
    "Monitor",
    "NotebookEdit",
    "PowerShell",
    "Read",
    "Write",
];

/// Whether this is the current name of a built-in tool.
pub fn is_built_in(name: &str) -> bool {
    BUILT_IN.contains(&name)
}

/// The name that the client takes a tool's name in a list for.
pub fn current_name(name: &str) -> &str {
    let renamed = RENAMED.iter().find(|(old, _)| *old == name);
    renamed.map_or(name, |(_, new)| new)
}
