//! Tests of a plugin's files, and of reading packages.

use std::collections::BTreeMap;

use hookkit_protocol::hook::OnFailure;

use super::*;
use crate::binaries::definition::{self, Definition};
use crate::disk::beneath::Beneath;
use crate::settings::plugin::package;

/// Returns a hook on PreToolUse, with this policy.
pub(crate) fn hook(name: &str, on_failure: OnFailure) -> PackagedHook {
    let Definition { declared, entries, .. } = definition::tests::hook(
        name,
        &json!({
            "description": "Keeps lock files.\n\nIt does not see commands.", "timeout": 5, "on_failure": on_failure,
            "path": format!("acme_guards::{}", name.replace('-', "_")), "package": "acme-guards", "package_version": "1.2.0",
            "entries": [{"event": "PreToolUse", "matcher": "Edit|Write", "blocks_in_settings": false}],
        }),
    );
    PackagedHook { declared, entries }
}

/// Returns a plugin with a guard and an observer. Each program just contains its platform's name.
pub(crate) fn plugin(platforms: &[Platform]) -> Plugin {
    let program = |platform: &Platform| match platform {
        Platform::MacX86 => [&0xfeed_facf_u32.to_le_bytes()[..], &0x0100_0007_u32.to_le_bytes()].concat(),
        Platform::MacArm => [&0xfeed_facf_u32.to_le_bytes()[..], &0x0100_000c_u32.to_le_bytes()].concat(),
        other => other.name().into(),
    };
    let programs: BTreeMap<Platform, Vec<u8>> =
        platforms.iter().map(|platform| (*platform, program(platform))).collect();
    let compilers = programs.keys().map(|platform| (platform.name().to_owned(), "rustc 1.95.0".to_owned()));
    Plugin {
        origin: Origin {
            hookkit: "0.1.0".to_owned(),
            name: "acme".to_owned(),
            code: "0".repeat(64),
            hooks: vec![hook("guard", OnFailure::Block), hook("observer", OnFailure::Continue)],
            compilers: compilers.collect(),
        },
        programs,
        licences: Some(b"- acme-guards 1.2.0: MIT\n".to_vec()),
    }
}

/// Returns a folder, and the plugin's path in it.
fn place() -> (tempfile::TempDir, Beneath) {
    let folder = test_support::folder();
    let at = Beneath::named(folder.path()).join("acme");
    (folder, at)
}

#[test]
fn a_plugin_has_a_program_for_each_platform_and_one_name_for_all() {
    let files = plugin(&Platform::ALL).files().unwrap();
    let programs = files.0.iter().filter(|(_, file)| file.is_program);
    let programs: Vec<&str> = programs.map(|(path, _)| path.trim_start_matches("bin/acme")).collect();
    assert_eq!(programs, ["", "-linux-aarch64", "-linux-x86_64", "-macos", ".exe"]);
    let hooks: Value = serde_json::from_slice(files.bytes(HOOKS).unwrap()).unwrap();
    let commands: Vec<&Value> =
        hooks["hooks"]["PreToolUse"].as_array().unwrap().iter().map(|group| &group["hooks"][0]).collect();
    let command = "${CLAUDE_PLUGIN_ROOT}/bin/acme";
    assert_eq!(
        commands,
        [
            &json!({"type": "command", "command": command, "args": ["guard"], "timeout": 5, "onFailure": "block"}),
            &json!({"type": "command", "command": command, "args": ["observer"], "timeout": 5}),
        ]
    );
}

#[test]
fn the_script_knows_which_hooks_deny() {
    let files = plugin(&[Platform::LinuxX86]).files().unwrap();
    let script = String::from_utf8_lossy(files.bytes("bin/acme").unwrap()).into_owned();
    assert!(script.contains("\n'guard') exit 1 ;;\n"), "{script}");
}

#[test]
fn two_contents_never_have_one_version() {
    let version = |plugin: &Plugin| plugin.version_of(&plugin.files().unwrap());
    let one = plugin(&[Platform::LinuxX86]);
    assert!(version(&one).starts_with("1.2.0+"), "{}", version(&one));
    assert_eq!(version(&one), version(&one.clone()));
    let mut other = one.clone();
    other.programs.insert(Platform::LinuxX86, b"changed".to_vec());
    assert_ne!(version(&one), version(&other));
    let mut other = one.clone();
    other.origin.hooks[0].declared.timeout = Some(6);
    assert_ne!(version(&one), version(&other));
}

#[test]
fn a_package_is_read_as_it_was_made() {
    let (folder, at) = place();
    let made = plugin(&Platform::ALL);
    assert!(package::write(&made.files().unwrap(), &at).unwrap());
    assert_eq!(package::read(&at).unwrap(), made);
    // A run that was killed after the swap.
    let left = folder.path().join(".acme.hookkit-new");
    std::fs::create_dir_all(left.join(".claude-plugin")).unwrap();
    std::fs::write(left.join(".claude-plugin/plugin.json"), "{}").unwrap();
    assert!(!package::write(&made.files().unwrap(), &at).unwrap());
    assert!(!left.exists());
}

#[test]
fn packages_of_several_machines_are_joined() {
    let (linux, mac) = (plugin(&[Platform::LinuxX86, Platform::LinuxArm]), plugin(&[Platform::MacArm]));
    let joined = package::join(linux.clone(), mac).unwrap();
    let whole = plugin(&[Platform::LinuxX86, Platform::LinuxArm, Platform::MacArm]);
    assert_eq!(joined.files().unwrap(), whole.files().unwrap());

    let mut other = linux.clone();
    other.origin.code = "1".repeat(64);
    let refused = package::join(linux.clone(), other).unwrap_err().to_string();
    assert!(refused.contains("do not have the same sources"), "{refused}");

    let mut other = linux.clone();
    other.programs.insert(Platform::LinuxArm, b"changed".to_vec());
    let refused = package::join(linux, other).unwrap_err().to_string();
    assert!(refused.contains("different programs for linux-aarch64"), "{refused}");
}

#[test]
fn a_folder_that_was_changed_is_left_as_it_is() {
    let files = plugin(&[Platform::LinuxX86]).files().unwrap();
    type Change = fn(&mut Tree);
    let changes: [(&str, Change); 4] = [
        ("bin/acme-linux-x86_64 differs from SHA256SUMS", |tree| tree.add_program("bin/acme-linux-x86_64", "x")),
        ("notes.txt differs from SHA256SUMS", |tree| tree.add("notes.txt", "mine")),
        ("README.md differs from SHA256SUMS", |tree| drop(tree.0.remove("README.md"))),
        ("it has no SHA256SUMS", |tree| drop(tree.0.remove(SUMS))),
    ];
    for (why, change) in changes {
        let (_folder, at) = place();
        let mut changed = files.clone();
        change(&mut changed);
        changed.replace(&at, None).unwrap();
        let refused = format!("{:#}", package::write(&files, &at).unwrap_err());
        assert!(refused.contains(why) && refused.contains("was left as it is"), "{refused}");
        assert_eq!(Tree::read(&at).unwrap(), Some(changed));
    }
}

#[test]
fn names_in_a_package_are_checked() {
    for (of_plugin, of_hook) in [
        ("../acme", "guard"),
        ("acme", "guard) rm -rf ~ ;; x"),
        ("", "guard"),
        ("acme", "../guard"),
        ("acme", "x\nerror: y"),
    ] {
        let mut files = plugin(&[Platform::LinuxX86]).files().unwrap();
        let mut origin = plugin(&[Platform::LinuxX86]).origin;
        of_plugin.clone_into(&mut origin.name);
        of_hook.clone_into(&mut origin.hooks[0].declared.name);
        files.add(ORIGIN, pretty(&origin).unwrap());
        files.add(SUMS, sums(&files));
        let (_folder, at) = place();
        files.replace(&at, None).unwrap();
        let refused = format!("{:#}", package::read(&at).unwrap_err());
        assert!(refused.contains("cannot be the name of a plugin"), "{refused}");
        assert_eq!(refused.lines().count(), 1, "{refused}");
    }
}

#[test]
fn the_readme_says_what_each_hook_does_and_where_it_runs() {
    let files = plugin(&[Platform::LinuxX86, Platform::MacArm]).files().unwrap();
    let readme = String::from_utf8_lossy(files.bytes("README.md").unwrap()).into_owned();
    for line in [
        "| [guard](#guard) | PreToolUse `Edit\\|Write` | the action is denied |",
        "| [observer](#observer) | PreToolUse `Edit\\|Write` | the action goes ahead |",
        "It does not see commands.",
        "| Linux, x86-64 | yes |",
        "| Linux, ARM | no |",
        "| macOS, ARM | yes |",
        "/plugin install acme --marketplace <owner>/<repo>",
    ] {
        assert!(readme.lines().any(|of_readme| of_readme == line), "no line `{line}` in {readme}");
    }
}
