//! Runs rustfmt as `cargo fmt` does, but on one file.

use hookkit::Error;
use toml::de::DeValue;

use crate::configured::in_toml;
use crate::prelude::*;
use crate::program::find;

/// Edition for files that belong to no crate.
const NEWEST_EDITION: &str = "2024";

/// Formats the file; `None` if there is no rustfmt.
///
/// rustfmt reads the file from stdin and prints it to stdout. If the file were an argument, rustfmt would also format
/// all modules below it, and fail if one of them is not written yet.
pub(super) fn run(file: &Path, folder: &Path, search_path: &OsStr) -> Result<Option<Output>, Error> {
    let Some(rustfmt) = find("rustfmt", search_path) else {
        return Ok(None);
    };
    let at_file = |err| Error::msg(format_args!("`{}`: {err}", file.display()));
    let before = fs::read(file).map_err(at_file)?;
    let mut command = Command::new(rustfmt);
    command
        .current_dir(folder)
        .stdin(before.clone())
        .output_limit(usize::MAX)
        // rustup's shim would otherwise install the project's toolchain, in the middle of an edit.
        .env("RUSTUP_AUTO_INSTALL", "0");
    if let Some(edition) = edition(folder) {
        command.args(["--edition", &edition]);
    }
    let mut output = command.output()?;
    if output.status.success() {
        // A file is not emptied, whatever program has the name rustfmt.
        if output.stdout != before && !output.stdout.is_empty() {
            fs::write(file, &output.stdout).map_err(at_file)?;
        }
        return Ok(Some(output));
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    if is_not_installed(&stderr) {
        return Ok(None);
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    output.stderr = stderr.replace("<stdin>", &name).into_bytes();
    Ok(Some(output))
}

/// Returns `true` if the program is rustup's shim, and the toolchain or its rustfmt is not installed.
fn is_not_installed(stderr: &str) -> bool {
    let first = stderr.lines().next().unwrap_or_default();
    first.starts_with("error: ") && first.contains(" is not installed")
}

/// Returns the edition to pass to rustfmt: the crate's own, as in `cargo fmt`; `None` if `rustfmt.toml` sets one.
fn edition(folder: &Path) -> Option<String> {
    let of_crate = folder
        .ancestors()
        .find_map(|folder| in_toml(&folder.join("Cargo.toml"), |manifest| crate_edition(folder, manifest)));
    if of_crate.is_some() {
        return of_crate;
    }
    let names_edition = |file: &Path| in_toml(file, |options| options.contains_key("edition"));
    let named = folder.ancestors().find_map(|folder| {
        names_edition(&folder.join("rustfmt.toml")).or_else(|| names_edition(&folder.join(".rustfmt.toml")))
    });
    (named != Some(true)).then(|| NEWEST_EDITION.to_owned())
}

/// Returns the edition of the crate with this manifest, or of its workspace.
fn crate_edition(root: &Path, manifest: &DeTable<'_>) -> String {
    let Some(package) = manifest.get("package") else {
        return workspace_edition(root).unwrap_or_else(|| NEWEST_EDITION.to_owned());
    };
    let member = |key: &str| package.get_ref().get(key).map(|member| member.get_ref());
    let edition = match member("edition") {
        Some(DeValue::String(edition)) => Some(edition.to_string()),
        // `edition.workspace = true`
        Some(_) => match member("workspace").and_then(DeValue::as_str) {
            Some(root_of_workspace) => workspace_edition(&root.join(root_of_workspace)),
            None => workspace_edition(root),
        },
        None => None,
    };
    // Cargo's edition for a crate that names none.
    edition.unwrap_or_else(|| "2015".to_owned())
}

/// Returns the edition that members of the workspace inherit, from this folder or the nearest one above it.
fn workspace_edition(folder: &Path) -> Option<String> {
    folder.ancestors().find_map(|folder| {
        in_toml(&folder.join("Cargo.toml"), |manifest| {
            let workspace = manifest.get("workspace")?.get_ref();
            let edition = workspace.get("package")?.get_ref().get("edition")?;
            Some(edition.get_ref().as_str()?.to_owned())
        })?
    })
}

// The tests run shell scripts as programs.
#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::program::install_script;

    fn write(root: &Path, relative: &str, content: &str) -> PathBuf {
        let path = root.join(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Runs a script in place of rustfmt on a file in a folder.
    fn run_with(script: &str, file: &Path, folder: &Path) -> Option<Output> {
        let bin = test_support::folder();
        install_script(&bin.path().join("rustfmt"), script);
        run(file, folder, bin.path().as_os_str()).unwrap()
    }

    #[test]
    fn the_edition_is_that_of_the_crate_or_the_workspace() {
        test_support::lines!("lines/editions.txt").check_inputs(|_, files| {
            let root = test_support::folder();
            for file in files.chunks_exact(2) {
                write(root.path(), file[0], file[1]);
            }
            let folder = root.path().join("member/src");
            fs::create_dir_all(&folder).unwrap();
            edition(&folder).unwrap_or_else(|| "-".into())
        });
    }

    #[test]
    fn rustfmt_gets_the_file_alone_and_its_output_is_written_back() {
        let root = test_support::folder();
        let file = write(root.path(), "src/lib.rs", "mod b;");
        write(root.path(), "Cargo.toml", "[package]\nedition = '2021'");
        let script = r#"printf '%s|%s|%s|' "$*" "$RUSTUP_AUTO_INSTALL" "${PWD##*/}"; cat"#;
        run_with(script, &file, &root.path().join("src"));
        assert_eq!(fs::read_to_string(&file).unwrap(), "--edition 2021|0|src|mod b;");
    }

    #[test]
    fn a_file_that_is_formatted_already_is_not_written() {
        let root = test_support::folder();
        let file = write(root.path(), "a.rs", "fn a() {}\n");
        let before = fs::metadata(&file).unwrap().modified().unwrap();
        for script in ["cat", "cat > /dev/null"] {
            run_with(script, &file, root.path());
            assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), before, "{script}");
            assert_eq!(fs::read_to_string(&file).unwrap(), "fn a() {}\n", "{script}");
        }
    }

    #[test]
    fn a_failure_leaves_the_file_and_names_it() {
        let root = test_support::folder();
        let file = write(root.path(), "a.rs", "fn a( {}\n");
        let script = "echo half; echo ' --> <stdin>:1:7' >&2; exit 1";
        let output = run_with(script, &file, root.path()).unwrap();
        assert!(!output.status.success());
        assert_eq!(output.stderr, b" --> a.rs:1:7\n");
        assert_eq!(fs::read_to_string(&file).unwrap(), "fn a( {}\n");
    }

    #[test]
    fn a_rustup_without_rustfmt_counts_as_none() {
        let root = test_support::folder();
        let file = write(root.path(), "a.rs", "fn a() {}\n");
        for error in [
            "error: 'rustfmt' is not installed for the toolchain 'stable-x86_64-unknown-linux-gnu'",
            "error: toolchain '1.70.0-x86_64-unknown-linux-gnu' is not installed",
        ] {
            let script = format!("echo \"{error}\" >&2; echo 'help: …' >&2; exit 1");
            let done = run_with(&script, &file, root.path());
            assert!(done.is_none(), "{error}");
        }
    }
}
