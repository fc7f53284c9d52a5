//! `cargo xtask audit`: lists audited decisions, and ships them to a collector.

#![expect(clippy::disallowed_methods, reason = "the folder is the user's own")]

use std::fs;
use std::process::Command;

use clap::Subcommand;
use hmac_sha256::Hash;
use hookkit_spool::{Limits, Spool, State};

use crate::cargo::command::cargo_says;
use crate::commands::prelude::*;
use crate::disk::{files, state};
use crate::terminal::{hex, program};

#[derive(Args)]
#[command(after_help = "Hooks of `install --audit` append to the audit. Without a command, its segments are listed; \
                        exit code 1: the audit is full, and hooks write nothing more.

The variables \
                        OTEL_EXPORTER_OTLP_HEADERS and OTEL_EXPORTER_OTLP_CERTIFICATE mean the same as in every OTLP \
                        exporter.

Examples: cargo xtask audit
          cargo xtask audit ship --to \
                        otlp://otel.example.com")]
pub(crate) struct Options {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    format: Format,
}

#[derive(Subcommand)]
enum Action {
    /// Send the lines that were not shipped yet, each at least once and with one id; the first time, this builds a
    /// program
    Ship {
        /// otlp://HOST, https://HOST/v1/logs, file:PATH or stdout
        #[arg(long)]
        to: String,
    },
}

pub(crate) fn run(options: &Options) -> Result<Done> {
    let folder = state::audit()?;
    match &options.action {
        None => list(&folder, &options.format),
        Some(Action::Ship { to }) => {
            let status = Command::new(shipper()?).arg(&folder).arg(to).status()?;
            ensure!(status.code().is_some_and(|code| code < 2), "the audit was not shipped; no record is lost");
            Ok(if status.success() { Done::Clean } else { Done::WithFindings })
        }
    }
}

/// Lists the segments.
fn list(folder: &Path, format: &Format) -> Result<Done> {
    let (limits, mut text, mut rows) = (Limits::default(), Text::new(), Vec::new());
    let spool = Spool::new(folder, limits);
    let read = || format!("reading {}", folder.display());
    let (segments, offsets) = (spool.segments().with_context(read)?, spool.offsets().with_context(read)?);
    let (mut total, mut unshipped) = (0, 0);
    for segment in &segments {
        let left = match segment.state {
            State::Shipped => 0,
            _ => segment.size - offsets.get(&segment.id).copied().unwrap_or_default().min(segment.size),
        };
        (total, unshipped) = (total + segment.size, unshipped + left);
        let state = format!("{:?}", segment.state).to_lowercase();
        text.plain(format_args!("{state:<8}{:>12}{left:>12}  ", segment.size));
        text.path(shown(&segment.path)).line_end();
        let file = segment.path.display().to_string();
        rows.push(row("segment", json!({"state": state, "file": file, "bytes": segment.size, "unshipped": left})));
    }
    let is_full = unshipped + limits.segment > limits.cap;
    text.plain(format_args!("{}, {total} bytes; {unshipped} are not shipped", counted(segments.len(), "segment")));
    if is_full {
        text.words(WARNING, format_args!("; at {} bytes nothing more is written", limits.cap));
    }
    if unshipped > 0 {
        text.plain("\nTo ship them: ").command(format_args!("{} audit ship --to otlp://HOST", program()));
    }
    rows.push(row(
        "summary",
        json!({"folder": folder.display().to_string(), "bytes": total, "unshipped": unshipped, "cap": limits.cap, "full": is_full}),
    ));
    format.report(text, &rows, !is_full)
}

/// Returns the program that ships lines. Cargo builds it on first use, from the sources of this xtask, so that other
/// users do not need its dependencies.
fn shipper() -> Result<PathBuf> {
    const NAME: &str = "hookkit-audit";
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cache = state::cache().context("there is no folder for the program; set HOME, or XDG_CACHE_HOME")?;
    // Each source has its own program.
    let source = hex(&Hash::hash(own.as_os_str().as_encoded_bytes())[..8]);
    let root = cache.join(format!("audit-{VERSION}-{source}"));
    let program = root.join("bin").join(NAME);
    if fs::exists(&program)? {
        return Ok(program);
    }
    state::create(&root)?;
    let (root, target) = (files::utf8(&root)?, root.join("target"));
    let mut arguments = vec!["install", "--locked", "--root", root, "--target-dir", files::utf8(&target)?];
    let (folder, exact) = (own.join("audit"), format!("{NAME}@={VERSION}"));
    if folder.exists() {
        arguments.extend(["--path", files::utf8(&folder)?]);
    } else {
        arguments.push(&exact);
    }
    // There, no configuration of a checkout is read.
    cargo_says(root.as_ref(), arguments).with_context(|| format!("{NAME} was not built"))?;
    // A leftover does no harm.
    let _ = fs::remove_dir_all(target);
    Ok(program)
}
