//! Checks the hooks files of other agents, and the hooks that hookkit has installed there.

use hookkit_protocol::agents::Agent;
use hookkit_protocol::event::event;
use hookkit_protocol::matcher::Matcher;
use hookkit_protocol::tool;

use crate::agents::file;
use crate::agents::trust::Server;
use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, HookFile, State};
use crate::diagnose::own::Own;
use crate::settings::code::agents;
use crate::settings::finding::Finding;
use crate::settings::folders::Scope;

/// Checks the files of other agents in a project. `of_agents` are the hooks that hookkit installed in these files, and
/// `own` are the hooks that it installed for Claude Code.
pub(crate) fn look(session: &Session, own: &[Own<'_>], of_agents: &[Own<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in &session.agents {
        if let Scope::Agent(agent) = source.scope {
            of_file(agent, source, &mut findings);
        }
    }
    for hook in of_agents {
        let Some(agent) = hook.place.agent() else { continue };
        let name = agent.name;
        findings.extend(hook.is_missing(&format!("{name} skips the hook, or denies each call")));
        findings.extend(
            hook.is_edited().map(|edited| Finding { does: format!("{name} uses the changed entry"), ..edited }),
        );
        let is_read = |other: &&Own<'_>| agent.file.also.iter().any(|file| other.source.path.ends_with(file));
        if let Some(other) = own.iter().filter(is_read).find(|other| other.name == hook.name) {
            let both = agents::runs_both(name, &hook.name, other.options());
            findings.push(hook.at(both).see_also(other.source, other.handler));
        }
    }
    findings
}

/// Checks an agent's file.
fn of_file(agent: &'static Agent, source: &HookFile, findings: &mut Vec<Finding>) {
    let dropped = match &source.state {
        State::Missing => return,
        State::Unreadable(why) => Some((why.clone(), "make it readable")),
        State::Read | State::Dropped(_) => file::fault(agent, &source.path, &source.text),
    };
    if let Some((why, fix)) = dropped {
        return findings.push(agents::drops_file(agent.name, why, fix).at(source, None));
    }
    for handler in &source.handlers {
        let matcher = handler.matcher.as_deref().unwrap_or_default();
        if is_of_other_tools(agent, handler, matcher) {
            findings.push(agents::no_tool(agent.name, matcher).at(source, handler.place));
        }
    }
    if source.handlers.is_empty() {
        return;
    }
    let server = Server::start(agent, &source.path);
    let untrusted = server.and_then(|server| server.map(|mut server| server.untrusted()).transpose());
    let name = agent.name;
    match untrusted.map(Option::unwrap_or_default) {
        Err(why) => findings.push(agents::trust_unknown(name, format!("{why:#}")).at(source, None)),
        Ok(untrusted) => {
            let is_untrusted =
                |handler: &&Handler| untrusted.iter().any(|hook| Some(&*hook.command) == handler.command());
            let untrusted = source.handlers.iter().filter(is_untrusted);
            findings.extend(
                untrusted.map(|handler| agents::untrusted(name, handler.short_name()).at(source, handler.place)),
            );
        }
    }
}

/// Returns `true` if a matcher contains only tools that Claude Code has and the agent does not. The agent's own tools
/// are not in the table.
fn is_of_other_tools(agent: &Agent, handler: &Handler, matcher: &str) -> bool {
    let facts = agent.own_event(&handler.event).and_then(|on| event(on.name));
    let Some(facts) = facts.filter(|facts| facts.matcher_target.field() == Some("tool_name")) else {
        return false;
    };
    let matcher = Matcher::new(matcher, facts);
    matches!(matcher, Matcher::Names(_)) && matcher.names().all(tool::is_built_in) && !agent.calls(matcher)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::diagnose::own;
    use crate::settings::folders::Folders;

    #[test]
    fn each_file_has_its_findings() {
        test_support::lines!("lines/agent-findings.txt").check(|section, text| {
            let project = test_support::folder();
            let of_claude = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "args": [],
                "command": "${CLAUDE_PROJECT_DIR}/.claude/hookkit/acme/bin/twice"}]}]}}"#;
            let agent = Agent::of_id(section.name).expect("an agent");
            let text = &text.replace("$HOME", &project.path().display().to_string());
            for (file, text) in [(agent.file.path, &**text), (".claude/settings.json", of_claude)] {
                let file = project.path().join(file);
                fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
                fs::write(file, text).expect("a file");
            }
            let of_user = agent.file.of_user.map(|_| (agent, project.path().join(agent.file.path)));
            let session = Session::of(&Folders {
                project: Some(project.path().to_owned()),
                agents: of_user.into_iter().collect(),
                ..Folders::default()
            });
            let own = own::find(&session, Some(project.path()));
            let findings = look(&session, &own, &own::of_agents(&session));
            let codes = findings.iter().filter(|finding| !finding.is_note());
            codes.map(|finding| finding.code.name).collect::<Vec<_>>().join(" ")
        });
    }
}
