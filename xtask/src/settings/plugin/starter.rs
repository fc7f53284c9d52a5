//! The script that starts the right program for the system. It has the same name on all systems.
//!
//! `hooks.json` cannot choose a program by platform (client 2.1.330). Windows finds a program by its name without
//! `.exe`, so the same name starts the script on Unix and the program on Windows.

const SCRIPT: &str = include_str!("starter.sh");

/// A shell pattern that matches no argument, for a plugin without guards.
const NO_GUARD: &str = "/";

/// Returns a plugin's script. If there is no program for the system, the hooks in `guards` fail, and all others do
/// nothing.
///
/// Names of hooks and plugins contain no special shell characters. They are quoted because a hook named `esac` would
/// end the list.
pub(super) fn script(plugin: &str, guards: &[&str]) -> String {
    let guards = match guards {
        [] => NO_GUARD.to_owned(),
        guards => Vec::from_iter(guards.iter().map(|guard| format!("'{guard}'"))).join(" | "),
    };
    SCRIPT.replace("NAME", plugin).replace("GUARDS", &guards)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::process::{Command, Output};

    use super::*;

    const PROGRAM: &str = "#!/bin/sh\necho \"$$ $@\"\nexit 7\n";

    /// Returns a folder with the script and, if given, a program for this system with this text and mode.
    fn folder(program: Option<(&str, u32)>) -> tempfile::TempDir {
        let folder = test_support::named_folder("with blank ");
        let write = |name: &str, text: &str, mode: u32| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        write("acme", &script("acme", &["esac", "guard", "other-guard"]), 0o755);
        if let Some((text, mode)) = program {
            let name = if cfg!(target_os = "macos") {
                "acme-macos".to_owned()
            } else {
                format!("acme-linux-{}", std::env::consts::ARCH)
            };
            write(&name, text, mode);
        }
        folder
    }

    fn run(folder: &Path, arguments: &[&str]) -> (u32, Output) {
        for _ in 0..1_000 {
            let started = Command::new(folder.join("acme"))
                .args(arguments)
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped())
                .spawn();
            // A child process that another test is starting has a copy of our descriptor for the file, until it
            // executes its program.
            let child = match started {
                Err(err) if err.kind() == std::io::ErrorKind::ExecutableFileBusy => continue,
                started => started.unwrap(),
            };
            let (id, output) = (child.id(), child.wait_with_output().unwrap());
            if !String::from_utf8_lossy(&output.stderr).contains("Text file busy") {
                return (id, output);
            }
        }
        panic!("the script is always open for writing");
    }

    #[test]
    fn the_program_takes_the_place_of_the_script() {
        let folder = folder(Some((PROGRAM, 0o755)));
        let (id, output) = run(folder.path(), &["guard", "a b"]);
        // The program has the script's process id.
        assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{id} guard a b\n"));
        assert_eq!(output.status.code(), Some(7));
    }

    #[test]
    fn without_a_program_guards_fail_and_others_do_nothing() {
        for (folder, why) in [
            (folder(None), "has no program for this system"),
            (folder(Some((PROGRAM, 0o644))), "is not executable"),
            (folder(Some(("", 0o755))), "is empty"),
        ] {
            for (hook, exit_code) in [("guard", 1), ("other-guard", 1), ("esac", 1), ("observer", 0)] {
                let (_, output) = run(folder.path(), &[hook]);
                assert_eq!(output.status.code(), Some(exit_code), "{hook}");
                let stderr = String::from_utf8_lossy(&output.stderr);
                assert!(stderr.contains(why) && stderr.contains(hook), "{stderr}");
                assert!(output.stdout.is_empty());
            }
        }
    }

    #[test]
    fn an_empty_program_is_not_one() {
        let folder = folder(Some((PROGRAM, 0o755)));
        for entry in fs::read_dir(folder.path()).unwrap() {
            let path = entry.unwrap().path();
            if !path.ends_with("acme") {
                fs::File::create(path).unwrap();
            }
        }
        for (hook, exit_code) in [("guard", 1), ("observer", 0)] {
            let (_, output) = run(folder.path(), &[hook]);
            assert_eq!(output.status.code(), Some(exit_code), "{hook}");
            assert!(String::from_utf8_lossy(&output.stderr).contains("is empty"));
        }
    }

    #[test]
    fn a_plugin_without_guards_never_fails() {
        let script = script("acme", &[]);
        assert!(script.contains("\n/) exit 1 ;;\n"), "{script}");
    }

    #[test]
    fn the_script_is_for_all_shells() {
        let script = script("acme", &["guard"]);
        for words in ["[[", "function ", "local ", "$'", "==", "source "] {
            assert!(!script.contains(words), "{words}");
        }
    }
}
