//! Plugins that `package` makes, and ways to damage one: what `doctor` reports of each, and what the client does with it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use hmac_sha256::Hash;
use serde_json::{Value, json};
use test_support::lines;
use test_support::lines::{Lines, Row};

/// The plugin's name, and that of its folder.
pub const NAME: &str = "acme";

/// The hook of the plugin that denies Write, and whose entry has `onFailure: "block"`.
pub const GUARD: &str = "strict-guard";

/// The hook that looks at Bash, and never denies.
pub const OBSERVER: &str = "lenient-guard";

/// The outcome of a call that a guard denies.
///
/// A process that does not start, or is not hookkit's, cannot enforce its hook's policy: the tool then runs, unless
/// `onFailure` in the settings makes the client deny the call. `onFailure` does not apply if another program answers in
/// place of the guard, or if the client does not call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// The tool ran.
    Ran,
    /// The guard denied it, as intended.
    Guarded,
    /// The guard failed, and denied it for this reason.
    Failed,
    /// The client denied it, by the entry's `onFailure`.
    Client,
    /// It did not run, for another reason.
    Other,
}

impl Call {
    /// Returns the outcome of a call that makes a file, by the file and the tool's result.
    pub fn of(is_made: bool, result: Option<&String>) -> Self {
        let result = result.map(String::as_str).unwrap_or_default();
        match is_made {
            true => Self::Ran,
            false if result.ends_with("hook error: it is guarded") => Self::Guarded,
            false if result.contains("denied, because the hook `") => Self::Failed,
            false if result.contains("blocking because onFailure is \"block\"") => Self::Client,
            false => Self::Other,
        }
    }
}

/// A way to damage a plugin, and its effects.
pub struct Damage {
    /// The damage in words.
    pub name: String,
    /// The outcome of a call that the guard denies. A call of Bash runs each time.
    pub call: String,
    /// Findings of `doctor`: the code, and a part of the text.
    pub findings: Vec<(String, String)>,
    /// A part of the effect that they name.
    pub does: String,
}

/// Returns the declaration of a hook in hookkit.json, and its entry.
pub fn hook(name: &str, package: &str, version: &str) -> Value {
    let (matcher, policy) = match name {
        OBSERVER => ("Bash", "continue"),
        _ => ("Write", "block"),
    };
    json!({
        "name": name,
        "description": "Denies.",
        "if": null,
        "timeout": 2,
        "status_message": null,
        "on_failure": policy,
        "mode": "awaited",
        "path": format!("{}::{}", package.replace('-', "_"), name.replace('-', "_")),
        "package": package,
        "package_version": version,
        "entries": [{"event": "PreToolUse", "matcher": matcher, "blocks_in_settings": false}],
    })
}

/// Writes the plugin's package into a folder, with a program that cannot run; returns the plugin's version.
///
/// # Errors
///
/// Fails if it cannot be written.
pub fn write(folder: &Path, hooks: &[Value], code: &str) -> Result<String> {
    write_named(folder, NAME, hooks, code)
}

/// Writes one of another name.
///
/// # Errors
///
/// Fails if it cannot be written.
pub fn write_named(folder: &Path, name: &str, hooks: &[Value], code: &str) -> Result<String> {
    fs::create_dir_all(folder)?;
    let sources = json!({
        "hookkit": "0.1.0",
        "name": name,
        "code": code,
        "hooks": hooks,
        "compilers": {},
    });
    let program = hookkit_xtask::rig::program_header();
    hookkit_xtask::rig::write_package(folder, &sources.to_string(), Some(&program))
}

/// Returns the file of the plugin's program for this system.
///
/// # Errors
///
/// Fails if there is none.
pub fn program(plugin: &Path) -> Result<PathBuf> {
    let files = fs::read_dir(plugin.join("bin"))?;
    let mut files = files.filter_map(|file| Some(file.ok()?.path()));
    let is_program = |file: &PathBuf| !file.ends_with(NAME);
    files.find(is_program).context("it has a program")
}

fn script(plugin: &Path) -> PathBuf {
    plugin.join("bin").join(NAME)
}

fn set_mode(file: &Path, mode: u32) -> Result<()> {
    Ok(fs::set_permissions(file, Permissions::from_mode(mode))?)
}

/// Replaces a file with another executable one.
fn replace(file: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    fs::remove_file(file)?;
    fs::write(file, bytes)?;
    set_mode(file, 0o755)
}

/// Changes the text of a file.
fn change(file: &Path, change: impl Fn(&str) -> String) -> Result<()> {
    let before = fs::read_to_string(file)?;
    let after = change(&before);
    ensure!(before != after, "nothing was changed: {before}");
    Ok(fs::write(file, after)?)
}

/// Takes the program out, as if it had been packaged without one.
fn unpackage(plugin: &Path) -> Result<()> {
    let file = program(plugin)?;
    fs::remove_file(&file)?;
    let sources = plugin.join("hookkit.json");
    change(&sources, |text| {
        let mut value: Value = serde_json::from_str(text).unwrap_or_default();
        value["compilers"] = json!({});
        value.to_string()
    })?;
    let sum: String = Hash::hash(&fs::read(sources)?).iter().map(|byte| format!("{byte:02x}")).collect();
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    change(&plugin.join("SHA256SUMS"), |text| {
        let lines = text.lines().filter(|line| !line.ends_with(&name));
        let line = |line: &str| match line.ends_with("  hookkit.json") {
            true => format!("{sum}  hookkit.json\n"),
            false => format!("{line}\n"),
        };
        lines.map(line).collect()
    })
}

/// Returns the ways to damage the plugin.
pub fn damages() -> Vec<Damage> {
    let table: Lines = lines!("lines/damages.txt");
    let nothing = |text: &str| text.trim_end_matches('-').to_owned();
    let damage = |row: &Row| {
        let [call, name, findings] = row.fields();
        let finding = |text: &str| text.split_once(' ').map(|(code, what)| (code.to_owned(), what.to_owned()));
        Damage {
            name: name.to_owned(),
            call: call.to_owned(),
            findings: findings.split('\n').filter_map(finding).collect(),
            does: nothing(&row.line),
        }
    };
    table.section("damages").rows.iter().map(damage).collect()
}

/// Damages the plugin in this folder.
///
/// # Errors
///
/// If a file cannot be changed, or the damage has no name of [`damages`].
pub fn damage(name: &str, plugin: &Path) -> Result<()> {
    match name {
        "nothing" => Ok(()),
        "there is no program for this system" => unpackage(plugin),
        "the script is not executable" => set_mode(&script(plugin), 0o644),
        "the program is not executable" => set_mode(&program(plugin)?, 0o644),
        "the script is deleted" => Ok(fs::remove_file(script(plugin))?),
        "the program is deleted" => Ok(fs::remove_file(program(plugin)?)?),
        "the folder of programs is deleted" => Ok(fs::remove_dir_all(plugin.join("bin"))?),
        "the program has more bytes" => {
            let file = program(plugin)?;
            let bytes = fs::read(&file)?;
            replace(&file, [&bytes[..], b"more"].concat())
        }
        "the program is larger than `doctor` reads" => {
            let file = fs::File::options().write(true).open(program(plugin)?)?;
            Ok(file.set_len(1 << 28)?)
        }
        "the program is a script that does nothing" => replace(&program(plugin)?, "#!/bin/sh\nexit 0\n"),
        "the program is empty" => replace(&program(plugin)?, ""),
        "the program is a folder" => {
            let file = program(plugin)?;
            fs::remove_file(&file)?;
            Ok(fs::create_dir(file)?)
        }
        "the program is a link to one elsewhere" => {
            let file = program(plugin)?;
            let elsewhere = plugin.with_file_name("elsewhere");
            fs::rename(&file, &elsewhere)?;
            Ok(symlink(elsewhere, file)?)
        }
        "the program is one for another system" => {
            let file = program(plugin)?;
            let mut bytes = fs::read(&file)?;
            // `e_machine`: S/390.
            bytes[18..20].copy_from_slice(&[22, 0]);
            replace(&file, bytes)
        }
        "the script does nothing" => replace(&script(plugin), "#!/bin/sh\nexit 0\n"),
        "hooks.json is malformed" => change(&plugin.join("hooks/hooks.json"), |text| text.replacen('{', "", 1)),
        "hooks.json is deleted" => Ok(fs::remove_file(plugin.join("hooks/hooks.json"))?),
        "hooks.json has lost its matcher of Write" => {
            change(&plugin.join("hooks/hooks.json"), |text| text.replace("\"Write\"", "\"Edit\""))
        }
        "plugin.json is deleted" => Ok(fs::remove_file(plugin.join(".claude-plugin/plugin.json"))?),
        "hookkit.json is deleted" => Ok(fs::remove_file(plugin.join("hookkit.json"))?),
        "hookkit.json is malformed" => Ok(fs::write(plugin.join("hookkit.json"), "{")?),
        "SHA256SUMS is deleted" => Ok(fs::remove_file(plugin.join("SHA256SUMS"))?),
        "a file is added, one is changed, and one is deleted" => {
            fs::create_dir(plugin.join("commands"))?;
            fs::write(plugin.join("commands/do.md"), "Do it.\n")?;
            fs::write(plugin.join("README.md"), "changed")?;
            Ok(fs::remove_file(plugin.join("LICENSES.txt"))?)
        }
        _ => bail!("no damage `{name}`"),
    }
}

/// Compares the findings of `doctor --json` with those of a damage; returns the differences.
pub fn differences(damage: &Damage, rows: &[Value]) -> Vec<String> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let mut unexpected: Vec<&Value> = rows.iter().filter(|row| row["kind"] == "finding").collect();
    let mut wrong = Vec::new();
    for row in &unexpected {
        if text(row, "fix").is_empty() || !text(row, "does").contains(&damage.does) {
            wrong.push(format!("{}: {row}", damage.name));
        }
    }
    for (code, what) in &damage.findings {
        let found = unexpected.iter().position(|row| row["code"] == *code && text(row, "what").contains(what));
        match found {
            Some(at) => drop(unexpected.remove(at)),
            None => wrong.push(format!("{}: no finding {code}: {what}", damage.name)),
        }
    }
    wrong.extend(unexpected.iter().map(|row| format!("{}: unexpected: {row}", damage.name)));
    wrong
}
