//! A plugin's README, generated from its hooks' documentation.

use std::fmt::Write as _;

use hookkit_protocol::hook::OnFailure;

use crate::binaries::platform::Platform;
use crate::settings::plugin::parts::{LICENCES, PackagedHook, Plugin, SUMS};
use crate::terminal::joined;

/// Returns the README.
pub(super) fn text(plugin: &Plugin) -> String {
    let name = &plugin.origin.name;
    let mut text = format!(
        "# {name}\n\nHooks for Claude Code, as programs that need nothing else.\nhookkit's `cargo xtask package` made \
         this folder.\n\n## Install\n\nType this in Claude Code, with the repository that has this plugin's \
         marketplace (for a branch: `<owner>/<repo>@<branch>`):\n\n```text\n/plugin install {name} --marketplace \
         <owner>/<repo>\n```\n\n## Hooks\n\n| hook | runs on | if it fails |\n|---|---|---|\n"
    );
    // Writing to a string cannot fail.
    for hook in &plugin.origin.hooks {
        let _ = writeln!(text, "| [{0}](#{0}) | {1} | {2} |", hook.declared.name, subject(hook), outcome(hook));
    }
    for hook in &plugin.origin.hooks {
        let package = format!("{} {}", hook.declared.package, hook.declared.package_version);
        let description = hook.declared.description.trim();
        let _ = write!(text, "\n### {}\n\n{description}\n\nFrom the pack {package}.\n", hook.declared.name);
    }
    text += "\n## Platforms\n\n| system | program |\n|---|---|\n";
    for platform in Platform::ALL {
        let has = if plugin.programs.contains_key(&platform) { "yes" } else { "no" };
        let _ = writeln!(text, "| {} | {has} |", platform.shown());
    }
    let _ = write!(
        text,
        "\nWhere there is no program for the system, hooks that block on failure deny the call, and all others do nothing.\n\n\
         ## Check it\n\n\
         `sha256sum --check {SUMS}` compares the files with the list of their SHA-256.\n\
         `cargo xtask verify DIR`, in the workspace of the hooks, builds the programs again and compares them byte for byte.\n"
    );
    if plugin.licences.is_some() {
        let _ = write!(text, "\n{LICENCES} has the licences of the code in the programs.\n");
    }
    text
}

fn subject(hook: &PackagedHook) -> String {
    joined(
        hook.entries.iter().map(|on| match &on.matcher {
            Some(matcher) => format!("{} `{}`", on.event, matcher.replace('|', "\\|")),
            None => on.event.clone(),
        }),
        ", ",
    )
}

/// Describes the effect of a hook's failure.
fn outcome(hook: &PackagedHook) -> &'static str {
    match hook.declared.on_failure {
        OnFailure::Block => "the action is denied",
        OnFailure::Ask => "the user is asked",
        OnFailure::Continue => "the action goes ahead",
    }
}
