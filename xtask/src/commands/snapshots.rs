//! `cargo xtask snapshots`: shows and restores a project's files as they were before each tool call.

use std::env;
use std::io::ErrorKind;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Subcommand;
use hookkit_secrets::{files, masked};
use hookkit_snapshot::{Call, Content};

use crate::commands::prelude::*;
use crate::diagnose::fix::{coloured, unified};
use crate::disk::beneath::Beneath;
use crate::disk::bounded::plain;
use crate::disk::restore::Restore;
use crate::history::kept::{RESTORE, Snapshots};
use crate::history::times::iso;
use crate::terminal::rows::changed_file;
use crate::terminal::{extend, joined, program, without_middle};

pub(crate) const EXAMPLES: &str = "The hook keep-snapshots takes snapshots. Without a command, the calls are listed. \
                                   Only a person can restore and prune; contents of files with secrets are not \
                                   shown.

Examples: cargo xtask snapshots
          cargo xtask snapshots diff 12 \
                                   13
          cargo xtask snapshots restore 12 src notes.txt";

#[derive(Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    action: Option<Action>,
    /// The project [default: the current folder's]
    #[arg(long, value_name = "DIR", global = true)]
    project: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

#[derive(Subcommand)]
enum Action {
    /// Show how files differ from a snapshot
    Diff {
        /// Number of the snapshot
        from: u64,
        /// Number of another snapshot [default: the current files]
        to: Option<u64>,
    },
    /// Restore files; the current ones are kept as a snapshot first, and other files stay
    Restore {
        /// Number of the snapshot
        from: u64,
        /// Files and folders [default: all]
        files: Vec<PathBuf>,
    },
    /// Remove old snapshots
    Prune {
        /// Remove all snapshots
        #[arg(long)]
        all: bool,
    },
}

pub(crate) fn run(options: &Options) -> Result<Done> {
    let mut snapshots = Snapshots::of(options.project.as_deref())?;
    let (text, rows) = match &options.action {
        None => list(&snapshots)?,
        Some(Action::Diff { from, to }) => {
            let to = to.map_or_else(|| snapshots.now("diff", from.to_string()), Ok)?;
            differences(&snapshots, *from, to)?
        }
        Some(Action::Restore { from, files }) => restore(&mut snapshots, *from, files)?,
        Some(Action::Prune { all }) => {
            let count = snapshots.trees.len();
            let removed = match all {
                true => snapshots.store.clear().map(|()| count)?,
                false => snapshots.store.expire()?,
            };
            let text = format!("Removed {}; {} are left.", counted(removed, "snapshot"), count - removed);
            (text.into(), vec![row("summary", json!({"removed": removed, "left": count - removed}))])
        }
    };
    options.format.print(text, &rows)
}

/// Lists the calls, and the files that are not in the last snapshot.
fn list(snapshots: &Snapshots) -> Result<(Text, Vec<Value>)> {
    let (mut text, mut rows, mut session) = (Text::new(), Vec::new(), None);
    let is_kept = |call: &Call| snapshots.trees.contains_key(&call.number);
    let mut calls = snapshots.calls.iter().peekable();
    while let Some(call) = calls.next() {
        if session.replace(&call.session) != Some(&call.session) {
            let name = if call.session.is_empty() { "Commands of xtask" } else { &call.session };
            text.bold(one_line(name)).line_end();
        }
        let changed = match calls.peek() {
            Some(next) if is_kept(call) && is_kept(next) && next.number == call.number => Some(BTreeSet::new()),
            Some(next) if is_kept(call) && is_kept(next) => Some(snapshots.store.changed(call.number, next.number)?),
            _ => None,
        };
        let number = match call.number {
            0 => "-".to_owned(),
            number => number.to_string(),
        };
        text.plain(format_args!("{number:>6}  {}  ", &iso(call.time())[..19])).hang();
        describe(call, &mut text);
        if !is_kept(call) {
            let why = call.missed.as_deref().unwrap_or("the hook did not end");
            text.words(WARNING, format_args!(": no snapshot: {}", one_line(why)));
        } else if let Some(changed) = changed.as_ref().filter(|changed| !changed.is_empty()) {
            text.dimmed(format_args!(": {} changed", counted(changed.len(), "file")));
        }
        text.line_end();
        let mut row = row("call", call);
        extend(&mut row, json!({"time": iso(call.time()), "is_kept": is_kept(call), "changed": changed}));
        rows.push(row);
    }
    if let Some(last) = snapshots.trees.keys().next_back() {
        let left_out = snapshots.store.left_out(*last)?;
        rows.extend(left_out.lines().map(|name| row("left_out", json!({"name": name}))));
        if !left_out.is_empty() {
            text.bold("Left out of the last snapshot").line_end().plain(left_out);
        }
    }
    Ok((text, rows))
}

/// Describes a call on one line.
pub(crate) fn describe(call: &Call, text: &mut Text) {
    text.bold(one_line(&call.tool));
    text.plain(' ').plain(without_middle(&one_line(&call.about), 70));
}

/// Compares two snapshots.
fn differences(snapshots: &Snapshots, from: u64, to: u64) -> Result<(Text, Vec<Value>)> {
    let (before, after) = (snapshots.files(from)?, snapshots.files(to)?);
    let (mut text, mut rows) = (Text::new(), Vec::new());
    for path in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
        let sides = [before.get(path), after.get(path)];
        if sides[0] == sides[1] {
            continue;
        }
        let kind = |side: Option<&Content>| match side.map(|content| content.mode) {
            None => "none".to_owned(),
            Some(None) => "link".to_owned(),
            Some(Some(mode)) => format!("{mode:o}"),
        };
        let name = one_line(path.display());
        text.path(&name).plain(format_args!(": {} → {}\n", kind(sides[0]), kind(sides[1])));
        let texts = sides.map(|side| side.map(|content| text_of(snapshots, path, content)).transpose());
        let [before, after] = texts.map(|text| text.map(Option::unwrap_or_default));
        let (before, mut after) = (before?, after?);
        if before == after && matches!(sides, [Some(before), Some(after)] if before.id != after.id) {
            // A secret, or a file that is not displayed.
            let end = if after.is_empty() || after.ends_with('\n') { "" } else { "\n" };
            after += &format!("{end}(other content, which is not shown)\n");
        }
        let lines = unified(&name, &before, &after);
        // The last line has no end.
        text.append(coloured(&lines)).plain(if lines.is_empty() { "" } else { "\n" });
        let side = |side: Option<&Content>, text: &str| side.map(|_| text.as_bytes().to_vec());
        let (before, after) = (side(sides[0], &before), side(sides[1], &after));
        rows.extend(changed_file(path, before.as_deref(), after.as_deref()));
    }
    Ok((text, rows))
}

/// Maximum size of a text for line-by-line comparison, in bytes.
const LONGEST: u64 = 1 << 20;

/// Returns a file's content as text without secrets.
fn text_of(snapshots: &Snapshots, path: &Path, content: &Content) -> Result<String> {
    let home = env::home_dir().unwrap_or_default();
    let kind = files::kind(path, &home, |_, _| Err(ErrorKind::NotFound.into()));
    if content.size > LONGEST {
        return Ok(format!("(too long to show, {} bytes)\n", content.size));
    }
    let bytes = snapshots.store.contents(&[&content.id])?.concat();
    Ok(match (kind, String::from_utf8(bytes)) {
        (None, Ok(text)) if !text.contains('\0') => masked(&text).into_owned(),
        (kind, _) => format!("({}, {} bytes)\n", kind.unwrap_or("not a text"), content.size),
    })
}

fn restore(snapshots: &mut Snapshots, from: u64, files: &[PathBuf]) -> Result<(Text, Vec<Value>)> {
    let mut wanted = snapshots.files(from)?;
    let here = env::current_dir()?.canonicalize()?;
    let mut chosen = Vec::new();
    for file in files {
        let path = plain(&here.join(file));
        let below = path.strip_prefix(&snapshots.root).ok();
        let below = below.with_context(|| format!("{} is not in {}", file.display(), snapshots.root.display()))?;
        ensure!(
            wanted.keys().any(|path| path.starts_with(below)),
            "snapshot {from} does not have {}; nothing was changed",
            file.display()
        );
        chosen.push(below.to_owned());
    }
    let about = joined(chosen.iter().map(|path: &PathBuf| path.display().to_string()), " ");
    let since = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let now = snapshots.now(RESTORE, format!("{from} {about}"))?;
    let present = snapshots.files(now)?;
    wanted.retain(|path, content| {
        (chosen.is_empty() || chosen.iter().any(|chosen| path.starts_with(chosen)))
            && present.get(path) != Some(content)
    });
    let restore = Restore {
        root: Beneath::project(&snapshots.root),
        is_kept: &|path: &Path| present.contains_key(path),
        since,
        aside: format!(".before-restore-{from}"),
    };
    let mut rows = Vec::new();
    let written = snapshots.each(&wanted, |path, content, bytes| {
        restore.write(path, content, bytes)?;
        rows.push(row("restored", json!({"file": path.display().to_string()})));
        Ok(())
    });
    let undo = format!("{} snapshots restore {now}", program());
    written.with_context(|| format!("{} were restored; to undo it: {undo}", counted(rows.len(), "file")))?;
    let mut text = Text::new();
    text.plain(format_args!("Restored {} of snapshot {from} in ", counted(rows.len(), "file")));
    text.path(shown(&snapshots.root)).plain(".\nTo undo it: ").command(undo);
    Ok((text, rows))
}
