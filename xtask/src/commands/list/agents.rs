//! The workspace's hooks in other agents.

use std::path::Path;

use serde_json::json;

use crate::agents;
use crate::binaries::definition::Definition;
use crate::commands::list::report::Report;
use crate::settings::{installed, scope};
use crate::terminal::shown;
use crate::terminal::style::{GOOD, WARNING};
use crate::terminal::text::Text;

/// Adds the hooks of a workspace that another agent runs in a project.
pub(super) fn describe_all(hooks: &[Definition], project: &Path, workspace: &str, report: &mut Report) {
    for (agent, place) in scope::of_agents(project, workspace) {
        let settings = installed::settings(&place).ok().flatten();
        let mut text = Text::new();
        text.bold(format_args!("In {}", agent.name))
            .plain(" (")
            .path(shown(place.settings()))
            .plain(")");
        for name in installed::named(settings.as_ref(), &place) {
            let hook = hooks.iter().find(|hook| hook.declared.name == name);
            let is_current = hook.is_some_and(|hook| {
                let mut entries = installed::entries(hook, &place).into_iter();
                entries.all(|entry| settings.as_ref().is_some_and(|settings| settings.has(&entry)))
            });
            let fault = match hook {
                Some(hook) => agents::why_not(agent, hook)
                    .or_else(|| agents::fault(is_current, place.has_binary(&name)).map(str::to_owned)),
                None => Some("there is no such hook any more; `install` removes it".to_owned()),
            };
            let differences = hook.map(|hook| agents::differences(agent, hook)).unwrap_or_default();
            text.plain("\n  ").bold(&name).plain(": ");
            match &fault {
                Some(fault) => text.words(WARNING, fault),
                None => text.words(GOOD, "installed"),
            };
            for difference in &differences {
                text.plain("\n    ").plain(difference);
            }
            report.rows.push(json!({
                "kind": "agent", "agent": agent.id, "name": name, "file": place.settings().display().to_string(),
                "fault": fault, "differences": differences,
            }));
        }
        text.plain(format_args!("\n{}", agents::answers(agent).trim_end()));
        report.paragraphs.push(text);
    }
}
