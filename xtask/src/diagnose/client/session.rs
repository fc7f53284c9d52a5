//! One headless run of the client in an isolated environment: it neither reads nor writes the user's files.

#![expect(clippy::disallowed_methods, reason = "the folder is a temporary one")]

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::diagnose::client::call::MARK;
use crate::diagnose::client::isolation::{self, Running};
use crate::terminal::quoted;

/// Files of a project from which the client would start programs, if they are in a folder above the temporary one.
const ABOVE: [&str; 2] = [".claude", ".mcp.json"];

/// The folders of a run, removed when it is dropped.
pub(super) struct World {
    root: PathBuf,
    /// The folder of the copies has the place of the organization's settings.
    covers: bool,
    _folder: TempDir,
}

/// The outcome of a run.
pub(super) struct Ended {
    pub(super) status: Option<ExitStatus>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl World {
    pub(super) fn new() -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("hookkit-client-").tempdir();
        let folder = folder.context("there is no temporary folder")?;
        // The client resolves links before it looks up a project.
        let root = folder.path().canonicalize()?;
        if let Some(path) = isolation::found_in(root.ancestors(), &ABOVE) {
            bail!("the client would read {}: set TMPDIR to another folder", path.display());
        }
        for name in [
            "home", "config", "tmp", "project/.claude", "managed/managed-settings.d", MARK,
        ] {
            let folder = root.join(name);
            fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        }
        let covers = isolation::covers(&root.join("managed"))?;
        let world = Self {
            root,
            covers,
            _folder: folder,
        };
        isolation::trust(&world.config(), &world.project())?;
        Ok(world)
    }

    pub(super) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// Returns the folder around the project.
    pub(super) fn repository(&self) -> PathBuf {
        self.root.clone()
    }

    /// Makes the folder around the project a repository.
    pub(super) fn make_repository(&self) -> Result<()> {
        for name in [".git", ".claude"] {
            let folder = self.root.join(name);
            fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        }
        // A folder of a repository is trusted with the root.
        isolation::trust(&self.config(), &self.root)
    }

    /// Returns the folder of the organization's settings.
    pub(super) fn managed(&self) -> PathBuf {
        self.root.join("managed")
    }

    pub(super) fn config(&self) -> PathBuf {
        self.root.join("config")
    }

    pub(super) fn write(&self, path: &Path, text: &str) -> Result<()> {
        fs::write(path, text).with_context(|| format!("writing {}", path.display()))
    }

    /// Returns the path of the program that replaces a handler's: it stores its payload, and prints nothing.
    pub(super) fn recorder(&self, number: usize) -> PathBuf {
        // The marker is part of the path, so that the client's own list names the handler.
        self.root.join(format!("{MARK}{number:04}"))
    }

    pub(super) fn record(&self, number: usize) -> Result<()> {
        let path = self.recorder(number);
        // Each run writes its own file: two may run at once.
        self.write(&path, "#!/bin/sh\nexec cat > \"$0.$$\"\n")?;
        fs::set_permissions(&path, Permissions::from_mode(0o755))?;
        Ok(())
    }

    /// Returns the recorder's path, quoted for a shell.
    pub(super) fn shell_recorder(&self, number: usize) -> String {
        quoted(&self.recorder(number).display().to_string())
    }

    /// Checks that a recorder can be run here.
    pub(super) fn try_recorder(&self, number: usize) -> Result<()> {
        let run = || Command::new(self.recorder(number)).stdin(Stdio::null()).status();
        let mut ran = run();
        // While another thread starts a process, that process also has the script open for writing.
        for _ in 0..50 {
            match &ran {
                Err(err) if err.kind() == ErrorKind::ExecutableFileBusy => thread::sleep(Duration::from_millis(10)),
                _ => break,
            }
            ran = run();
        }
        let folder = self.root.display();
        ensure!(
            ran.is_ok_and(|status| status.success()),
            "programs cannot be run in {folder}: set TMPDIR to another folder"
        );
        for (path, _) in self.records()? {
            fs::remove_file(path)?;
        }
        Ok(())
    }

    /// Returns the payloads of the recorders, each with its number.
    pub(super) fn heard(&self) -> Result<Vec<(usize, Value)>> {
        let mut heard = Vec::new();
        for (path, number) in self.records()? {
            // A payload that was cut off still proves that the handler ran.
            heard.push((number, serde_json::from_slice(&fs::read(path)?).unwrap_or_default()));
        }
        Ok(heard)
    }

    fn records(&self) -> Result<Vec<(PathBuf, usize)>> {
        let mut records = Vec::new();
        for file in fs::read_dir(self.root.join(MARK))? {
            let name = file?.file_name();
            let name = name.to_string_lossy();
            let number = name.split_once('.').and_then(|(number, _)| number.parse().ok());
            records.extend(number.map(|number| (self.root.join(MARK).join(&*name), number)));
        }
        Ok(records)
    }

    /// Returns a command that prints the dummy key, for settings with an `apiKeyHelper`.
    pub(super) fn key_command() -> String {
        format!("echo {}", isolation::API_KEY)
    }

    pub(super) fn debug_log(&self) -> PathBuf {
        self.root.join("debug")
    }

    /// Runs the client until it exits or reaches the limit.
    pub(super) fn run(
        &self,
        client: &Path,
        arguments: &[OsString],
        url: &str,
        stdin: &str,
        limit: Duration,
    ) -> Result<Ended> {
        let files = ["stdin", "stdout", "stderr"].map(|name| self.root.join(name));
        self.write(&files[0], stdin)?;
        let mut command = match self.covers {
            true => {
                let mut command = isolation::covering(&self.managed());
                command.arg(client);
                command
            }
            false => Command::new(client),
        };
        let [home, temporary] = ["home", "tmp"].map(|name| self.root.join(name));
        isolation::isolate(&mut command, &home, &self.config(), &temporary, url);
        command
            .args(arguments)
            .current_dir(self.project())
            .envs(["NO_PROXY", "no_proxy"].map(|name| (name, "127.0.0.1")))
            // Requests to other hosts go to the model, which has no answer for them.
            .envs(["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].map(|name| (name, url)))
            // The client may be a script whose interpreter is in PATH.
            .envs(env::var_os("PATH").map(|path| ("PATH", path)))
            .process_group(0)
            .stdin(File::open(&files[0])?)
            // Files, not pipes: a process that keeps running does not block the read.
            .stdout(File::create(&files[1])?)
            .stderr(File::create(&files[2])?);
        let child = command
            .spawn()
            .with_context(|| format!("{} could not be started", client.display()))?;
        let status = Running(child).wait(limit).context("waiting for the client")?;
        let [_, stdout, stderr] = files.map(|file| fs::read(file).unwrap_or_default());
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(Ended {
            status,
            stdout: text(stdout),
            stderr: text(stderr),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_client_past_its_limit_is_ended() -> Result<()> {
        let world = World::new()?;
        let started = Instant::now();
        let arguments = ["-c".into(), "sleep 60".into()];
        let ended = world.run(Path::new("/bin/sh"), &arguments, "", "", Duration::from_millis(500))?;
        assert!(ended.status.is_none() && started.elapsed() < Duration::from_secs(30));
        Ok(())
    }

    #[test]
    fn a_recorder_stores_its_payload() -> Result<()> {
        let world = World::new()?;
        world.record(7)?;
        world.try_recorder(7)?;
        assert!(world.heard()?.is_empty());
        let arguments = ["-c".into(), OsString::from(world.shell_recorder(7))];
        world.run(
            Path::new("/bin/sh"),
            &arguments,
            "",
            "{\"a\": 1}\n",
            Duration::from_secs(10),
        )?;
        assert_eq!(world.heard()?, [(7, json!({"a": 1}))]);
        Ok(())
    }
}
