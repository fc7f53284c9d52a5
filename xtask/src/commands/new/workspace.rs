//! `cargo xtask new workspace`: creates everything that a team needs next to its own code.

use std::fs;
use std::path::absolute;

use hookkit_protocol::event;

use super::origin::{Asked, Origin};
use crate::binaries::sample;
use crate::cargo::accepted;
use crate::cargo::packs::krate;
use crate::cargo::undo::Undo;
use crate::commands::new::names;
use crate::commands::new::template::{filled, on_failure, payload};
use crate::commands::package::plugin_name;
use crate::commands::prelude::*;
use crate::disk::beneath::if_there;
use crate::disk::state;
use crate::settings::scope;

#[derive(Args)]
pub(super) struct Options {
    /// The folder
    #[arg(value_name = "PATH")]
    folder: PathBuf,
    /// Name of its pack [default: the folder's]
    #[arg(long, value_name = "NAME")]
    pack: Option<String>,
    #[command(flatten)]
    origin: Asked,
    #[command(flatten)]
    format: Format,
}

pub(super) fn run(options: &Options) -> Result<Done> {
    let folder = absolute(&options.folder)?;
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let pack = options.pack.as_deref().unwrap_or(name);
    names::ensure_package(pack).with_context(|| match options.pack {
        Some(_) => "the pack has no name".to_owned(),
        None => "the pack has the folder's name; give it another one: --pack NAME".to_owned(),
    })?;
    ensure_empty(&folder)?;
    let origin = Origin::find(&options.origin)?;

    let mut undo = Undo::default();
    make(&mut undo, &folder, name, pack, &origin)?;
    let mut rows = undo.keep()?;
    // The user's own new code counts as accepted; if this cannot be recorded, the first build asks.
    let _ = state::accept(&accepted::key(&folder), &folder);
    let summary = json!({
        "folder": folder.display().to_string(),
        "package": pack,
        "hook": sample_hook(pack),
    });
    rows.push(row("summary", summary));
    let text = message(options, pack, &origin, scope::repository(&folder).is_ok());
    options.format.print(text, &rows)
}

/// Checks that the folder is empty.
fn ensure_empty(folder: &Path) -> Result<()> {
    let mut names = if_there(fs::read_dir(folder))
        .with_context(|| format!("{} cannot be a workspace", folder.display()))?
        .into_iter()
        .flatten()
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<String>>>()?;
    names.retain(|name| name != ".git");
    names.sort();
    let more = if names.len() > 5 { " …" } else { "" };
    ensure!(
        names.is_empty(),
        "{} is not empty, and its files are not overwritten: {}{more}",
        folder.display(),
        listed(names.iter().take(5))
    );
    Ok(())
}

fn make(undo: &mut Undo, folder: &Path, name: &str, pack: &str, origin: &Origin) -> Result<()> {
    let samples = sample::all(Path::new(sample::PROJECT))?;
    let edit = samples.iter().find(|sample| sample.name() == "PreToolUse Edit");
    let edit = payload(edit.context("an edit is recorded")?)?;
    let note = origin.folder.as_ref().map_or(
        "",
        |_| "# A folder of this machine: for other machines, and for CI, write a repository here, `git = \"…\"`.\n",
    );
    let hook = sample_hook(pack);
    let function = names::function(&hook)?;
    let krate = krate(pack);
    let words = [
        ("workspace", name),
        ("pack", pack),
        ("plugin", &plugin_name(folder, None)),
        ("crate", &krate),
        ("hook", &hook),
        ("function", &function),
        ("note", note),
        ("hookkit", &origin.hookkit),
        ("hookkit-xtask", &origin.xtask),
        ("dependency", "hookkit.workspace = true"),
        ("file", "new.txt"),
        ("on_failure", on_failure(&event::PRE_TOOL_USE)),
    ];
    let pack_manifest = [include_str!("templates/pack.toml"), include_str!("templates/testing.toml")].concat();
    let library = format!("{}pub mod lock_files;\n", include_str!("templates/lib.rs"));
    let in_pack = |file: &str| format!("{pack}/{file}");
    for (file, template) in [
        ("Cargo.toml", include_str!("templates/workspace.toml")),
        (".cargo/config.toml", include_str!("templates/config.toml")),
        (".gitignore", "/target\n/dist\n"),
        (".github/workflows/ci.yml", include_str!("templates/ci.yml")),
        (".github/workflows/plugin.yml", include_str!("templates/plugin.yml")),
        ("README.md", include_str!("templates/README.md")),
        ("xtask/Cargo.toml", include_str!("templates/xtask.toml")),
        ("xtask/src/main.rs", include_str!("templates/main.rs")),
        (&in_pack("Cargo.toml"), &pack_manifest),
        (&in_pack("src/lib.rs"), &library),
        (&in_pack("src/lock_files.rs"), include_str!("templates/lock_files.rs")),
        (&in_pack("tests/verdicts.rs"), include_str!("templates/verdicts.rs")),
        (&in_pack("tests/payloads/edit.json"), &edit),
    ] {
        undo.create(&folder.join(file), &filled(template, &words))?;
    }
    Ok(())
}

/// Returns the name of the first hook in a new pack. It contains the pack's name, because hook names must be unique
/// when several packs are installed.
fn sample_hook(pack: &str) -> String {
    format!("{pack}-keep-lock-files")
}

fn message(options: &Options, pack: &str, origin: &Origin, is_in_git: bool) -> Text {
    let folder = options.folder.display().to_string();
    let hook = sample_hook(pack);
    // Cargo.lock is committed there, and `install` without `--project` looks for the repository.
    let init = (!is_in_git).then(|| "git init".to_owned());
    let mut text = Text::new();
    text.words(DONE, "Created").plain(' ').path(&folder);
    text.plain(format_args!(": a workspace with the pack `{pack}` and its hook `{hook}`.\n\n"));
    let commands = [Some(format!("cd {}", quoted(&folder))), init].into_iter().flatten();
    for command in commands.chain([
        "cargo test".to_owned(),
        format!("cargo xtask run {hook} --set tool_input.file_path=Cargo.lock"),
        "cargo xtask install --project PROJECT".to_owned(),
        format!("cargo xtask new hook {pack}/NAME --event EVENT"),
    ]) {
        text.plain("  ").command(command).line_end();
    }
    text.plain("\nIts README.md repeats these commands.");
    if let Some(clone) = &origin.folder {
        text.plain("\nIts Cargo.toml takes hookkit from ").path(clone.display());
        text.plain("; teammates and CI need a repository instead: create the workspace with `")
            .command("--git URL")
            .plain("`.");
    }
    text
}
