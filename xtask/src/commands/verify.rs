//! `cargo-hookkit verify`: compares a checkout with its team's reviewed list, or a package with its sources.

mod package;

use crate::commands::prelude::*;
use crate::diagnose::reviewed::collect;
use crate::diagnose::reviewed::entry::Entry;
use crate::diagnose::reviewed::found::Found;
use crate::diagnose::reviewed::list::{self, Difference, FILE, List};
use crate::settings::scope::project_root;
use crate::terminal::{ADDED, REMOVED, cut, option};

#[derive(Args)]
#[command(after_help = "Examples:
  cargo-hookkit verify
  cargo-hookkit verify --accept
  cargo-hookkit verify \
                        --project ../app --against origin/main
  cargo xtask verify dist

Without DIR it compares \
                        .claude/hookkit.reviewed with everything that Claude Code runs because of the checkout: \
                        hooks,
commands in settings, MCP servers, plugins, and the files that these name. It runs \
                        nothing of the checkout, and needs no
workspace.
Start the program by its own name: cargo \
                        would first read the .cargo/config.toml and the rust-toolchain.toml of the
checkout, which \
                        can start another program in its place.
With DIR, run it in the hooks' workspace, at the \
                        commit from which the package was built: it builds the programs again,
and compares all files \
                        byte for byte.
Exit codes: 0 nothing differs, 1 differences, 2 refused or failed; with \
                        --accept, 1 means that something cannot be read.")]
pub(crate) struct Options {
    /// Folder of a package, or of a marketplace with packages [default: verify the checkout of the project]
    #[arg(value_name = "DIR", conflicts_with_all = ["project", "accept", "against"])]
    folder: Option<PathBuf>,
    /// Project: a checkout [default: the git repository around the current folder]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Write the checkout's current state to the reviewed list, .claude/hookkit.reviewed
    #[arg(long)]
    accept: bool,
    /// Compare with the list of this commit, such as origin/main, instead of the checkout's own list
    #[arg(long, value_name = "COMMIT", conflicts_with = "accept")]
    against: Option<String>,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(options: &Options) -> Result<Done> {
    match &options.folder {
        Some(folder) => package::run(folder, &options.format),
        None => checkout(options),
    }
}

/// Parts of a session that are never in a list.
const NEVER_SEEN: &str = "your own and the machine's settings, servers and plugins, programs outside of the checkout, and files \
    that a program finds by itself";

/// Compares everything that a checkout makes sessions run with the checkout's reviewed list.
fn checkout(options: &Options) -> Result<Done> {
    let root = project_root(options.project.as_deref())?;
    let found = collect::of(&root);
    let list = match List::read(&root, options.against.as_deref()) {
        // A list that cannot be read is replaced.
        Err(_) if options.accept => None,
        list => list?,
    };
    let has_list = list.is_some();
    let list = list.unwrap_or_default();
    let differences = list.differences(&found);
    let unread = found.entries.keys().filter(|entry| entry.is_unread()).count();
    let compared = found.entries.len() - unread;
    let is_written = options.accept && list::write(&root, &found)?;
    let is_clean = if options.accept { unread == 0 } else { differences.is_empty() };
    let mut text = Text::new();
    let mut rows = Vec::new();
    for difference in &differences {
        rows.push(row("difference", members(difference)));
        append(&mut text, difference, &found);
    }
    if !differences.is_empty() {
        text.line_end();
    }
    let lines = counted(compared, "line");
    let list = match &options.against {
        Some(commit) => format!("{FILE} of {}", one_line(commit)),
        None => FILE.to_owned(),
    };
    let (style, head, what) = match differences.len() {
        _ if options.accept && unread > 0 => (
            WARNING,
            if is_written { "Written" } else { "Unchanged" },
            format!("{lines}, without {} that cannot be read", counted(unread, "part")),
        ),
        _ if is_written => (DONE, "Written", format!("{FILE} with {lines}")),
        0 if !has_list => (DONE, "Verified", "Claude Code runs nothing because of this checkout".to_owned()),
        count if count > 0 && !options.accept => {
            if has_list {
                (PLAIN, "", format!("{} from {list}", counted(count, "difference")))
            } else {
                (PLAIN, "", format!("There is no {list}, so all of this is new"))
            }
        }
        _ => (DONE, "Verified", format!("{lines}, as in {list}")),
    };
    if !head.is_empty() {
        text.words(style, head).plain(": ");
    }
    text.plain(what).line_end();
    if head.is_empty() && options.against.is_none() {
        text.plain("To accept it, after a review: ");
        text.command(format_args!("cargo-hookkit verify --accept{}", option("project", options.project.as_deref())));
        text.line_end();
    }
    text.dimmed("Not compared: ").hang().dimmed(NEVER_SEEN);
    for what in &found.unseen {
        rows.push(row("unseen", json!({"what": what})));
        text.line_end().dimmed("Not compared: ").hang().dimmed(one_line(what));
    }
    let summary = json!({
        "project": root.display().to_string(),
        "list": options.against.is_none().then(|| root.join(FILE).display().to_string()),
        "against": options.against,
        "entries": compared,
        "verified": is_clean,
        "accepted": is_written,
    });
    rows.push(row("summary", summary));
    options.format.report(text, &rows, is_clean)
}

/// Adds a difference: its location, the reviewed value and the current value.
fn append(text: &mut Text, difference: &Difference<'_>, found: &Found) {
    let Some(entry) = difference.entry() else { return };
    text.words(WARNING, format_args!("{:<8}", difference.change()));
    text.path(one_line(&entry.file));
    let place = difference.now.map(|(_, place)| place);
    let line = place.and_then(|place| place.line);
    let line = line.map_or_else(String::new, |line| format!(":{line}"));
    let other = place.map(|place| place.file.display().to_string()).filter(|file| *file != entry.file);
    if other.is_none() {
        text.path(&line);
    }
    if !entry.is_file() {
        text.plain(' ').bold(one_line(&entry.part));
    }
    if let Some(file) = other {
        text.plain(", which ").path(format_args!("{}{line}", one_line(&file))).plain(" names");
    }
    if found.is_in_client(entry) {
        text.words(WARNING, ", of a plugin that runs inside Claude Code");
    }
    text.line_end();
    if let Some((before, line)) = difference.before {
        text.words(REMOVED, "    - ").hang().words(REMOVED, shown(before));
        text.dimmed(format_args!(" ({FILE}:{line})\n"));
    }
    if let Some((now, _)) = difference.now {
        text.words(ADDED, "    + ").hang().words(ADDED, shown(now)).line_end();
    }
}

/// Returns a value, shortened to one line. The full value is in the list.
fn shown(entry: &Entry) -> String {
    const LONGEST: usize = 600;
    cut(&entry.value, LONGEST)
}

fn members(difference: &Difference<'_>) -> Value {
    let entry = difference.entry();
    let place = difference.now.map(|(_, place)| place);
    json!({
        "change": difference.change(),
        "file": entry.map(|entry| &entry.file),
        "part": entry.map(|entry| &entry.part),
        "before": difference.before.map(|(entry, _)| &entry.value),
        "now": difference.now.map(|(entry, _)| &entry.value),
        "written_in": place.map(|place| place.file.to_string_lossy()),
        "line": place.and_then(|place| place.line),
    })
}
