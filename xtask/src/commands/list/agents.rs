//! The workspace's hooks that are installed in other agents.

use hookkit_protocol::agents::Agent;

use crate::agents::limits;
use crate::binaries::definition::{Definition, find};
use crate::commands::list::report::Report;
use crate::commands::prelude::*;
use crate::settings::document::Document;
use crate::settings::installed;
use crate::settings::place::Place;
use crate::settings::scope::OfAgent;
use crate::terminal;
use crate::terminal::style::{GOOD, WARNING};
use crate::terminal::text::Text;

/// Adds the workspace's hooks that other agents run, and the agents' files that cannot be read.
pub(super) fn describe_all(hooks: &[Definition], files: impl Iterator<Item = OfAgent>, report: &mut Report) {
    for of_agent in files {
        let mut text = Text::new();
        text.bold(format_args!("In {}", of_agent.agent.name))
            .plain(" (")
            .path(shown(of_agent.place.settings()))
            .plain(")");
        match &of_agent.read {
            Ok((settings, named)) => {
                for name in named {
                    describe(name, hooks, &of_agent, settings, &mut text, report);
                }
            }
            Err(err) => {
                let fault = format!("{err:#}");
                text.plain("\n  ").words(WARNING, &fault);
                report.rows.push(row(&of_agent, None, Some(fault), &[]));
            }
        }
        text.plain(format_args!("\n{}", limits::limits(of_agent.agent).trim_end()));
        report.paragraphs.push(text);
    }
}

/// Adds a hook found in an agent's file.
fn describe(
    name: &str,
    hooks: &[Definition],
    of_agent: &OfAgent,
    settings: &Document,
    text: &mut Text,
    report: &mut Report,
) {
    let OfAgent { agent, place, .. } = of_agent;
    let hook = find(hooks, name);
    let differences = hook.map(|hook| limits::differences(agent, hook)).unwrap_or_default();
    let fault = fault(agent, hook, place, settings, name);
    text.plain("\n  ").bold(name).plain(": ");
    match &fault {
        Some(fault) => text.words(WARNING, fault),
        None => text.words(GOOD, "installed"),
    };
    for difference in &differences {
        text.plain("\n    ").plain(difference);
    }
    report.rows.push(row(of_agent, Some(name), fault, &differences));
}

/// Returns the JSON row of a hook, or of a file that cannot be read.
fn row(of_agent: &OfAgent, name: Option<&str>, fault: Option<String>, differences: &[String]) -> Value {
    terminal::row(
        "agent",
        json!({"agent": of_agent.agent.id, "name": name, "file": of_agent.place.to_string(), "fault": fault, "differences": differences}),
    )
}

/// Returns the reason why an agent does not run a hook as declared.
fn fault(agent: &Agent, hook: Option<&Definition>, place: &Place, settings: &Document, name: &str) -> Option<String> {
    let install = format!("`cargo xtask install --agent {}`", agent.id);
    let Some(hook) = hook else {
        return Some(format!("the workspace has no such hook; {install} removes it"));
    };
    if !place.has_binary(name) {
        return Some(format!("its binary is missing; {install} builds it"));
    }
    let mut entries = installed::entries(hook, place).into_iter();
    if !entries.all(|entry| settings.has(&entry)) {
        return Some(format!("its entry is not what `install` writes; {install} replaces it"));
    }
    limits::why_not(agent, hook)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::settings::scope;

    #[test]
    fn a_file_that_cannot_be_read_is_listed_with_its_fix() {
        let project = test_support::folder();
        fs::create_dir(project.path().join(".codex")).unwrap();
        fs::write(project.path().join(".codex/hooks.json"), "{").unwrap();
        let mut report = Report::default();
        describe_all(&[], scope::of_agents(project.path(), "acme"), &mut report);
        let [row] = &report.rows[..] else {
            panic!("{:?}", report.rows);
        };
        let fault = row["fault"].as_str().unwrap();
        assert!(fault.ends_with("; fix it first") && row["name"].is_null(), "{row}");
        assert!(report.paragraphs[0].unstyled().contains(fault));
    }
}
