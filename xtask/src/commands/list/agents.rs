//! The workspace's hooks in other agents.

use std::path::Path;

use hookkit_protocol::agents::Agent;
use serde_json::json;

use crate::agents::limits;
use crate::binaries::definition::Definition;
use crate::commands::list::report::Report;
use crate::settings::document::Document;
use crate::settings::place::Place;
use crate::settings::{installed, scope};
use crate::terminal::shown;
use crate::terminal::style::{GOOD, WARNING};
use crate::terminal::text::Text;

/// Adds the hooks of a workspace that another agent runs in a project.
pub(super) fn describe_all(hooks: &[Definition], project: &Path, workspace: &str, report: &mut Report) {
    for (agent, place) in scope::of_agents(project, workspace) {
        let settings = installed::settings(&place).ok().flatten();
        let file = place.settings();
        let mut text = Text::new();
        text.bold(format_args!("In {}", agent.name))
            .plain(" (")
            .path(shown(file))
            .plain(")");
        for name in installed::named(settings.as_ref(), &place) {
            let hook = hooks.iter().find(|hook| hook.declared.name == name);
            let fault = fault(agent, hook, &place, settings.as_ref(), &name);
            let differences = hook.map(|hook| limits::differences(agent, hook)).unwrap_or_default();
            text.plain("\n  ").bold(&name).plain(": ");
            match &fault {
                Some(fault) => text.words(WARNING, fault),
                None => text.words(GOOD, "installed"),
            };
            for difference in &differences {
                text.plain("\n    ").plain(difference);
            }
            report.rows.push(json!({
                "kind": "agent", "agent": agent.id, "name": name, "file": file.display().to_string(), "fault": fault,
                "differences": differences,
            }));
        }
        text.plain(format_args!("\n{}", limits::limits(agent).trim_end()));
        report.paragraphs.push(text);
    }
}

/// Returns the reason why an agent does not run a hook as it is declared.
fn fault(
    agent: &Agent,
    hook: Option<&Definition>,
    place: &Place,
    settings: Option<&Document>,
    name: &str,
) -> Option<String> {
    let Some(hook) = hook else {
        return Some("there is no such hook any more; `install` removes it".to_owned());
    };
    let is_written = |entry| settings.is_some_and(|settings| settings.has(&entry));
    let text = match installed::entries(hook, place).into_iter().all(is_written) {
        _ if !place.has_binary(name) => "its binary is missing; `install` builds it",
        false => "its entry is not what `install` writes; `install` writes it anew",
        true => return limits::why_not(agent, hook),
    };
    Some(text.to_owned())
}
