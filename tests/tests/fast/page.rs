//! `docs/book/src/events.md` says what hookkit knows: it is written from the facts table, and from the documentation of the types.
//!
//! `SNAPSHOTS=overwrite cargo test -p hookkit-tests --test fast page` writes it anew.

use std::env;
use std::fmt::Write;

use hookkit::Mode;
use hookkit::testing::UNSEEN_EVENTS;
use hookkit_protocol::event::{Background, Denial, EVENTS, Event, MatcherTarget, Values};
use hookkit_tests::files::below;
use hookkit_tests::prelude::*;
use hookkit_tests::verdict::{Cell, Does, cells, rows};

/// The phrase in the docs of a method whose effect no row shows.
const UNTESTED: &str = "Untested: no headless session shows it.";

const HEAD: &str = include_str!("../../fixtures/pages/events.txt");

/// The end of the page.
const TAIL: &str = "
*This page is written by a test of hookkit, from its table of facts and from the documentation of its types, with which the
examples are compiled.*
";

/// An item of the library, as its source has it.
struct Item {
    /// Its documentation, line by line, without the slashes.
    docs: Vec<String>,
    /// The line that begins it.
    line: String,
}

/// Everything that is documented in these sources.
fn documented(source: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut docs = Vec::new();
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            docs.push(text.strip_prefix(' ').unwrap_or(text).to_owned());
        } else if !line.starts_with('#') && !line.starts_with("//") {
            let line = line.to_owned();
            items.push(Item { docs: std::mem::take(&mut docs), line });
        }
    }
    items
}

/// The sources of the library.
fn sources() -> Result<String> {
    let mut files = below(&repository().join("hookkit/src"), &|_| false)?;
    files.retain(|path| !path.ends_with("tests.rs"));
    files.iter().map(|file| Ok(fs::read_to_string(file)?)).collect()
}

/// Documentation as a page has it: what links within the library is a word.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once("[`") {
        let Some((word, behind)) = link.split_once("`]") else {
            break;
        };
        write!(plain, "{before}`{word}`").expect("a string can be written to");
        rest = match behind.strip_prefix('(').and_then(|target| target.split_once(')')) {
            Some((_, behind)) => behind,
            None => behind,
        };
    }
    plain + rest
}

fn target(event: &Event) -> String {
    match event.matcher_target {
        MatcherTarget::Ignored => "ignored: the hook runs each time".to_owned(),
        MatcherTarget::ToolName => "the tool's name, `tool_name`".to_owned(),
        MatcherTarget::Field { name, values: Values::Any } => format!("`{name}`"),
        MatcherTarget::Field { name, values: Values::Known(values) | Values::Only(values) } => {
            let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
            format!("`{name}`: {}", values.join(", "))
        }
        MatcherTarget::FileName => "the last component of `file_path`; it also says what is watched".to_owned(),
        MatcherTarget::Model => "the canonical name of the model in `to_model`".to_owned(),
    }
}

fn denial(event: &Event) -> &'static str {
    match event.denial {
        Denial::Impossible => "no",
        Denial::Block => "by `decision: \"block\"`, or exit code 2",
        Denial::Deny => "by `permissionDecision: \"deny\"`, or exit code 2",
        Denial::DenyRequest => "by `decision.behavior: \"deny\"` alone",
        Denial::Fail => "by any exit code but 0, or an answer without a path",
    }
}

/// Describes the effect of an `AsyncAnswer`.
fn background(event: &Event) -> String {
    let member = match event.has_context() {
        true => "additionalContext",
        false => "systemMessage",
    };
    match event.may_be_async() {
        false if event.background == Background::Fails => "fails: the client does not wait for the answer".to_owned(),
        false => "ignored: the client waits for the hook".to_owned(),
        true if UNSEEN_EVENTS.contains(&event.name) => {
            format!("`AsyncAnswer::with_context` is a `{member}`. {UNTESTED}")
        }
        true => format!("`AsyncAnswer::with_context`: the model reads the text later (`{member}`)"),
    }
}

/// A function's name, and the beginning of its documentation.
type Function = (String, String);

fn function(item: &Item) -> Option<Function> {
    let method = item.line.strip_prefix("pub fn ").or(item.line.strip_suffix(");"))?;
    let name = method.split(['(', '<']).next()?;
    let first = item.docs.split(String::is_empty).next()?.join(" ");
    Some((name.to_owned(), plain(&first).replace('|', "\\|")))
}

/// A method that several answers have with the same documentation, which is in the macro that makes it.
fn shared(name: &str, sources: &str) -> Option<Function> {
    let (_, arm) = sources.split_once(&format!("([] $name:ident {name}("))?;
    let docs = documented(arm).into_iter().find(|item| !item.docs.is_empty())?.docs;
    let line = format!("pub fn {name}(");
    function(&Item { docs, line })
}

/// Returns the answers of a handler, with their effects, by the documentation of the answer's functions; and the methods that
/// others have, too.
fn answers(event: &str, sources: &str) -> (Vec<Function>, Vec<Function>) {
    let alias = format!("{event}Answer");
    // Some events have the answer of another one, under a name of their own.
    let aliased = sources.split_once(&format!("\npub type {alias} = "));
    let name = aliased.map_or(alias.as_str(), |(_, rest)| rest.split(';').next().unwrap_or_default());
    let starts = [
        format!("\n    {name} on "),
        format!("\nimpl {name} {{\n"),
        format!("\nimpl<U> {name}<U> {{\n"),
        format!("\nimpl<T: UpdatedOutput> {name}<T> {{\n"),
    ];
    let Some((_, body)) = starts.iter().find_map(|start| sources.split_once(start)) else {
        return Default::default();
    };
    let body = body.split_once("\n}\n").map_or(body, |(body, _)| body);
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for item in documented(body) {
        let Some((name, what)) = function(&item).filter(|(name, _)| name != "pass") else {
            continue;
        };
        if item.docs.is_empty() {
            others.extend(shared(&name, sources));
        } else {
            own.push((format!("{alias}::{name}"), what));
        }
    }
    (own, others)
}

/// Returns the summary of an event, in a sentence.
fn summary(item: &Item) -> String {
    let first = item.docs.split(String::is_empty).next().unwrap_or_default().join(" ");
    plain(&first)
}

/// The type of an event.
fn documentation<'a>(event: &Event, items: &'a [Item]) -> Result<&'a Item> {
    let name = event.name;
    let starts = [format!("pub struct {name} "), format!("pub struct {name}<"), format!("{name};")];
    let is_it = |item: &&Item| !item.docs.is_empty() && starts.iter().any(|start| item.line.starts_with(start));
    let item = items.iter().find(is_it);
    item.with_context(|| format!("{name} has no documentation"))
}

/// All events, and what many answers have in common.
fn overview(items: &[Item], sources: &str) -> Result<String> {
    let mut page = "\n| event | when |\n|---|---|\n".to_owned();
    for event in EVENTS {
        let name = event.name;
        let when = summary(documentation(event, items)?);
        writeln!(page, "| [{name}](#{}) | {when} |", name.to_lowercase())?;
    }
    writeln!(page, "\nMany answers have some of these, too:\n\n| | |\n|---|---|")?;
    let mut message: Vec<Function> = Vec::new();
    for (name, what) in EVENTS.iter().flat_map(|event| answers(event.name, sources).1) {
        if !message.iter().any(|(known, _)| *known == name) {
            writeln!(page, "| `{name}` | {what} |")?;
            message.push((name, what));
        }
    }
    Ok(page)
}

fn section(event: &Event, items: &[Item], sources: &str) -> Result<String> {
    let name = event.name;
    let item = documentation(event, items)?;
    let text = item.docs.join("\n");
    let mut parts = text.splitn(3, "```");
    let (prose, code) = (parts.next().unwrap_or_default(), parts.next());
    let code = code.with_context(|| format!("{name} has no example"))?;
    let shown: Vec<&str> = code.trim().lines().filter(|line| !line.starts_with("# ")).collect();

    let mut page = format!("\n## {name}\n\n{}\n\n", plain(prose.trim()));
    writeln!(page, "| | |\n|---|---|")?;
    writeln!(page, "| since | client {} |", event.since)?;
    writeln!(page, "| `matcher` | {} |", target(event))?;
    let is_evaluated = match event.evaluates_if() {
        true => "evaluated",
        false => "not evaluated: the hook would never run",
    };
    writeln!(page, "| `if` | {is_evaluated} |")?;
    let seconds = f64::from(event.default_timeout) / 1000.0;
    writeln!(page, "| the client waits | {seconds} s |")?;
    writeln!(page, "| can be denied | {} |", denial(event))?;
    writeln!(page, "| `async` | {} |", background(event))?;
    let (own, others) = answers(name, sources);
    for (answer, what) in own {
        writeln!(page, "| `{answer}` | {what} |")?;
    }
    let mut also: Vec<String> = others.into_iter().map(|(name, _)| format!("`{name}`")).collect();
    let traits = sources.split_once(&format!("\n    {name} = ")).and_then(|(_, behind)| behind.lines().next());
    if traits.is_some_and(|traits| traits.contains("TakesContext")) {
        also.push("`ContextAnswer`".to_owned());
    }
    if event.takes_json() {
        also.push("`TerminalAnswer`".to_owned());
    }
    if !also.is_empty() {
        writeln!(page, "| also | {} |", also.join(", "))?;
    }
    writeln!(page, "\n```rust\n{}\n```", shown.join("\n"))?;
    Ok(page)
}

#[test]
fn the_page_of_events_is_what_the_library_says() -> Result<()> {
    let sources = sources()?;
    let mut items = documented(&sources);
    items.retain(|item| !item.docs.is_empty());
    let mut page = HEAD.to_owned() + &overview(&items, &sources)?;
    for event in EVENTS {
        page += &section(event, &items, &sources)?;
    }
    page += TAIL;
    hookkit_tests::snapshot("docs/book/src/events.md", &page)
}

/// The parts of an answer that a method writes, as the table of outputs has them.
fn written<'c>(method: &str, docs: &str, cells: &[&'c Cell]) -> Vec<&'c Cell> {
    let method = method.rsplit("::").next().unwrap_or_default();
    let table: Lines = lines!("lines/page.txt");
    let more = table.section("that a method writes and its docs do not name");
    let is_written = |cell: &&&Cell| {
        let part = cell.part.to_string();
        let part = part.trim_matches('`');
        docs.contains(&format!("(`{part}`")) || more.rows.iter().any(|row| row.fields() == [method] && row.line == part)
    };
    cells.iter().filter(is_written).copied().collect()
}

#[test]
fn the_docs_of_each_method_say_what_the_table_of_outputs_says() -> Result<()> {
    let sources = sources()?;
    let table = cells(&rows());
    let (mut faults, mut compared) = (Vec::new(), 0);
    for event in EVENTS {
        let of_event = table.iter().filter(|cell| cell.event.name == event.name);
        let of_event: Vec<&Cell> = of_event.filter(|cell| cell.mode == Mode::Awaited).collect();
        let (own, others) = answers(event.name, &sources);
        for (method, docs) in own.iter().chain(&others) {
            let cells = written(method, docs, &of_event);
            let is_untested = cells.iter().any(|cell| cell.row.is_none());
            let says_so = docs.contains(UNTESTED);
            let does = |does: Does| cells.iter().any(|cell| cell.outcome.does.contains(&does));
            let mut fault = |fault: &str| faults.push(format!("{} {method}: {fault}", event.name));
            compared += usize::from(!cells.is_empty());
            if is_untested && !says_so {
                fault("untested, and the docs do not say so");
            }
            if cells.is_empty() || says_so {
                continue;
            }
            if cells.iter().all(|cell| cell.outcome.does.is_empty()) {
                fault("the client drops it");
            }
            let reads = |who: &str| ["reads", "sees"].iter().any(|verb| docs.contains(&format!("{who} {verb}")));
            if reads("model") && !docs.contains("model reads nothing") && !does(Does::TellsModel) && !does(Does::Acts) {
                fault("the model does not read it");
            }
            if reads("user") && !does(Does::TellsUser) && !does(Does::Acts) {
                fault("the user does not see it");
            }
        }
    }
    assert_eq!(faults, Vec::<String>::new());
    assert!(compared > 100, "{compared} methods write a part that the table has");
    Ok(())
}
