//! The book's page of each agent has the rows of its table, and README.md a row of each.

use anyhow::{Context as _, Result};
use hookkit::protocol::agents::Part::{Allow, Ask, Context, Deny, Message, Output, Rewrite, Stop};
use hookkit::protocol::agents::{AGENTS, Agent, Basis, OnEvent, Part, Said};
use hookkit_tests::xtask::repository;

/// Returns the rows of an agent, as the page has them.
fn rows(agent: &Agent) -> String {
    let [package, version, date] = agent.seen;
    let mut text = format!(
        "Seen with {package} {version} on {date}, in runs of the client against a scripted model.\n\n\
         ## What your hook can say there\n\n\
         | event | deny or block | ask | allow | other input | other output | context | message to the user | stop |\n\
         |---|---|---|---|---|---|---|---|---|\n"
    );
    for event in agent.events {
        let read = [" (read, not played)", ""][usize::from(event.basis == Basis::Played)];
        text += &format!("| {}{read} |", event.name);
        for part in [Deny, Ask, Allow, Rewrite, Output, Context, Message, Stop] {
            text += &format!(" {} |", cell(Some(event), part));
        }
        text += "\n";
    }
    text += "\n–: it has no effect there, and is left out. A hook that is declared to change an input or output is not installed.\n\n\
             ## Tools\n\n| Claude Code's | in a payload | for the model |\n|---|---|---|\n";
    for tool in agent.tools {
        text += &format!("| {} | {} | `{}` |\n", tool.names.join(", "), tool.own, tool.model);
    }
    text += "\n## A hook that does not answer, before a tool call\n\n| it ends with | the call |\n|---|---|\n";
    let failures = format!("{:#?}", agent.failures)
        .replace("GoesAhead", "goes ahead")
        .replace("DeniedUnexplained", "denied, without its reason")
        .replace('_', " ");
    for (what, effect) in failures.lines().filter_map(|line| line.trim().split_once(": ")) {
        text += &format!("| {what} | {} |\n", effect.trim_end_matches(',').to_lowercase());
    }
    text += &format!("\n## Trust\n\n{}\n\n## What hooks do not see there\n\n- ", agent.trust);
    text + &agent.limits.join("\n- ") + "\n"
}

/// Returns the outcome of a part of an answer, in one word.
fn cell(event: Option<&OnEvent>, part: Part) -> &'static str {
    match event.and_then(|event| event.said(part)) {
        Some(Said::As(_) | Said::ExitCode2 | Said::Text) => "yes",
        Some(Said::Denied) => "denies",
        None => "–",
    }
}

/// Returns the rows of all agents, as README.md has them.
fn table() -> String {
    let mut text = "| | deny | ask | change the input | change the output | keep the turn going |\n\
                    |---|---|---|---|---|---|\n\
                    | Claude Code | yes | yes | yes | yes | yes |\n"
        .to_owned();
    for agent in AGENTS {
        let [_, version, _] = agent.seen;
        text += &format!("| [{}](docs/book/src/{}.md) {version} |", agent.name, agent.id);
        let said = [
            ("PreToolUse", Deny),
            ("PreToolUse", Ask),
            ("PreToolUse", Rewrite),
            ("PostToolUse", Output),
            ("Stop", Deny),
        ];
        for (event, part) in said {
            text += &format!(" {} |", cell(agent.event(event), part));
        }
        text += "\n";
    }
    text
}

/// Replaces the rows between two comments of a file, and checks that they were there.
fn check(file: &str, rows: &str) -> Result<()> {
    let page = std::fs::read_to_string(repository().join(file))?;
    let (before, rest) = page.split_once("<!-- rows -->\n").context("no rows")?;
    let (_, after) = rest.split_once("<!-- end of rows -->").context("no end of rows")?;
    hookkit_tests::snapshot(file, &format!("{before}<!-- rows -->\n{rows}<!-- end of rows -->{after}"))
}

#[test]
fn the_page_of_an_agent_has_the_rows_of_its_table() -> Result<()> {
    for agent in AGENTS {
        check(&format!("docs/book/src/{}.md", agent.id), &rows(agent))?;
    }
    Ok(())
}

#[test]
fn the_readme_has_a_row_of_each_agent() -> Result<()> {
    check("README.md", &table())
}
