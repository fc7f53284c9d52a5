//! Services: by the command lines of their programs, and by requests.
//!
//! Commands that delete are asked about; those that read or change are not.

use hookkit::effects;
use hookkit::shell::{Command, Word};

use super::Danger;

/// Returns the danger of a command of a service.
pub(super) fn delete(command: &Command) -> Option<Danger> {
    (effects::deletes(command) || deletes_by_method(command))
        .then(|| Danger::ask(format!("`{command}` deletes from a service")))
}

/// Ports of databases and search engines, which have data on the user's own machine, too.
const PORTS: &[&str] = &["5984", "7700", "8086", "8108", "8500", "9200", "9201"];

/// Returns `true` if it is a request that deletes. To a server of one's own it is a test.
fn deletes_by_method(command: &Command) -> bool {
    let words = command.arguments();
    let deletes = words.iter().enumerate().any(|(index, word)| match word.literal() {
        Some("-X" | "--request") => words.get(index + 1).and_then(Word::literal) == Some("DELETE"),
        Some(text) => matches!(text, "-XDELETE" | "--request=DELETE"),
        None => false,
    });
    let is_own = |url: &str| {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let host = rest.split(['/', '?']).next().unwrap_or_default();
        let (name, port) = host.rsplit_once(':').unwrap_or((host, ""));
        matches!(name, "localhost" | "127.0.0.1" | "[::1]") && !PORTS.contains(&port)
    };
    let mut urls = words.iter().map(Word::known_start).filter(|text| {
        text.contains("://")
            || text.starts_with("localhost")
            || text.starts_with("127.0.0.1")
            || text.starts_with("[::1]")
    });
    command.program() == Some("curl") && deletes && !urls.next().is_some_and(is_own)
}
