//! A configuration file.

// ANCHOR: config
use hookkit::prelude::*;
use serde::{Deserialize, Serialize};

/// The configuration.
#[derive(Default, Serialize, Deserialize)]
pub struct Hosts {
    /// Hosts that Claude may fetch pages from.
    hosts: Vec<String>,
}

/// Asks the user before a page is fetched from a host that the workspace does not list.
#[hook(PreToolUse, timeout = 5)]
pub fn allowed_hosts(call: PreToolUse<tool::WebFetch>, config: Config<Hosts>) -> PreToolUseAnswer {
    ask_unless_listed(&call.input.url, config.hosts.iter().map(String::as_str))
}

fn ask_unless_listed<'h>(url: &str, mut hosts: impl Iterator<Item = &'h str>) -> PreToolUseAnswer {
    match host(url) {
        Some(host) if hosts.any(|listed| listed.eq_ignore_ascii_case(host)) => PreToolUseAnswer::pass(),
        Some(host) => PreToolUseAnswer::ask(format!("`{host}` is not in the list of hosts")),
        None => PreToolUseAnswer::ask("the address has no host"),
    }
}

/// Returns the host of an address, without user and port.
fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '\\', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    host.split(':').next().filter(|host| !host.is_empty())
}
// ANCHOR_END: config

// ANCHOR: file
use hookkit::config_file::ConfigFile;

/// Asks the user before a page is fetched from a host that is not in the project's file `.claude/hosts`.
#[hook(PreToolUse, timeout = 5)]
pub fn project_hosts(call: PreToolUse<tool::WebFetch>, context: Context) -> Result<PreToolUseAnswer, Error> {
    let text = ConfigFile::in_project(&context, ".claude/hosts")
        .text()?
        .unwrap_or_default();
    let lines = text.lines().map(str::trim);
    let hosts = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(ask_unless_listed(&call.input.url, hosts))
}
// ANCHOR_END: file

// ANCHOR: test
#[cfg(test)]
mod tests {
    use hookkit::Hook;
    use hookkit::testing::Session;

    use super::*;

    fn fetch(url: &str) -> PreToolUse<tool::WebFetch> {
        PreToolUse::new("WebFetch", tool::WebFetch::new(url, "Sum it up"))
    }

    #[test]
    fn a_host_that_the_workspace_does_not_list_is_asked_about() {
        let hosts = Hosts {
            hosts: vec!["docs.rs".to_owned()],
        };
        let mut session = Session::new();
        session.configure(allowed_hosts::DEF, &hosts);
        let run = |url| session.run(allowed_hosts::DEF, &fetch(url));
        run("https://docs.rs/serde").assert_passed();
        run("https://DOCS.rs:443").assert_passed();
        run("https://docs.rs.example.com/").assert_asked("docs.rs.example.com");
        run("https://docs.rs@example.com/").assert_asked("`example.com`");
        run("docs.rs").assert_asked("no host");
    }

    #[test]
    fn the_list_can_be_a_file_of_the_project() {
        let session = Session::new();
        let run = || session.run(project_hosts::DEF, &fetch("https://docs.rs/serde"));
        run().assert_asked("`docs.rs` is not in the list of hosts");
        session.write(".claude/hosts", "# Documentation\ndocs.rs\n");
        run().assert_passed();
    }
}
// ANCHOR_END: test
