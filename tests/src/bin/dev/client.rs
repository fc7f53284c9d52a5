//! `cargo dev client`: installs the clients that the tests run.

#![expect(clippy::print_stdout, reason = "a script reads the path from stdout")]

use anyhow::{Context, Result};
use clap::Args;
use hookkit::protocol::agents::{AGENTS, Agent};
use hookkit_tests::agents::AgentClient;

#[derive(Args)]
pub(crate) struct Options {
    /// The client of another agent, in the version of its table
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(AGENTS.iter().map(|agent| agent.id)))]
    agent: Option<String>,
}

/// Installs a pinned client into the cache folder, unless it is there already, and prints its path.
pub(crate) fn run(options: &Options) -> Result<()> {
    let client = match options.agent.as_deref().and_then(Agent::of_id) {
        None => hookkit_tests::client::install(),
        Some(agent) => AgentClient::install(agent),
    };
    println!("{}", client.context("cannot install the client")?.display());
    Ok(())
}
