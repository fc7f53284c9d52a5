//! `install` of hooks with other linkage, of unreachable hooks, and of this repository's hooks.

use std::env::consts::ARCH;

use hookkit_tests::budgets;
use hookkit_tests::prelude::*;
use hookkit_tests::workspace::seed;
use hookkit_tests::xtask::{RUN_XTASK, binary_has, cargo_program};

/// Settings of a profile, none of which is that of hooks.
const PROFILE: &str = include_str!("../../fixtures/profile.txt");

/// A hook that prints if the author's flags reached rustc.
const OVERHEAR: &str = include_str!("../../fixtures/sources/install.txt");

/// Returns `true` if a binary names a loader, that is, is linked dynamically.
fn is_dynamic(project: &Project, hook: &str) -> Result<bool> {
    Ok(contains(project, hook, "/ld-linux")? || contains(project, hook, "/ld-musl")?)
}

fn contains(project: &Project, hook: &str, text: &str) -> Result<bool> {
    binary_has(project.path(), hook, text)
}

#[test]
fn options_decide_the_linkage_whatever_flags_the_author_sets() -> Result<()> {
    let stage = Stage::with_hooks("overhear", OVERHEAR, "")?;
    let project = Project::new()?;
    let path = text(project.path())?;
    let install = |arguments: &[&str], flags: &str, linker: &str| -> Result<String> {
        let arguments = [&["install", "--verbose", "--project", path], arguments].concat();
        let mut command = command(&stage.app(), &arguments)?;
        if !flags.is_empty() {
            // In the same folder, cargo would rebuild everything, for this test and for the next one.
            let target = stage.target().join("with-flags");
            seed(&target.join("debug"))?;
            command.env("CARGO_TARGET_DIR", target);
        }
        if !linker.is_empty() {
            let musl = format!("CARGO_TARGET_{}_UNKNOWN_LINUX_MUSL_LINKER", ARCH.to_uppercase());
            command.env(musl, linker);
        }
        command.env("RUSTFLAGS", flags).out(0)
    };
    let idle = payload("Notification-idle_prompt")?;
    let printed = |hook: &str| -> Result<String> { Ok(run_installed(project.path(), hook, &idle)?.stderr) };

    let linker = project.path().join("linker");
    files::program(&linker, "#!/bin/sh\ntouch \"$0-was-run\"\nexec cc \"$@\"\n")?;
    let summary = install(&[], "--cfg hookkit_authors_flag", text(&linker)?)?;
    assert_eq!(project.exists("linker-was-run"), summary.contains("musl"));
    let found = is_dynamic(&project, "overhear")?;
    assert_eq!(found, summary.contains("dynamically linked"));
    assert!(printed("overhear")?.contains("built with the author's flag"));

    // The standard library's handler of panics is linked only where no other takes its place.
    let backtraces = "RUST_BACKTRACE";
    let summary = install(&[], "", "")?;
    assert_eq!(contains(&project, "overhear", backtraces)?, !summary.contains("musl"));

    let summary = install(&["--dynamic"], "", "")?;
    assert!(contains(&project, "overhear", backtraces)?);
    summary.has("dynamically linked");
    summary.lacks("statically linked");
    assert!(cfg!(not(target_os = "linux")) || is_dynamic(&project, "overhear")?);
    assert!(!printed("overhear")?.contains("built with the author's flag"));

    // The author's profiles do not apply to hooks.
    let binary = fs::read(installed(project.path(), "overhear")?)?;
    let mut profile = command(&stage.app(), &["install", "--project", path, "--dynamic"])?;
    for (key, value) in PROFILE.lines().filter_map(|line| line.split_once('=')) {
        profile.env(format!("CARGO_PROFILE_DEV_{key}"), value);
    }
    profile.env("RUSTFLAGS", "").out(0)?;
    assert!(fs::read(installed(project.path(), "overhear")?)? == binary);

    // The author's debug assertions do not change the list of hooks or the binary.
    for collects in [false, true] {
        let config = format!("[profile.dev.package.overhear-hooks]\ndebug-assertions = {collects}\n");
        stage.write("app/.cargo/config.toml", &config)?;
        let summary = install(&["--dynamic"], "", "")?;
        assert!(summary.contains("1 hook"), "{summary}");
        assert!(fs::read(installed(project.path(), "overhear")?)? == binary);
    }
    Ok(())
}

#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
fn hooks_are_built_for_the_named_target() -> Result<()> {
    let stage = Stage::with_hooks("overhear", OVERHEAR, "")?;
    let project = Project::new()?;
    let project_path = text(project.path())?;
    let target = "x86_64-unknown-linux-gnu";
    let arguments = ["install", "--target", target, "--hook", "overhear", "--project", project_path, "--verbose"];
    let default = xtask_ok(&stage.app(), &[&arguments[..1], &arguments[3..]].concat())?;
    let summary = xtask_ok(&stage.app(), &arguments)?;
    // If musl is not available, the linkage is the same as without `--target`.
    let link = match default.contains("(musl)") {
        true => "dynamically linked",
        false => "linked",
    };
    assert!(summary.contains(link) && !summary.contains("(musl)"), "{summary}");
    let holds = !summary.contains("rustup target add") || !default.contains("(musl)");
    assert!(holds, "{summary}");
    let ran = run_installed(project.path(), "overhear", &payload("Notification-idle_prompt")?)?;
    assert_eq!(ran.exit_code, Some(0));
    let other = ["install", "--target", "made-up", "--project", project_path];
    let expected = "error: there is no standard library for made-up here; install it: rustup target add made-up\n";
    assert_eq!(refused(&stage.app(), &other)?, expected);
    Ok(())
}

#[test]
fn hooks_in_a_private_module_are_reported_with_the_fix() -> Result<()> {
    let hook = |name: &str| format!("    /// Observes.\n    #[hookkit::hook(Stop)]\n    pub fn {name}() {{}}\n");
    let hooks = ["look_on", "look_up", "look_out"].map(hook).concat();
    let stage = Stage::with_hooks("unreachable", &format!("mod deep {{\n{hooks}}}\n"), "")?;
    let project = Project::new()?;
    let stderr = refused(&stage.app(), &["install", "--project", text(project.path())?])?;
    for hook in ["look-on", "look-up", "look-out"] {
        stderr.has(&format!("{hook}: module `deep` is private"));
    }
    stderr.has("`pub mod`");
    stderr.lacks("E0603");
    stderr.lacks("launchers");
    assert!(!project.exists(".claude"));
    Ok(())
}

/// The hooks of this repository's packs.
const OURS: &str = include_str!("../../fixtures/our-hooks.txt");

/// The README's first command. The alias runs xtask with cargo, and so does this test: the binary of these tests, which is
/// the same function, and is built already.
#[test]
fn the_alias_installs_the_packs_of_this_repository() -> Result<()> {
    let config = fs::read_to_string(repository().join(".cargo/config.toml"))?;
    let alias = "xtask = \"run --config profile.dev.panic='abort' --config profile.dev.incremental=false \
                 --package hookkit-xtask --bin xtask --\"";
    let holds = config.lines().any(|line| line == alias);
    assert!(holds, "no line `{alias}` in {config}");
    let project = Project::new()?;
    let install = ["--", "install", "--project", text(project.path())?];
    let mut cargo = Command::new(cargo_program());
    let printed = cargo.args(RUN_XTASK).args(install).current_dir(repository()).out(0)?;
    for hook in OURS.lines() {
        assert!(installed(project.path(), hook)?.is_file());
    }
    // Each binary has only the code that its hook uses, not that of other hooks.
    assert!(contains(&project, "format-on-edit", "--no-error-on-unmatched-pattern")?);
    let flag = "--no-error-on-unmatched-pattern";
    assert!(!contains(&project, "block-secrets-in-prompts", flag)?);
    let size = |hook: &str| -> Result<u64> { Ok(fs::metadata(installed(project.path(), hook)?)?.len()) };
    assert!(size("block-secrets-in-prompts")? < size("deny-secrets")?);
    let is_linked = cfg!(target_arch = "x86_64") && printed.contains("statically linked (musl)");
    match is_linked {
        true => guards_stay_within_their_budgets(&project),
        false => Ok(()),
    }
}

/// A line as a model writes it, and ten commands.
const LINES: [(&str, &str); 2] = [
    ("a line", "git status"),
    (
        "ten commands",
        "cd src && sudo cat x | grep -v y; docker exec -it web ls /tmp; curl -o x https://example.com/y; \
         npx prettier .; find . -name '*.rs' -exec cat {} +; git add -A; sed -n 1,5p x; cp a b",
    ),
];

fn guards_stay_within_their_budgets(project: &Project) -> Result<()> {
    let mut rows = Vec::new();
    let hooks = [
        "deny-destruction", "protect-secrets", "protect-files", "approve-read-only", "keep-to-worktree",
        "check-packages", "use-project-commands",
    ];
    let names = hooks.iter().flat_map(|hook| LINES.map(|(what, _)| [format!("{hook}, {what}"), (*hook).to_owned()]));
    // Of the ten commands, it would take a snapshot.
    let names = names.chain([["keep-snapshots, a line", "keep-snapshots"].map(str::to_owned)]);
    let names: Vec<[String; 2]> = names.collect();
    let payload = |tool: &str, input: Value| {
        let payload = json!({
            "session_id": "1", "transcript_path": "/none/1.jsonl", "cwd": "/none/project", "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1",
        });
        payload.to_string()
    };
    for ([what, hook], (_, line)) in names.iter().zip(LINES.iter().cycle()) {
        let input = json!({"command": line, "description": "x"});
        rows.push((what.as_str(), hook.as_str(), payload("Bash", input)));
    }
    let output = |tool: &str, input: Value, response: Value| {
        let call = json!({
            "session_id": "1", "transcript_path": "/none/1.jsonl", "cwd": "/none/project", "permission_mode": "default",
            "hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": input, "tool_response": response,
            "tool_use_id": "toolu_1",
        });
        call.to_string()
    };
    let stdout = json!({"stdout": "On branch main\nnothing to commit\n", "stderr": "", "interrupted": false});
    let code = "    let path = \"C:\\src\\main.rs\"; // a line: like = many\n".repeat(40);
    let read = json!({"type": "text", "file": {"filePath": "/none/a.rs", "content": code, "numLines": 40}});
    rows.push(("redact-output, a line", "redact-output", output("Bash", json!({"command": "git status"}), stdout)));
    rows.push(("redact-output, 2 KB", "redact-output", output("Read", json!({"file_path": "/none/a.rs"}), read)));
    let content = "// The longest name that is shown.\nconst LONGEST: usize = 40;\n".repeat(20);
    let write = payload("Write", json!({"file_path": "/none/project/a.rs", "content": content}));
    rows.push(("needless-comments, a file", "needless-comments", write));
    budgets::check("guards_stay_within_their_budgets", project, &rows)
}

#[test]
fn a_hook_has_the_same_bytes_whichever_other_packs_are_chosen() -> Result<()> {
    let binary = |packs: &[&str]| -> Result<Vec<u8>> {
        let project = Project::new()?;
        let mut arguments = vec!["install", "--project", text(project.path())?];
        arguments.extend(packs.iter().flat_map(|pack| ["--pack", pack]));
        xtask_ok(fixture()?, &arguments)?;
        Ok(fs::read(installed(project.path(), "attend")?)?)
    };
    let alone = binary(&["attend-hooks"])?;
    assert!(binary(&["attend-hooks", "answers-hooks"])? == alone);
    assert!(binary(&[])? == alone);
    Ok(())
}
