//! Linters: the files that each checks, its command, and the reported part of its output.

use crate::complaint::is_missing;
use crate::prelude::*;

/// A file that the configuration excludes stays excluded when it is named.
const RUFF: (&str, &str) = ("ruff check", "check --force-exclude --no-fix --quiet --output-format=concise");
const GO_VET: (&str, &str) = ("go vet", "vet .");

/// One run of a linter, on all files that it can check together.
pub(super) struct Run<'f> {
    /// The linter's name, and its arguments before the files, which are absolute: none is mistaken for an option.
    linter: (&'static str, &'static str),
    program: PathBuf,
    folder: &'f Path,
    /// The project's root. File names are relative to it.
    root: &'f Path,
    files: Vec<&'f Path>,
}

impl<'f> Run<'f> {
    /// Returns the run for a file, if the project uses a linter for it and the linter is installed.
    pub(super) fn of(file: &'f ProjectPath, search_path: &OsStr) -> Option<Self> {
        let path = file.resolved.as_path();
        let folders = configured::folders(file);
        let (own, root) = (*folders.first()?, file.folders().last()?);
        let own_or_installed = |own, name| program::own_or_installed(&folders, own, name, search_path);
        let (linter, program, folder) = match path.extension()?.to_str()? {
            "py" | "pyi" | "ipynb" => {
                configured::ruff_lints(&folders)?;
                (RUFF, own_or_installed(".venv/bin/ruff", "ruff")?, root)
            }
            end if lists("js cjs mjs jsx ts cts mts tsx vue svelte", end) => {
                let folder = configured::eslint(&folders)?;
                let eslint = own_or_installed("node_modules/.bin/eslint", "eslint")?;
                (("eslint", "--no-color"), eslint, folder)
            }
            "sh" | "bash" | "ksh" => {
                (("shellcheck", "--format=gcc --color=never"), program::find("shellcheck", search_path)?, root)
            }
            "go" => {
                folders.iter().find(|folder| folder.join("go.mod").exists())?;
                (GO_VET, program::find("go", search_path)?, own)
            }
            _ => return None,
        };
        Some(Self { linter, program, folder, root, files: vec![path] })
    }

    /// Returns the file of a run with only one file.
    pub(super) fn file(&self) -> &'f Path {
        self.files[0]
    }

    /// Takes over the files of another run, if one run can check both. Returns `true` if it did.
    pub(super) fn merge(&mut self, other: &Self) -> bool {
        let is_same = (self.linter, &self.program, self.folder) == (other.linter, &other.program, other.folder);
        if is_same {
            self.files.extend(&other.files);
        }
        is_same
    }

    /// Returns the linter's findings under its name. The error is the reason why the linter could not run.
    pub(super) fn findings(&self) -> Result<Option<String>, String> {
        let (name, _) = self.linter;
        let failed = |why: &str| format!("`{name}` could not lint {}: {why}", self.names());
        let output = self.command().output().map_err(|err| failed(&err.to_string()))?;
        if output.status.success() || is_missing(&output) {
            return Ok(None);
        }
        // All of them exit with 1 if they find something, and with another code if they fail.
        let findings = match output.status.code() {
            Some(1) => self.message(&output),
            _ => None,
        };
        match findings {
            Some(findings) if findings.is_empty() => Ok(None),
            Some(findings) => Ok(Some(format!("`{name}`:\n{findings}"))),
            None => Err(failed(&complaint(&output).unwrap_or_default())),
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(self.linter.1.split(' '))
            .current_dir(self.folder)
            .env("NO_COLOR", "1")
            .env_remove("FORCE_COLOR")
            .env_remove("CLICOLOR_FORCE");
        match self.linter {
            // `go` would otherwise download the toolchain that the module names, in the middle of an edit.
            GO_VET => command.env("GOTOOLCHAIN", "local"),
            _ => command.args(&self.files),
        };
        command
    }

    /// Returns the linter's message about the files, with their paths in the project; `None` if the message is about
    /// something else.
    fn message(&self, output: &Output) -> Option<String> {
        let of_root = format!("{}/", self.root.display());
        match self.linter {
            GO_VET => self.of_files(&output.stderr_text()),
            _ => Some(output.stdout_text().trim_start_matches('\n').replace(&of_root, ""))
                .filter(|findings| !findings.is_empty()),
        }
    }

    /// Returns the part of `go vet`'s output that is about the files: lines that name one, and the indented lines below
    /// them. `go vet` checks the whole package.
    fn of_files(&self, text: &str) -> Option<String> {
        let mut message = String::new();
        let (mut is_reported, mut is_of_package) = (false, false);
        for line in text.lines() {
            if !line.starts_with(['\t', ' ']) {
                let line = line.strip_prefix("vet: ").unwrap_or(line);
                let line = line.strip_prefix("./").unwrap_or(line);
                is_of_package |= line.starts_with('#') || line.contains(".go:");
                let file = line.split_once(".go:").and_then(|(name, _)| {
                    let name = format!("{name}.go");
                    self.files.iter().find(|file| file.ends_with(&name))
                });
                is_reported = file.is_some();
                if let Some(folder) = file.and_then(|file| file.parent()?.strip_prefix(self.root).ok()) {
                    message.extend([&*folder.join(line).to_string_lossy(), "\n"]);
                }
            } else if is_reported {
                message.extend([line, "\n"]);
            }
        }
        is_of_package.then(|| message.trim_end().to_owned())
    }

    fn names(&self) -> String {
        let names = self.files.iter().map(|file| {
            let name = file.strip_prefix(self.root).unwrap_or(file);
            format!("`{}`", name.display())
        });
        names.collect::<Vec<_>>().join(", ")
    }
}
