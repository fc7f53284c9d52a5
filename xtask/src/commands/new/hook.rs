//! `cargo xtask new hook`: creates a file with a hook and its test, in a pack.

#![expect(clippy::disallowed_methods, reason = "the files belong to the workspace being built")]

use std::fmt::Write as _;
use std::fs;

use anyhow::anyhow;
use hookkit_protocol::event::{Denial, Event, MatcherTarget};
use hookkit_protocol::lint::{self, Origin};

use crate::binaries::sample;
use crate::cargo::metadata::Metadata;
use crate::cargo::undo::Undo;
use crate::commands::new::code::{Hook, Test, Tested};
use crate::commands::new::names;
use crate::commands::new::pack::{Pack, TESTING};
use crate::commands::new::template::{described, payload};
use crate::commands::prelude::*;
use crate::disk::files;
use crate::terminal::ensure_none;

#[derive(Args)]
#[command(after_help = "\
With a matcher that is one tool of an MCP server, it creates a type for the tool's input, too.

Examples: cargo xtask new hook my-hooks/protect-keys --event PreToolUse --matcher 'Edit|Write'
          cargo xtask new hook my-hooks/check-push --event PreToolUse --matcher Bash --if 'Bash(git push *)'
          cargo xtask new hook my-hooks/brief --event 'SessionStart|UserPromptSubmit' --test session
          cargo xtask new hook my-hooks/check-issue --event PreToolUse --matcher mcp__github__create_issue")]
pub(super) struct Options {
    /// The pack and the hook's name, which is the function's name in kebab-case
    #[arg(value_name = "PACK/NAME")]
    hook: String,
    /// The event that the hook runs on; for several, write `SessionStart|UserPromptSubmit`, or repeat the option
    #[arg(long = "event", value_name = "EVENT", required = true, value_delimiter = '|')]
    events: Vec<String>,
    /// Matcher, in Claude Code's language [default: every value of the event]
    #[arg(long)]
    matcher: Option<String>,
    /// Permission rule that a tool call must match as well: `Bash(git push *)`
    #[arg(long = "if", value_name = "RULE")]
    condition: Option<String>,
    /// Kind of test
    #[arg(long, value_enum, default_value = "recorded")]
    test: Test,
    #[command(flatten)]
    format: Format,
}

pub(super) fn run(options: &Options) -> Result<Done> {
    let (pack, name) =
        options.hook.split_once('/').with_context(|| format!("`{}` has no pack; write PACK/NAME", options.hook))?;
    let function = names::function(name)?;
    let (matcher, condition) = (options.matcher.as_deref(), options.condition.as_deref());
    let events = events(&options.events, matcher, condition)?;
    let metadata = Metadata::here()?;
    let place = Pack::of(&metadata, pack)?;
    let tested = events
        .iter()
        .map(|event| {
            let samples = sample::all(Path::new(sample::PROJECT))?;
            let (sample, is_recorded) = sample::of(samples, event, matcher)?;
            Ok(Tested { sample, is_recorded })
        })
        .collect::<Result<_>>()?;
    let hook = Hook { function: &function, events, matcher, condition, test: options.test, tested };
    let tested = hook.tested.iter().filter(|_| options.test == Test::Recorded);
    let payloads: Vec<(PathBuf, &Tested)> = tested
        .map(|tested| {
            let file = format!("tests/payloads/{}.json", hook.payload(tested.sample.event));
            (place.folder.join(file), tested)
        })
        .collect();
    let source = place.folder.join(format!("src/{function}.rs"));
    ensure_free(&metadata, &place, name, &function, &payloads)?;

    let mut undo = Undo::default();
    place.make(&metadata, &mut undo)?;
    let is_testing_new = place.test(&metadata, &mut undo)?;
    let mcp_tool = hook.mcp_tool();
    let is_serde_new = mcp_tool.is_some() && place.decode(&metadata, &mut undo)?;
    let library = place.folder.join("src/lib.rs");
    undo.note(&library)?;
    files::write(&library, with_module(&files::text(&library)?, &function))?;
    undo.create(&source, &hook.code())?;
    for (file, tested) in &payloads {
        undo.create(file, &payload(&tested.sample)?)?;
    }
    let mut rows = undo.keep()?;
    let names: Vec<&str> = hook.events.iter().map(|event| event.name).collect();
    let summary = json!({
        "hook": name,
        "event": names[0],
        "events": names,
        "matcher": matcher,
        "if": condition,
        "input": mcp_tool.as_ref().map(|tool| &tool.input),
        "package": place.package,
        "new_package": place.is_new,
        "recorded": hook.tested.iter().all(|tested| tested.is_recorded),
    });
    rows.push(row("summary", summary));

    let names = names.join(" and ");
    let mut text = Text::new();
    text.words(DONE, "Created").plain(" the hook `").bold(name).plain(format_args!("`, on {names}:\n\n"));
    let manifest = place.manifest();
    let mut files = vec![(&source, "the function and its test".to_owned())];
    files.extend(payloads.iter().map(|(file, tested)| (file, origin(tested))));
    files.push((&library, format!("`pub mod {function};`")));
    if place.is_new {
        files.push((&manifest, "its pack is new".to_owned()));
    } else if is_testing_new {
        files.push((&manifest, TESTING.to_owned()));
    }
    if let Some(tool) = mcp_tool.filter(|_| is_serde_new) {
        files.push((&manifest, format!("serde, which decodes `{}`", tool.input)));
    }
    described(&mut text, &metadata.workspace_root, files);
    text.plain("\nTest it: ")
        .command(format_args!("cargo test --package {}", place.package))
        .plain(format_args!("\nDocumentation of {names}: "))
        .command("cargo doc --open --package hookkit");
    options.format.print(text, &rows)
}

/// Describes the origin of a test's event.
fn origin(tested: &Tested) -> String {
    if tested.is_recorded {
        format!("the event that its test uses, a recorded {}", tested.sample.name())
    } else {
        format!("the event that its test uses, made from another {}: change it to a real one", tested.sample.event.name)
    }
}

/// Returns the events with these names.
///
/// # Errors
///
/// Fails for any combination that the attribute would reject.
fn events(names: &[String], matcher: Option<&str>, condition: Option<&str>) -> Result<Vec<&'static Event>> {
    let mut events: Vec<&'static Event> = Vec::new();
    for name in names {
        let name = name.trim();
        let event = sample::event_named(name)?;
        ensure!(!events.contains(&event), "`{name}` is given twice");
        events.push(event);
    }
    let alone = events.iter().find(|event| event.denial == Denial::Fail);
    if let (Some(alone), 2..) = (alone, events.len()) {
        bail!("{} needs an answer that no other event has; write a separate hook for it", alone.name);
    }
    for event in &events {
        let name = event.name;
        ensure!(matcher.is_some() || !event.watches_by_matcher(), "{}", lint::unwatched(event));
        if let Some(matcher) = matcher {
            let first = events[0];
            ensure!(
                event.matcher_target == first.matcher_target,
                "one matcher cannot fit both {} and {name}; write a hook for each",
                first.name
            );
            ensure!(
                event.matcher_target != MatcherTarget::Ignored,
                "the client ignores a matcher on {name}: the hook would run each time; leave the matcher out"
            );
            let faults: Vec<String> =
                lint::matcher(event, matcher, Origin::Attribute).iter().map(ToString::to_string).collect();
            ensure_none(&faults)?;
        }
        if let Some(condition) = condition {
            ensure!(
                event.evaluates_if(),
                "the client never runs a hook on {name} that has an `if`: it is for tool events"
            );
            lint::condition(event, condition, matcher, Origin::Attribute).map_err(|fault| anyhow!("{fault}"))?;
        }
    }
    Ok(events)
}

/// Checks that no hook in any pack has this name: names must be unique when several packs are installed.
fn ensure_free(
    metadata: &Metadata,
    place: &Pack,
    name: &str,
    function: &str,
    payloads: &[(PathBuf, &Tested)],
) -> Result<()> {
    let own = [format!("src/{function}.rs"), format!("src/{function}")].map(|path| place.folder.join(path));
    for path in own.iter().chain(payloads.iter().map(|(path, _)| path)) {
        ensure!(!path.exists(), "{} already exists; give the hook another name", path.display());
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
            let has_hook = text.contains("#[hook(") && declared.iter().any(|declared| text.contains(declared));
            ensure!(!has_hook, "{} has `{function}` already; give the hook another name", file.display());
        }
    }
    Ok(())
}

/// Returns the Rust files in a folder.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))? {
            let path = entry?.path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "rs" => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Returns a library's text with one more module, in rustfmt's order. All other text is unchanged.
fn with_module(library: &str, name: &str) -> String {
    let end = if library.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = library.split_inclusive('\n').collect();
    let module = |line: &str| {
        let line = line.trim_end();
        let name = line.strip_prefix("pub mod ").or_else(|| line.strip_prefix("mod "))?;
        Some(order(name.strip_suffix(';')?))
    };
    let is_above = |line: &&&str| line.starts_with("#[") || line.starts_with("///");
    let last = lines.iter().rposition(|line| line.starts_with("pub mod ") && module(line).is_some());
    let at = match last {
        Some(last) => {
            let first = last - lines[..last].iter().rev().take_while(|line| module(line).is_some()).count();
            let smaller = lines[first..=last].iter().rposition(|line| module(line) < Some(order(name)));
            match smaller {
                Some(smaller) => first + smaller + 1,
                // The lines directly above a module belong to it.
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

/// Returns the sort key for rustfmt's order: underscores come first.
fn order(name: &str) -> String {
    name.replace('_', "\0")
}

/// Returns the index of the first line after a file's documentation and attributes.
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
        let with_keys = |before: &str| with_module(before, "keys");
        test_support::lines!("lines/new-code.txt").check_section("a module among the others", with_keys);
    }
}
