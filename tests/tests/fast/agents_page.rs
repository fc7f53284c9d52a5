//! The book's page of each agent has the rows of its table.

use anyhow::{Context as _, Result};
use hookkit::protocol::agents::Part::{Allow, Ask, Context, Deny, Message, Output, Rewrite, Stop};
use hookkit::protocol::agents::{AGENTS, Agent, Basis, Said};
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
            text += match event.said(part) {
                Some(Said::As(_)) => " yes |",
                Some(Said::Denied) => " denies |",
                None => " – |",
            };
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
