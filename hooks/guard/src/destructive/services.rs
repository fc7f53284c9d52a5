//! Services that a line reaches through their programs or by requests.
//!
//! Commands that delete are asked about; commands that only read or change pass.

use super::ask;
use crate::prelude::*;
use crate::words::start;

/// Returns the danger of a service's command.
pub(super) fn delete(command: &Command) -> Option<Found> {
    if effects::deletes(command) && !is_local(command) || deletes_by_method(command) {
        ask(command, "deletes from a service")
    } else {
        None
    }
}

/// Returns `true` for a command of a service that the user's own machine imitates: `aws --endpoint-url http://localhost:4566`.
pub(super) fn is_local(command: &Command) -> bool {
    const OPTION: &str = "--endpoint-url";
    if !command.starts().any(|word| word.starts_with(OPTION)) {
        return false;
    }
    let words: Vec<&str> = command.starts().flat_map(|word| word.splitn(2, '=')).collect();
    words.windows(2).filter(|pair| pair[0] == OPTION).all(|pair| is_own(pair[1]))
}

/// Ports of databases and search engines, whose data matters even on the user's own machine.
const PORTS: &str = "5984 7700 8086 8108 8500 9200 9201";

/// Returns `true` for a request that deletes, except on the user's own server, where it is a test.
fn deletes_by_method(command: &Command) -> bool {
    // Each command of a line gets here.
    const PROGRAMS: &str = "az curl gh glab http https httpie wget wget2 xh xhs";
    let read = Some(command).filter(|command| command.is(PROGRAMS));
    let Some(read) = read.and_then(Read::of) else {
        return false;
    };
    let is_delete = |text: &str| text.trim_start_matches('=').eq_ignore_ascii_case("delete");
    let by_option = read.values(Role::Method).iter().filter_map(|method| literal(method)).any(is_delete);
    let mut words = command.literals();
    match read.program.name {
        "curl" => by_option && !are_own(&read),
        "gh" => by_option || words.any(is_mutation),
        "http" | "httpie" | "xh" => {
            (words.next().is_some_and(is_delete) || words.any(|word| word == "DELETE")) && !are_own(&read)
        }
        _ => by_option,
    }
}

/// Returns `true` if a request has addresses, and all are the user's own servers.
fn are_own(read: &Read) -> bool {
    let of_options = read.values(Role::Address);
    let of_options = of_options.iter().map(|value| start(value));
    let operands: Vec<String> = read.words().into_iter().map(text).collect();
    let operands = operands.iter().map(String::as_str);
    // Other words are values of options without a row.
    let is_address = |word: &&str| word.is_empty() || word.contains(['.', ':', '/']) || word.starts_with("localhost");
    let mut addresses = operands.chain(of_options).filter(is_address).peekable();
    addresses.peek().is_some() && addresses.all(is_own)
}

/// Returns a word's text, with an address's bracket (`http://[::1]`), which a shell reads as a pattern.
fn text(word: &Word) -> String {
    let parts = word.parts.iter().map(|part| match part {
        Part::Literal(text) => text,
        Part::Expansion(it) if it.kind == ExpansionKind::Bracket => "[",
        Part::Expansion(_) => "…",
    });
    parts.collect()
}

/// Returns `true` for a GraphQL request that deletes: `query=mutation { deleteIssue(…) }`.
fn is_mutation(text: &str) -> bool {
    text.split_once('=')
        .and_then(|(_, query)| query.split_once("mutation"))
        .is_some_and(|(_, fields)| parts(fields, "").any(|name| begins("delete remove", name)))
}

/// Returns `true` for the address of the user's own server, except a database's.
pub(super) fn is_own(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest).split(['/', '?']).next().unwrap_or_default();
    let host = after_last(host, '@');
    let (name, port) = host.rsplit_once(':').unwrap_or((host, ""));
    // `http` adds the name to `:3000/x`.
    (lists("0.0.0.0 127.0.0.1 [::1] localhost", name) || name.is_empty() && url.starts_with(':')) && !lists(PORTS, port)
}
