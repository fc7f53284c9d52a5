//! Formatting what was just edited.

mod rustfmt;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use hookkit::ProjectPath;
use hookkit::prelude::*;
use hookkit::process::{Command, Output};

use crate::complaint::complaint;
use crate::{configured, program};

/// Formats a file that was just edited, with the formatter of its type.
///
/// The model then reads and continues code in the project's style, and nobody's diff is about blanks.
///
/// | files | formatter | when |
/// |---|---|---|
/// | Rust | `rustfmt`, in the crate's edition | always |
/// | Go | `gofmt` | always |
/// | Python | `ruff format`, from `.venv` or `PATH` | ruff is configured, and black is not |
/// | TypeScript, JSON, CSS, Markdown … | `prettier`, from `node_modules` or `PATH` | prettier is configured or a dependency |
///
/// Rust and Go have one style. For the others many projects have none or another tool, so that only the project's own
/// configuration, in the file's folder or one above it up to the project's root, calls the formatter.
///
/// It stays silent on success: the client itself reports to the model that a hook changed the file, and lets the next edit
/// pass (client 2.1.330).
/// It is silent, too, where the formatter is not installed, where the file is gone, and on files outside the project.
/// Where the formatter fails, as on a syntax error, the model reads the beginning of its complaint.
///
/// `rustfmt` gets the file alone, so that the modules it names are left as they are, and the option `ignore` in
/// `rustfmt.toml` is not honored.
///
/// # What it cannot see
///
/// - What shell commands write.
/// - On Windows, programs other than `.exe` in `PATH`: so prettier does not run there.
///
/// # Errors
///
/// When a formatter is there but does not start, or the file cannot be read or written: the user reads why, and the work
/// goes on.
#[hook(PostToolUse, matcher = "Edit|Write", timeout = 30)]
pub fn format_on_edit(call: PostToolUse<tool::FileChange>, context: Context) -> Result<PostToolUseAnswer, Error> {
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    let complaint = format(&context.path(&call.input.file_path)?, &search_path)?;
    let answer = PostToolUseAnswer::pass();
    Ok(match complaint {
        Some(complaint) => answer.with_context(complaint),
        None => answer,
    })
}

/// Formats the file; what to tell the model, if that fails.
fn format(path: &ProjectPath, search_path: &OsStr) -> Result<Option<String>, Error> {
    // The real path: prettier denies links.
    let file = path.resolved.as_path();
    let (Some(relative), Some(folder), Some(extension)) =
        (&path.relative, file.parent(), file.extension().and_then(OsStr::to_str))
    else {
        return Ok(None);
    };
    if !file.is_file() {
        return Ok(None);
    }
    let folders: Vec<&Path> = path.folders().collect();
    let own_or_installed = |own, name| program::own_or_installed(&folders, own, name, search_path);

    let (name, output) = match extension {
        "rs" => ("rustfmt", rustfmt::run(file, folder, search_path)?),
        "go" => {
            let gofmt = program::find("gofmt", search_path);
            ("gofmt", in_place(gofmt, &["-w"], file, folder)?)
        }
        "py" | "pyi" if configured::ruff_formats(&folders) => {
            let ruff = own_or_installed(".venv/bin/ruff", "ruff");
            // A file that the configuration excludes stays excluded when it is named.
            ("ruff", in_place(ruff, &["format", "--force-exclude"], file, folder)?)
        }
        "js" | "cjs" | "mjs" | "jsx" | "ts" | "cts" | "mts" | "tsx" | "vue" | "json" | "jsonc" | "json5" | "css"
        | "scss" | "less" | "html" | "md" | "mdx" | "yaml" | "yml" | "graphql" => {
            let Some(root) = configured::prettier(&folders) else {
                return Ok(None);
            };
            let prettier = own_or_installed("node_modules/.bin/prettier", "prettier");
            // A file that it ignores or does not know is not an error.
            let arguments = ["--write", "--ignore-unknown", "--no-error-on-unmatched-pattern"];
            ("prettier", in_place(prettier, &arguments, file, root)?)
        }
        _ => return Ok(None),
    };
    let complaint = output.and_then(|output| complaint(&output));
    Ok(complaint.map(|text| format!("`{name}` could not format `{relative}`:\n\n{text}")))
}

/// Runs a formatter that changes the file itself, if there is one.
fn in_place(program: Option<PathBuf>, arguments: &[&str], file: &Path, folder: &Path) -> Result<Option<Output>, Error> {
    let Some(program) = program else {
        return Ok(None);
    };
    let output = Command::new(program)
        .args(arguments)
        .arg(file)
        .current_dir(folder)
        .output()?;
    Ok(Some(output))
}

// They need programs that are scripts of a shell.
#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::program::install;
    use crate::test_project::TestProject;

    impl TestProject {
        fn format(&self, relative: &str) -> Option<String> {
            let bin = self.path("bin");
            format(&self.file(relative), bin.as_os_str()).unwrap()
        }

        /// Returns the runs of formatters on a file that they can format.
        fn formatted(&self, relative: &str) -> String {
            assert_eq!(self.format(relative), None);
            self.ran().unwrap_or_default()
        }
    }

    #[test]
    fn formatters_run_where_they_are_configured() {
        TestProject::check_runs("format: ", |project, files| project.formatted(files[0]));
    }

    #[test]
    fn a_formatter_that_is_not_installed_is_not_missed() {
        let project = TestProject::new();
        project.write("project/pyproject.toml", "[tool.ruff]");
        project.write("project/.prettierrc", "");
        for file in ["a.rs", "a.go", "a.py", "a.ts"] {
            project.write(&format!("project/{file}"), "");
            assert_eq!(project.format(&format!("project/{file}")), None);
        }
        project.script(
            "bin/gofmt",
            "echo 'version manager: gofmt: command not found' >&2; exit 127",
        );
        assert_eq!(project.format("project/a.go"), None);
    }

    #[test]
    fn the_formatters_complaint_is_reported() {
        let project = TestProject::new();
        project.write("project/src/a.go", "");
        for (script, complaint) in [
            (
                "echo 'a.go:1:1: expected package' >&2; exit 2",
                "a.go:1:1: expected package",
            ),
            ("echo 'on stdout'; exit 2", "on stdout"),
            ("exit 2", "it printed nothing (exit status: 2)"),
        ] {
            project.script("bin/gofmt", script);
            let expected = format!("`gofmt` could not format `src/a.go`:\n\n{complaint}");
            assert_eq!(project.format("project/src/a.go"), Some(expected));
        }
    }

    #[test]
    fn a_long_complaint_is_cut_at_a_character() {
        let project = TestProject::new();
        project.write("project/a.go", "");
        project.script(
            "bin/gofmt",
            "i=0; while [ $i -lt 6000 ]; do printf 'ä' >&2; i=$((i+1)); done; exit 1",
        );
        let complaint = project.format("project/a.go").unwrap();
        assert_eq!(complaint.matches('ä').count(), 4_000);
        assert!(complaint.ends_with("ä\n[the rest is left out]"));
    }

    #[test]
    fn a_formatter_that_does_not_start_is_an_error() {
        let project = TestProject::new();
        project.write("project/a.go", "");
        let gofmt = project.path("bin/gofmt");
        install(&gofmt, "#!/missing/interpreter\n");
        let error = format(&project.file("project/a.go"), project.path("bin").as_os_str());
        let error = error.unwrap_err().to_string();
        let expected = format!("`{}` could not be run: ", gofmt.display());
        assert!(error.starts_with(&expected), "{error}");
    }
}
