//! Formats files that were just edited.

mod rustfmt;

use crate::prelude::*;

/// Formats a file that was just edited, with the formatter of its type.
///
/// The model then reads and continues code in the project's style, and diffs have no whitespace-only changes.
///
/// | files | formatter | when |
/// |---|---|---|
/// | Rust | `rustfmt`, in the crate's edition | always |
/// | Go | `gofmt` | always |
/// | Python | `ruff format`, from `.venv` or `PATH` | ruff is configured, and black is not |
/// | TypeScript, JSON, CSS, Markdown … | `prettier`, from `node_modules` or `PATH` | prettier is configured or a dependency |
///
/// Rust and Go have one style each. For other languages, many projects use no formatter or a different one, so a
/// formatter runs only if the project configures it: in the file's folder or above it, up to the root of the project or
/// of the repository around it.
///
/// It prints nothing on success: the client itself reports to the model that a hook changed the file, and lets the next
/// edit pass (client 2.1.330). A formatter can remove lines that the edit has just added: prettier's plugins remove an
/// import that nothing uses yet. The model then reads the removed lines that had a word which is no longer in the file.
/// It also prints nothing if the formatter is not installed, if the file is gone, and for files outside the project. If
/// the formatter fails, for example on a syntax error, the model reads the beginning of its message.
///
/// `rustfmt` gets only the file, so the modules that the file names are not formatted, and the option `ignore` in
/// `rustfmt.toml` is not honored.
///
/// # What it cannot see
///
/// - Files that shell commands write.
/// - On Windows, programs in `PATH` other than `.exe`, so prettier does not run there.
///
/// # Errors
///
/// If a formatter is installed but does not start, or the file cannot be read or written, the user reads the reason,
/// and the work goes on.
#[hook(PostToolUse, matcher = "Edit|Write", timeout = 30)]
pub fn format_on_edit(call: PostToolUse<TextChange>, context: Context) -> Result<Option<PostToolUseAnswer>, Error> {
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    let path = context.path(call.input.path())?;
    let text = || call.input.text_before(&context).ok().flatten();
    let before = text();
    let complaint = format(&path, &search_path)?;
    let gone = || {
        let gone = gone(call.input.added_text(), &before?, &text()?)?;
        Some(format!(
            "The formatter removed lines of `{path}` that this edit had just added:\n\n{gone}\n\nThey are not in the \
             file now. If they are needed, add them together with the code that uses them."
        ))
    };
    Ok(complaint.or_else(gone).map(|text| PostToolUseAnswer::pass().with_context(text)))
}

/// Returns the lines of an edit with a word that is gone from the file after formatting. Lines that only changed their
/// form keep their words.
fn gone(added: &str, before: &str, after: &str) -> Option<String> {
    if before == after {
        return None;
    }
    let words = |text: &str| -> HashSet<String> {
        let words = text.split(|char: char| !char.is_alphanumeric() && char != '_');
        let words = words.map(|word| word.trim_matches('_')).filter(|word| word.starts_with(char::is_alphabetic));
        words.map(str::to_lowercase).collect()
    };
    let (before, after) = (words(before), words(after));
    let is_gone = |word: &String| before.contains(word) && !after.contains(word);
    let gone: Vec<&str> = added.lines().filter(|line| words(line).iter().any(is_gone)).collect();
    (!gone.is_empty()).then(|| head(&gone.join("\n")))
}

/// Formats the file. If that fails, returns the message for the model.
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
    let folders = configured::folders(path);
    let own_or_installed = |own, name| program::own_or_installed(&folders, own, name, search_path);

    let (name, output) = match extension {
        "rs" => ("rustfmt", rustfmt::run(file, folder, search_path)?),
        "go" => {
            let gofmt = program::find("gofmt", search_path);
            ("gofmt", in_place(gofmt, "-w", file, folder)?)
        }
        "py" | "pyi" if configured::ruff_formats(&folders) => {
            let ruff = own_or_installed(".venv/bin/ruff", "ruff");
            // A file that the configuration excludes stays excluded when it is named.
            ("ruff", in_place(ruff, "format --force-exclude", file, folder)?)
        }
        _ if lists(OF_PRETTIER, extension) => {
            let Some(root) = configured::prettier(&folders) else {
                return Ok(None);
            };
            let prettier = own_or_installed("node_modules/.bin/prettier", "prettier");
            // A file that it ignores or does not know is not an error.
            let arguments = "--write --ignore-unknown --no-error-on-unmatched-pattern";
            ("prettier", in_place(prettier, arguments, file, root)?)
        }
        _ => return Ok(None),
    };
    let complaint = output.and_then(|output| complaint(&output));
    Ok(complaint.map(|text| format!("`{name}` could not format `{relative}`:\n\n{text}")))
}

/// Extensions of files that Prettier formats.
const OF_PRETTIER: &str =
    "js cjs mjs jsx ts cts mts tsx vue json jsonc json5 css scss less html md mdx yaml yml graphql";

/// Runs a formatter that changes the file itself, if it is installed.
fn in_place(program: Option<PathBuf>, arguments: &str, file: &Path, folder: &Path) -> Result<Option<Output>, Error> {
    let Some(program) = program else {
        return Ok(None);
    };
    let output = Command::new(program).args(arguments.split(' ')).arg(file).current_dir(folder).output()?;
    Ok(Some(output))
}

// The tests run shell scripts as programs.
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

        /// Returns the runs of formatters on a file, for a test.
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
    fn lines_that_are_gone_have_a_word_that_is_gone() {
        for (added, after, expected) in [
            ("import { readFile } from 'fs'\nconst a=1\n", "const a = 1;\n", Some("import { readFile } from 'fs'")),
            ("import {b} from 'x'\nimport {a} from 'x'\n", "import { a, b } from \"x\";\n", None),
            ("let x=0XAB;let s='it\\'s'", "let x = 0xab;\nlet s = \"it's\";\n", None),
            ("_a_ and __b__", "*a* and **b**\n", None),
            ("use std::a;\nuse std::b;", "use std::{a, b};\n", None),
            ("", "x\n", None),
            ("a\n", "", Some("a")),
        ] {
            let before = format!("{added}old");
            assert_eq!(gone(added, &before, &format!("{after}old")).as_deref(), expected, "{added:?}");
            assert_eq!(gone(added, after, after), None);
        }
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
        project.script("bin/gofmt", "echo 'version manager: gofmt: command not found' >&2; exit 127");
        assert_eq!(project.format("project/a.go"), None);
    }

    #[test]
    fn the_formatters_complaint_is_reported() {
        let project = TestProject::new();
        project.write("project/src/a.go", "");
        for (script, complaint) in [
            ("echo 'a.go:1:1: expected package' >&2; exit 2", "a.go:1:1: expected package"),
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
        project.script("bin/gofmt", "i=0; while [ $i -lt 6000 ]; do printf 'ä' >&2; i=$((i+1)); done; exit 1");
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
