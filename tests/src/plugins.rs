//! Plugins that `package` makes, and ways to damage one: what `doctor` reports of each, and what the client does with it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use hmac_sha256::Hash;
use serde_json::{Value, json};

/// The plugin's name, and that of its folder.
pub const NAME: &str = "acme";

/// The hook of the plugin that denies Write, and whose entry has `onFailure: "block"`.
pub const GUARD: &str = "strict-guard";

/// The hook that looks at Bash, and never denies.
pub const OBSERVER: &str = "lenient-guard";

/// The outcome of a call that the guard denies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// The tool ran.
    Ran,
    /// The guard denied it.
    Guarded,
    /// The client denied it, by the entry's `onFailure`.
    Client,
    /// It did not run, for another reason.
    Other,
}

use Call::{Client, Guarded, Ran};

/// A way to damage a plugin, and its effects.
pub struct Damage {
    /// The damage in words.
    pub name: &'static str,
    /// Damages the plugin in this folder.
    pub act: fn(&Path) -> Result<()>,
    /// The outcome of a call that the guard denies. A call of Bash runs each time.
    pub call: Call,
    /// Findings of `doctor`: the code, and a part of the text.
    pub findings: &'static [(&'static str, &'static str)],
    /// A part of the effect that they name.
    pub does: &'static str,
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
    fs::create_dir_all(folder)?;
    let sources = json!({
        "hookkit": "0.1.0",
        "name": NAME,
        "license": null,
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
    let sum: String = Hash::hash(&fs::read(sources)?)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
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

const UNABLE: &str =
    "Claude Code blocks what `strict-guard` checks, because of `onFailure`, and `lenient-guard` does nothing";
const STILL: &str = "Claude Code still starts it, for `lenient-guard`, `strict-guard`";
const NONE: &str = "runs none of its hooks: `strict-guard`, `lenient-guard`";

/// The ways to damage the plugin. Outcomes were observed in the client 2.1.332.
pub const DAMAGES: &[Damage] = &[
    Damage {
        name: "nothing",
        act: |_| Ok(()),
        call: Guarded,
        findings: &[],
        does: "",
    },
    Damage {
        name: "there is no program for this system",
        act: unpackage,
        call: Client,
        findings: &[(
            "no-program-for-system",
            "the plugin acme@skills-dir has no program for this system, ",
        )],
        does: UNABLE,
    },
    Damage {
        name: "the script is not executable",
        act: |plugin| set_mode(&script(plugin), 0o644),
        call: Client,
        findings: &[(
            "not-executable",
            "`bin/acme` of the plugin acme@skills-dir is not executable",
        )],
        does: UNABLE,
    },
    Damage {
        name: "the program is not executable",
        act: |plugin| set_mode(&program(plugin)?, 0o644),
        call: Client,
        findings: &[("not-executable", " of the plugin acme@skills-dir is not executable")],
        does: UNABLE,
    },
    Damage {
        name: "the script is deleted",
        act: |plugin| Ok(fs::remove_file(script(plugin))?),
        call: Client,
        findings: &[(
            "missing-plugin-file",
            "`bin/acme` of the plugin acme@skills-dir is missing",
        )],
        does: UNABLE,
    },
    Damage {
        name: "the program is deleted",
        act: |plugin| Ok(fs::remove_file(program(plugin)?)?),
        call: Client,
        findings: &[("missing-plugin-file", " of the plugin acme@skills-dir is missing")],
        does: UNABLE,
    },
    Damage {
        name: "the folder of programs is deleted",
        act: |plugin| Ok(fs::remove_dir_all(plugin.join("bin"))?),
        call: Client,
        findings: &[
            ("missing-plugin-file", "`bin/acme` of"),
            ("missing-plugin-file", "`bin/acme-"),
        ],
        does: UNABLE,
    },
    Damage {
        name: "the program has more bytes",
        act: |plugin| {
            let file = program(plugin)?;
            let bytes = fs::read(&file)?;
            replace(&file, [&bytes[..], b"more"].concat())
        },
        call: Guarded,
        findings: &[("changed-plugin-file", "differs from SHA256SUMS")],
        does: STILL,
    },
    Damage {
        name: "the program is a script that does nothing",
        act: |plugin| replace(&program(plugin)?, "#!/bin/sh\nexit 0\n"),
        call: Ran,
        findings: &[("changed-plugin-file", "differs from SHA256SUMS")],
        does: STILL,
    },
    Damage {
        name: "the program is empty",
        act: |plugin| replace(&program(plugin)?, ""),
        call: Client,
        findings: &[("changed-plugin-file", "of the plugin acme@skills-dir is empty")],
        does: UNABLE,
    },
    Damage {
        name: "the program is a folder",
        act: |plugin| {
            let file = program(plugin)?;
            fs::remove_file(&file)?;
            Ok(fs::create_dir(file)?)
        },
        call: Client,
        findings: &[("changed-plugin-file", "of the plugin acme@skills-dir is a folder")],
        does: UNABLE,
    },
    Damage {
        name: "the program is a link to one elsewhere",
        act: |plugin| {
            let file = program(plugin)?;
            let elsewhere = plugin.with_file_name("elsewhere");
            fs::rename(&file, &elsewhere)?;
            Ok(symlink(elsewhere, file)?)
        },
        call: Guarded,
        findings: &[(
            "changed-plugin-file",
            "of the plugin acme@skills-dir is a symbolic link",
        )],
        does: STILL,
    },
    Damage {
        name: "the program is one for another system",
        act: |plugin| {
            let file = program(plugin)?;
            let mut bytes = fs::read(&file)?;
            // `e_machine`: S/390.
            bytes[18..20].copy_from_slice(&[22, 0]);
            replace(&file, bytes)
        },
        call: Client,
        findings: &[("program-of-another-system", "is not a program for this system, ")],
        does: UNABLE,
    },
    Damage {
        name: "the script does nothing",
        act: |plugin| replace(&script(plugin), "#!/bin/sh\nexit 0\n"),
        call: Ran,
        findings: &[(
            "changed-plugin-file",
            "`bin/acme` of the plugin acme@skills-dir differs from SHA256SUMS",
        )],
        does: STILL,
    },
    Damage {
        name: "hooks.json is malformed",
        act: |plugin| change(&plugin.join("hooks/hooks.json"), |text| text.replacen('{', "", 1)),
        call: Ran,
        findings: &[("not-json", "")],
        does: "Claude Code ignores the whole file",
    },
    Damage {
        name: "hooks.json is deleted",
        act: |plugin| Ok(fs::remove_file(plugin.join("hooks/hooks.json"))?),
        call: Ran,
        findings: &[(
            "missing-plugin-file",
            "`hooks/hooks.json` of the plugin acme@skills-dir is missing",
        )],
        does: NONE,
    },
    Damage {
        name: "hooks.json has lost its matcher of Write",
        act: |plugin| {
            change(&plugin.join("hooks/hooks.json"), |text| {
                text.replace("\"Write\"", "\"Edit\"")
            })
        },
        call: Ran,
        findings: &[(
            "changed-plugin-file",
            "`hooks/hooks.json` of the plugin acme@skills-dir differs from SHA256SUMS",
        )],
        does: "Claude Code uses its entries as they are now",
    },
    Damage {
        name: "plugin.json is deleted",
        act: |plugin| Ok(fs::remove_file(plugin.join(".claude-plugin/plugin.json"))?),
        call: Ran,
        findings: &[(
            "plugin-not-loaded",
            "`.claude-plugin/plugin.json` of the plugin acme@skills-dir is missing",
        )],
        does: NONE,
    },
    Damage {
        name: "hookkit.json is deleted",
        act: |plugin| Ok(fs::remove_file(plugin.join("hookkit.json"))?),
        call: Guarded,
        findings: &[(
            "missing-plugin-file",
            "`hookkit.json` of the plugin acme@skills-dir is missing",
        )],
        does: "`list` and `doctor` do not know the plugin's hooks",
    },
    Damage {
        name: "SHA256SUMS is deleted",
        act: |plugin| Ok(fs::remove_file(plugin.join("SHA256SUMS"))?),
        call: Guarded,
        findings: &[("missing-sums", "`SHA256SUMS` of the plugin acme@skills-dir is missing")],
        does: "`doctor` cannot check",
    },
    Damage {
        name: "a file is added, one is changed, and one is deleted",
        act: |plugin| {
            fs::create_dir(plugin.join("commands"))?;
            fs::write(plugin.join("commands/do.md"), "Do it.\n")?;
            fs::write(plugin.join("README.md"), "changed")?;
            Ok(fs::remove_file(plugin.join("LICENSES.txt"))?)
        },
        call: Guarded,
        findings: &[
            (
                "missing-plugin-file",
                "missing in the plugin acme@skills-dir: `LICENSES.txt`",
            ),
            (
                "changed-plugin-file",
                "not as in SHA256SUMS of the plugin acme@skills-dir: `README.md`",
            ),
            (
                "added-plugin-file",
                "not in SHA256SUMS of the plugin acme@skills-dir: `commands/do.md`",
            ),
        ],
        does: "",
    },
];

/// Compares the findings of `doctor --json` with those of a damage; returns the differences.
pub fn differences(damage: &Damage, rows: &[Value]) -> Vec<String> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let mut unexpected: Vec<&Value> = rows.iter().filter(|row| row["kind"] == "finding").collect();
    let mut wrong = Vec::new();
    for row in &unexpected {
        if text(row, "fix").is_empty() || !text(row, "does").contains(damage.does) {
            wrong.push(format!("{}: {row}", damage.name));
        }
    }
    for (code, what) in damage.findings {
        let found = unexpected
            .iter()
            .position(|row| row["code"] == **code && text(row, "what").contains(what));
        match found {
            Some(at) => drop(unexpected.remove(at)),
            None => wrong.push(format!("{}: no finding {code}: {what}", damage.name)),
        }
    }
    wrong.extend(
        unexpected
            .iter()
            .map(|row| format!("{}: unexpected: {row}", damage.name)),
    );
    wrong
}
