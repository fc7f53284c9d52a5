//! `cargo xtask new hook`: a file with a hook and its test, in a pack.

#![expect(
    clippy::disallowed_methods,
    reason = "the files are those of a workspace that is built"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use hookkit_protocol::event::{self, Denial, EVENTS, Event, MatcherTarget};
use hookkit_protocol::lint::{self, Origin, near};
use hookkit_protocol::output::Block;
use hookkit_protocol::tool;
use serde_json::json;

use crate::build::definition::UNWRITTEN;
use crate::build::sample;
use crate::cargo::metadata::Metadata;
use crate::commands::new::made::Made;
use crate::commands::new::names;
use crate::commands::new::pack::Pack;
use crate::commands::new::template::{filled, on_failure, payload};
use crate::terminal::listed;
use crate::terminal::rows::{Format, row};
use crate::terminal::style::DONE;
use crate::terminal::text::Text;

#[derive(Args)]
pub(super) struct Options {
    /// The pack and the hook's name, which is the function's name in kebab-case
    #[arg(value_name = "PACK/NAME")]
    hook: String,
    /// The event that the hook runs on
    #[arg(long)]
    event: String,
    /// Matcher, in Claude Code's language [default: the event's every value]
    #[arg(long)]
    matcher: Option<String>,
    #[command(flatten)]
    format: Format,
}

pub(super) fn run(options: &Options) -> Result<()> {
    let (pack, name) = options
        .hook
        .split_once('/')
        .with_context(|| format!("`{}` names no pack; write PACK/NAME", options.hook))?;
    let function = names::function(name)?;
    let event = known(&options.event)?;
    if let Some(matcher) = &options.matcher {
        check(event, matcher)?;
    }
    let metadata = Metadata::of(&env::current_dir()?)?;
    let place = Pack::of(&metadata, pack)?;
    ensure_free(&metadata, &place, name, &function)?;
    let samples = sample::all(Path::new(sample::PROJECT))?;
    let (sample, is_recorded) = sample::of(samples, event, options.matcher.as_deref())?;

    let mut made = Made::default();
    place.make(&metadata, &mut made)?;
    let is_testing_new = place.test(&metadata, &mut made)?;
    let library = place.folder.join("src/lib.rs");
    made.changes(&library)?;
    let before = fs::read_to_string(&library).with_context(|| format!("reading {}", library.display()))?;
    fs::write(&library, with_module(&before, &function)).with_context(|| format!("writing {}", library.display()))?;
    let source = place.folder.join(format!("src/{function}.rs"));
    let matcher = options.matcher.as_deref();
    made.file(&source, &code(event, matcher, is_recorded, &function))?;
    let event_file = place.folder.join(format!("tests/payloads/{function}.json"));
    made.file(&event_file, &payload(&sample)?)?;
    made.format();
    let mut rows = made.rows()?;
    made.keep();
    let summary = json!({
        "hook": name,
        "event": event.name,
        "matcher": options.matcher,
        "package": place.package,
        "new_package": place.is_new,
        "recorded": is_recorded,
    });
    rows.push(row("summary", summary)?);

    let within = |path: &Path| {
        path.strip_prefix(&metadata.workspace_root)
            .unwrap_or(path)
            .display()
            .to_string()
    };
    let mut text = Text::new();
    text.words(DONE, "Created")
        .plain(" the hook `")
        .bold(name)
        .plain(format_args!("`, on {}:\n\n", event.name));
    let origin = match is_recorded {
        true => format!("the event that its test uses, a recorded {}", sample.name()),
        false => format!(
            "the event that its test uses, made from another {}: change it to a real one",
            event.name
        ),
    };
    for (path, what) in [
        (&source, "the function and its test"),
        (&event_file, &origin),
        (&library, &format!("`pub mod {function};`")),
    ] {
        text.plain("  ")
            .path(within(path))
            .plain(format_args!("\n      {what}\n"));
    }
    let manifest = within(&place.folder.join("Cargo.toml"));
    if place.is_new {
        text.plain("  ").path(manifest).plain("\n      its pack is new\n");
    } else if is_testing_new {
        text.plain("  ")
            .path(manifest)
            .plain("\n      hookkit's `testing`, for the pack's tests\n");
    }
    text.plain("\nTest it: ")
        .command(format_args!("cargo test --package {}", place.package));
    text.plain(format_args!("\nDocumentation of {}: ", event.name));
    text.command("cargo doc --open --package hookkit");
    options.format.print(text, &rows)
}

/// The event of this name.
fn known(name: &str) -> Result<&'static Event> {
    let names = EVENTS.iter().map(|event| event.name);
    match (event::event(name), near(name, names.clone())) {
        (Some(event), _) => Ok(event),
        (None, Some(meant)) => bail!("there is no event `{name}`; did you mean `{meant}`?"),
        (None, None) => bail!("there is no event `{name}`; there are {}", listed(names)),
    }
}

/// Refuses a matcher that the attribute would refuse.
fn check(event: &Event, matcher: &str) -> Result<()> {
    let faults = lint::matcher(event, matcher, Origin::Attribute);
    let message: Vec<String> = faults.iter().map(ToString::to_string).collect();
    ensure!(message.is_empty(), "{}", message.join("\n"));
    Ok(())
}

/// Refuses a name that a hook has, in any pack: where they are installed, each has its own.
fn ensure_free(metadata: &Metadata, place: &Pack, name: &str, function: &str) -> Result<()> {
    for path in [
        format!("src/{function}.rs"),
        format!("src/{function}"),
        format!("tests/payloads/{function}.json"),
    ] {
        let path = place.folder.join(path);
        ensure!(
            !path.exists(),
            "{} is there already; give the hook another name",
            path.display()
        );
    }
    if !place.is_new {
        let library = fs::read_to_string(place.folder.join("src/lib.rs"))?;
        let is_module =
            |line: &str| line.trim_start().trim_start_matches("pub ").strip_prefix("mod ") == Some(function);
        let mut modules = library.lines().filter_map(|line| line.split([';', '{']).next());
        ensure!(
            !modules.any(|line| is_module(line.trim_end())),
            "the pack `{}` has a module `{function}` already; give the hook another name",
            place.package
        );
    }
    let declared = [format!("pub fn {function}("), format!("name = \"{name}\"")];
    for package in metadata.packages.iter().filter(|package| package.is_pack()) {
        for file in sources(&package.folder().join("src"))? {
            let text = fs::read_to_string(&file).unwrap_or_default();
            ensure!(
                !(text.contains("#[hook(") && declared.iter().any(|declared| text.contains(declared))),
                "{} has `{function}` already; give the hook another name",
                file.display()
            );
        }
    }
    Ok(())
}

/// The Rust files of a folder.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))? {
            let path = entry?.path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    Ok(files)
}

/// The file with the hook and its test.
fn code(event: &Event, matcher: Option<&str>, is_recorded: bool, function: &str) -> String {
    let template = match event.name {
        "WorktreeCreate" => include_str!("templates/worktree.rs"),
        _ => include_str!("templates/hook.rs"),
    };
    let (answers, body) = match event.is_read() {
        true => (
            format!(" -> {}Answer", event.name),
            format!("{}Answer::pass()", event.name),
        ),
        false => (
            String::new(),
            "// The client does not wait for an answer: only what it does here counts.".to_owned(),
        ),
    };
    let input = input(event, matcher.filter(|_| is_recorded));
    let argument = match input {
        Some(input) => format!("{}<tool::{input}>", event.name),
        None => event.name.to_owned(),
    };
    let option = matcher
        .map(|matcher| format!(", matcher = {matcher:?}"))
        .unwrap_or_default();
    filled(
        template,
        &[
            ("unwritten", UNWRITTEN),
            ("event", event.name),
            ("matcher", &option),
            ("type", &argument),
            ("name", function),
            ("on_failure", on_failure(event)),
            ("answers", &answers),
            ("refused", &refused(event, function)),
            ("body", &body),
        ],
    )
}

/// Returns an assertion that the hook denies, as a template for its author; nothing where it cannot.
fn refused(event: &Event, function: &str) -> String {
    let assertion = match event.block {
        _ if event.denial == Denial::Impossible => return String::new(),
        Block::EndsTurn => return String::new(),
        Block::KeepsGoing => "assert_kept_going",
        _ => "assert_denied",
    };
    format!("        // What it denies: testing::run({function}::DEF, &…).{assertion}(\"why\");\n")
}

/// The type of what a tool is called with, where it is one tool that was recorded, or a set with a type of its own.
fn input(event: &Event, matcher: Option<&str>) -> Option<String> {
    let matcher = matcher.filter(|_| event.matcher_target == MatcherTarget::ToolName)?;
    let mut tools: Vec<&str> = matcher.split('|').collect();
    tools.sort_unstable();
    match *tools {
        ["Edit", "Write"] => Some("FileChange".to_owned()),
        ["Edit", "NotebookEdit", "Write"] => Some("TextChange".to_owned()),
        ["Edit", "Read", "Write"] => Some("FileAccess".to_owned()),
        [one] if tool::is_built_in(one) => Some(one.to_owned()),
        _ => None,
    }
}

/// A library with one more module, among those that are there, in rustfmt's order; all else stays as it is.
fn with_module(library: &str, name: &str) -> String {
    let end = if library.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = library.split_inclusive('\n').collect();
    let module = |line: &str| {
        let line = line.trim_end();
        let name = line.strip_prefix("pub mod ").or_else(|| line.strip_prefix("mod "))?;
        Some(order(name.strip_suffix(';')?))
    };
    let is_above = |line: &&&str| line.starts_with("#[") || line.starts_with("///");
    let last = lines
        .iter()
        .rposition(|line| line.starts_with("pub mod ") && module(line).is_some());
    let at = match last {
        Some(last) => {
            let of_group = |line: &&&str| module(line).is_some();
            let first = last - lines[..last].iter().rev().take_while(of_group).count();
            let smaller = lines[first..=last]
                .iter()
                .rposition(|line| module(line) < Some(order(name)));
            match smaller {
                Some(smaller) => first + smaller + 1,
                // What is above a module belongs to it.
                None => first - lines[..first].iter().rev().take_while(is_above).count(),
            }
        }
        None => behind_head(&lines),
    };
    let (before, behind) = lines.split_at(at);
    let mut text = before.concat();
    if !text.is_empty() && !text.ends_with('\n') {
        text += end;
    }
    if last.is_none() && !text.is_empty() && !text.ends_with(&format!("{end}{end}")) {
        text += end;
    }
    let _ = write!(text, "pub mod {name};{end}");
    if last.is_none() && behind.first().is_some_and(|line| !line.trim().is_empty()) {
        text += end;
    }
    text + &behind.concat()
}

/// As rustfmt sorts: an underscore comes before all else.
fn order(name: &str) -> String {
    name.replace('_', "\0")
}

/// The line behind the documentation and the attributes of a whole file.
fn behind_head(lines: &[&str]) -> usize {
    let mut at = 0;
    let mut is_attribute = false;
    for (index, line) in lines.iter().enumerate() {
        let line = line.trim();
        is_attribute |= line.starts_with("#![");
        if !is_attribute && !line.starts_with("//!") && !line.is_empty() {
            break;
        }
        is_attribute &= !line.ends_with(']');
        at = index + 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_among_the_others_and_nothing_else_moves() {
        for (before, after) in [
            ("", "pub mod keys;\n"),
            ("//! Hooks.\n\n", "//! Hooks.\n\npub mod keys;\n"),
            ("//! Hooks.", "//! Hooks.\n\npub mod keys;\n"),
            (
                "//! Hooks.\n\npub mod a;\npub mod z;\n",
                "//! Hooks.\n\npub mod a;\npub mod keys;\npub mod z;\n",
            ),
            ("pub mod a;", "pub mod a;\npub mod keys;\n"),
            ("pub mod keys_of_all;\n", "pub mod keys;\npub mod keys_of_all;\n"),
            (
                "pub mod key_s;\npub mod l;\n",
                "pub mod key_s;\npub mod keys;\npub mod l;\n",
            ),
            (
                "/// Its own.\n#[cfg(unix)]\npub mod z;\n",
                "pub mod keys;\n/// Its own.\n#[cfg(unix)]\npub mod z;\n",
            ),
            (
                "mod b;\npub mod z;\n\nuse b::B;\n",
                "mod b;\npub mod keys;\npub mod z;\n\nuse b::B;\n",
            ),
            (
                "//! H.\r\n\r\npub mod a;\r\n",
                "//! H.\r\n\r\npub mod a;\r\npub mod keys;\r\n",
            ),
            (
                "//! H.\n\n#![allow(\n    dead_code\n)]\n\nuse hookkit::prelude::*;\n",
                "//! H.\n\n#![allow(\n    dead_code\n)]\n\npub mod keys;\n\nuse hookkit::prelude::*;\n",
            ),
        ] {
            assert_eq!(with_module(before, "keys"), after);
        }
    }

    #[test]
    fn what_was_recorded_of_one_tool_is_typed() -> Result<()> {
        for (matcher, expected) in [
            (None, None),
            (Some("Bash"), Some("Bash")),
            (Some("Write|Edit"), Some("FileChange")),
            (Some("Edit|Write|NotebookEdit"), Some("TextChange")),
            (Some("Read|Edit|Write"), Some("FileAccess")),
            (Some("Bash|Read"), None),
            (Some("mcp__srv__echo"), None),
        ] {
            assert_eq!(input(&event::PRE_TOOL_USE, matcher).as_deref(), expected);
        }
        assert_eq!(input(&event::NOTIFICATION, Some("Bash")), None);
        Ok(())
    }

    #[test]
    fn a_guard_is_reported_of_on_failure_and_its_test_of_the_assertion() {
        for (event, failure, assertion) in [
            (
                &event::PRE_TOOL_USE,
                Some(
                    "// It denies if it fails. Write `on_failure = block` to deny even where its binary is missing, as in a fresh clone.",
                ),
                Some("testing::run(guard::DEF, &…).assert_denied(\"why\")"),
            ),
            // The client honors no `onFailure` here.
            (
                &event::STOP,
                Some("// Write `on_failure = block` to deny whenever it fails."),
                Some("testing::run(guard::DEF, &…).assert_kept_going(\"why\")"),
            ),
            (&event::NOTIFICATION, None, None),
        ] {
            let code = code(event, None, true, "guard");
            let line = |part: &str| code.lines().find(|line| line.contains(part));
            assert_eq!(line("on_failure"), failure, "{code}");
            assert!(
                line("testing::run_recorded(guard::DEF, RECORDED).assert_passed();").is_some(),
                "{code}"
            );
            let expected = assertion.map(|assertion| format!("        // What it denies: {assertion};"));
            assert_eq!(line("testing::run("), expected.as_deref(), "{code}");
        }
    }
}
