//! Services: by the command lines of their programs, and by requests.
//!
//! Commands that delete are asked about; those that read or change are not.

use hookkit::effects;
use hookkit::shell::programs::table::lists;
use hookkit::shell::{Command, Word};

use super::Danger;

/// Returns the danger of a command of a service.
pub(super) fn delete(command: &Command) -> Option<Danger> {
    (effects::deletes(command) || deletes_by_method(command)).then(|| Danger::ask_of(command, "deletes from a service"))
}

/// Ports of databases and search engines, which have data on the user's own machine, too.
const PORTS: &str = "5984 7700 8086 8108 8500 9200 9201";

/// Returns `true` if it is a request that deletes. To a server of one's own it is a test.
fn deletes_by_method(command: &Command) -> bool {
    let words = command.arguments();
    let is_delete = |text: &str| text.eq_ignore_ascii_case("delete");
    let next_is_delete = |index: usize| words.get(index + 1).and_then(Word::literal).is_some_and(is_delete);
    let by_option = |short: char, long: &str| {
        words.iter().enumerate().any(|(index, word)| {
            let text = word.literal().unwrap_or_default();
            match text.strip_prefix("--") {
                Some(option) => match option.split_once('=') {
                    Some((name, value)) => name == long && is_delete(value),
                    None => option == long && next_is_delete(index),
                },
                // Behind flags, and with its value: `-sX DELETE`, `-sXDELETE`.
                None => text
                    .strip_prefix('-')
                    .and_then(|letters| letters.split_once(short))
                    .is_some_and(|(_, value)| {
                        is_delete(value.trim_start_matches('=')) || value.is_empty() && next_is_delete(index)
                    }),
            }
        })
    };
    match command.program().unwrap_or_default() {
        "curl" => by_option('X', "request") && !urls(words).is_some_and(|urls| urls.into_iter().all(is_own)),
        "wget" => by_option('\0', "method"),
        "gh" | "glab" => by_option('X', "method") || words.iter().filter_map(Word::literal).any(is_mutation),
        "az" => words.first().and_then(Word::literal) == Some("rest") && by_option('m', "method"),
        "http" | "https" | "xh" | "xhs" => {
            words.iter().filter_map(Word::literal).any(|text| text == "DELETE")
                || words.first().and_then(Word::literal).is_some_and(is_delete)
        }
        _ => false,
    }
}

/// Returns `true` for a request of GraphQL that deletes: `query=mutation { deleteIssue(…) }`.
fn is_mutation(text: &str) -> bool {
    let mutation = text.split_once('=').and_then(|(_, query)| query.split_once("mutation"));
    mutation.is_some_and(|(_, fields)| {
        let mut names = fields.split(|char: char| !char.is_ascii_alphanumeric());
        names.any(|name| ["delete", "remove"].iter().any(|verb| name.starts_with(verb)))
    })
}

/// Returns `true` for the address of a server of one's own that is not a database's.
pub(super) fn is_own(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or(host);
    let (name, port) = host.rsplit_once(':').unwrap_or((host, ""));
    matches!(name, "localhost" | "127.0.0.1" | "[::1]") && !lists(PORTS, port)
}

/// Returns the addresses of `curl`; `None` if it has none that is known.
fn urls(words: &[Word]) -> Option<Vec<&str>> {
    const VALUED: &str = "AbcCdDeEFhHKmoPQrtTuUwxXyYzZ";
    const FLAGS: &[&str] = &[
        "compressed", "fail", "fail-early", "fail-with-body", "globoff", "http1.1", "http2", "include", "insecure",
        "ipv4", "ipv6", "location", "no-progress-meter", "progress-bar", "show-error", "silent", "verbose",
    ];
    let has_value = |option: &Word| {
        let text = option.literal().unwrap_or_default();
        match text.strip_prefix("--") {
            Some("url") => false,
            Some(name) => !name.contains('=') && !FLAGS.contains(&name),
            // The first letter with a value has what is behind it.
            None => {
                text.strip_prefix('-')
                    .and_then(|letters| letters.find(|letter| VALUED.contains(letter)))
                    == text.len().checked_sub(2)
            }
        }
    };
    let operands = crate::git::without_values(words, has_value).map(Word::known_start);
    let operands = operands.filter(|text| !text.starts_with('-'));
    let urls: Vec<&str> = operands
        .chain(words.iter().map(Word::known_start).filter(|text| text.contains("://")))
        .collect();
    (!urls.is_empty()).then_some(urls)
}
