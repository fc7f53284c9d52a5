//! Secrets in the environment do not leak into files, output or command lines.
//!
//! Processes still inherit them in their environment, as the client and cargo pass them on; only the user can read them
//! there.

use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use hookkit_tests::faults;
use hookkit_tests::prelude::*;

/// Variables with secrets of Claude Code, cargo and a hook's own process.
const NAMES: [&str; 4] = ["ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "CARGO_REGISTRIES_ACME_TOKEN", "GITHUB_TOKEN"];

const HOOKS: &str = include_str!("../../fixtures/sources/environment.txt");

/// Returns the unique value of a variable.
fn value(name: &str) -> String {
    format!("sk-{}-{}-secret", name.to_lowercase(), std::process::id())
}

/// The secret in the workspace's Cargo.toml.
const BAKED: &str = "baked-into-the-binary-by-design-secret";

fn is_in(bytes: &[u8], secret: &str) -> bool {
    let Some((first, others)) = secret.as_bytes().split_first() else {
        return true;
    };
    // The standard library's search for a byte is optimized, also in these tests: the target folder is large.
    let mut rest = bytes;
    while matches!(rest.skip_until(*first), Ok(1..)) {
        if rest.starts_with(others) {
            return true;
        }
    }
    false
}

/// Finds all files below a folder that contain the secret and were written since then.
fn holding(folder: &Path, secret: &str, since: SystemTime, found: &mut BTreeSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        // Another build may have removed the file.
        let Ok(metadata) = path.symlink_metadata() else {
            continue;
        };
        if metadata.is_dir() {
            holding(&path, secret, since, found)?;
        } else if metadata.is_file()
            && metadata.modified()? >= since
            && is_in(&fs::read(&path).unwrap_or_default(), secret)
        {
            found.insert(path);
        }
    }
    Ok(())
}

/// Checks the command lines of all processes while `run` runs.
fn watched<T>(secrets: &[String], run: impl FnOnce() -> Result<T>) -> Result<T> {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut seen = BTreeSet::new();
            loop {
                let is_last = is_over.load(Ordering::Relaxed);
                for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
                    let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
                    if secrets.iter().any(|secret| is_in(&line, secret)) {
                        seen.insert(String::from_utf8_lossy(&line).replace('\0', " "));
                    }
                }
                if is_last {
                    return seen;
                }
                thread::sleep(Duration::from_millis(1));
            }
        });
        let done = run();
        is_over.store(true, Ordering::Relaxed);
        let seen = watch.join().expect("no panic");
        ensure!(seen.is_empty(), "on a command line: {seen:?}");
        done
    })
}

fn with_secrets(command: &mut Command) -> &mut Command {
    command.envs(NAMES.map(|name| (name, value(name))))
}

#[test]
fn secrets_of_the_environment_do_not_leak() -> Result<()> {
    let baked = format!(
        "[workspace.metadata.hookkit.hooks.has]\nenv = {{ ACME_BAKED = \"{BAKED}\" }}\n\
         [workspace.metadata.hookkit.hooks.panics]\nenv = {{ ACME_BAKED = \"{BAKED}\" }}\n"
    );
    let started = SystemTime::now();
    // The pack differs in each run, so that it, its lister and its launchers are built now.
    let hooks = format!("{HOOKS}\n// Of the process {}.\n", std::process::id());
    let stage = Stage::with_hooks("secrets", &hooks, &baked)?;
    let hooks = stage.app();
    let target = stage.target();
    let project = Project::new()?;
    let temporary = test_support::folder();
    let home = test_support::folder();
    let mut secrets: Vec<String> = NAMES.iter().map(|name| value(name)).collect();
    secrets.push(BAKED.to_owned());
    let ensure_not_printed = |what: &str, output: &Output| {
        for secret in &secrets {
            let is_printed = is_in(&output.stdout, secret) || is_in(&output.stderr, secret);
            ensure!(!is_printed, "{what} prints {secret}: {output:?}");
        }
        Ok(())
    };

    let (path, folder) = (text(project.path())?, text(&hooks)?);
    for (arguments, code) in [
        (&["install", "--project", path][..], 0),
        (&["install", "--check", "--project", path], 0),
        (&["install", "--json", "--project", path], 0),
        (&["list", "--project", path], 0),
        (&["list", "--json", "--project", path], 0),
        (&["doctor", "--project", path], 0),
        (&["doctor", "--json", "--check", "--project", path], 0),
        (&["run", "--pack", "secrets-hooks", "--path", folder], 1),
        (&["run", "--pack", "secrets-hooks", "--path", folder, "--json"], 1),
        (&["install", "--hook", "none", "--project", path], 2),
    ] {
        let output = watched(&secrets, || {
            let mut command = command(&hooks, arguments)?;
            command.env("CLAUDE_CONFIG_DIR", home.path()).env("TMPDIR", temporary.path());
            Ok(with_secrets(&mut command).output()?)
        })?;
        ensure_not_printed(&format!("{arguments:?}"), &output)?;
        // `doctor` has findings about hooks that fail, which are not tested here.
        let holds = output.status.code() == Some(code) || arguments[0] == "doctor";
        ensure!(holds, "{arguments:?}: {output:?}");
    }

    let variables = project.path().join("variables.sh");
    for (hook, recorded, code) in [
        ("panics", "PreToolUse-Bash", 2),
        ("fails", "SessionStart-startup", 1),
        ("has", "PreToolUse-Bash", 0),
        ("has", "Stop", 2),
    ] {
        let output = watched(&secrets, || {
            let mut command = Command::new(installed(project.path(), hook)?);
            command
                .current_dir(project.path())
                .env("TMPDIR", temporary.path())
                .env("CLAUDE_ENV_FILE", &variables)
                .env("RUST_BACKTRACE", "full");
            with_secrets(&mut command);
            faults::run_piped(command, payload(recorded)?.as_bytes())
        })?;
        ensure_not_printed(hook, &output)?;
        ensure!(output.status.code() == Some(code), "{hook} on {recorded}: {output:?}");
    }

    for secret in &secrets {
        let mut found = BTreeSet::new();
        for folder in [project.path(), temporary.path(), home.path(), stage.path()] {
            holding(folder, secret, SystemTime::UNIX_EPOCH, &mut found)?;
        }
        // Other tests may have built in this folder before.
        holding(target, secret, started, &mut found)?;
        if secret == BAKED {
            // The manifest, build artifacts and the installed binaries contain it by design.
            let is_built =
                |path: &PathBuf| path.starts_with(target) || path.starts_with(project.path().join(".claude/hookkit"));
            found.retain(|path| !is_built(path) && *path != hooks.join("Cargo.toml"));
            let holds = is_in(&fs::read(installed(project.path(), "has")?)?, BAKED);
            ensure!(holds, "the value is not in the binary");
            let holds = !is_in(&fs::read(installed(project.path(), "fails")?)?, BAKED);
            ensure!(holds, "the value is in another hook's binary");
        }
        ensure!(found.is_empty(), "{secret} is in {found:?}");
    }
    Ok(())
}
