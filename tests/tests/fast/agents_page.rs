//! The book's page of each agent has the rows of its table.

use anyhow::{Context, Result};
use hookkit::protocol::agents::{AGENTS, Agent, Basis, Effect, Input, Part, Said};
use hookkit_tests::xtask::repository;

const PARTS: [(Part, &str); 8] = [
    (Part::Deny, "deny or block"),
    (Part::Ask, "ask"),
    (Part::Allow, "allow"),
    (Part::Rewrite, "other input"),
    (Part::Output, "other output"),
    (Part::Context, "context"),
    (Part::Message, "message to the user"),
    (Part::Stop, "stop"),
];

/// Returns the rows of an agent, as the page has them.
fn rows(agent: &Agent) -> String {
    let [package, version, date] = agent.seen;
    let heads = PARTS.map(|(_, head)| head).join(" | ");
    let mut text = format!(
        "Seen with {package} {version} on {date}, in runs of the client against a scripted model.\n\n\
         ## What your hook can say there\n\n| event | {heads} |\n|---|{}\n",
        "---|".repeat(PARTS.len())
    );
    for event in agent.events {
        let cells = PARTS.map(|(part, _)| match event.said(part) {
            Some(Said::As(_) | Said::Exit2) => "yes",
            Some(Said::Denied) => "denies",
            None => "–",
        });
        let read = if event.basis == Basis::Read {
            " (read, not played)"
        } else {
            ""
        };
        text += &format!("| {}{read} | {} |\n", event.name, cells.join(" | "));
    }
    text += "\n–: it has no effect there, and is left out. A hook that is declared to change an input or output is not installed.\n\n\
             ## Tools\n\n| Claude Code's | in a payload | for the model |\n|---|---|---|\n";
    for tool in agent.tools {
        let patch = if let Input::Patch(_) = tool.input {
            ", a patch"
        } else {
            ""
        };
        text += &format!(
            "| {} | {} | `{}`{patch} |\n",
            tool.names.join(", "),
            tool.own,
            tool.model
        );
    }
    text += "\n## A hook that does not answer\n\n| | before a tool call |\n|---|---|\n";
    let failures = &agent.failures;
    for (what, effect) in [
        ("exit code 2, with a text on stderr", failures.exit_2),
        ("exit code 2 alone", failures.silent_exit_2),
        ("another exit code", failures.exit_1),
        ("killed by a signal", failures.signal),
        ("its program is missing", failures.missing),
        ("late", failures.timeout),
        ("no answer on stdout", failures.garbage),
    ] {
        let effect = match effect {
            Effect::Denied => "denied",
            Effect::DeniedUnexplained => "denied, without the hook's reason",
            Effect::GoesAhead => "goes ahead",
        };
        text += &format!("| {what} | {effect} |\n");
    }
    let limits: String = agent.limits.iter().map(|limit| format!("- {limit}\n")).collect();
    text + &format!(
        "\n## Trust\n\n{}\n\n## What hooks do not see there\n\n{limits}",
        agent.trust
    )
}

#[test]
fn the_page_of_an_agent_has_the_rows_of_its_table() -> Result<()> {
    for agent in AGENTS {
        let file = format!("docs/book/src/{}.md", agent.id);
        let page = std::fs::read_to_string(repository().join(&file))?;
        let (before, rest) = page.split_once("<!-- rows -->\n").context("no rows")?;
        let (_, after) = rest.split_once("<!-- end of rows -->").context("no end of rows")?;
        let page = format!("{before}<!-- rows -->\n{}<!-- end of rows -->{after}", rows(agent));
        hookkit_tests::snapshot(&file, &page)?;
    }
    Ok(())
}
