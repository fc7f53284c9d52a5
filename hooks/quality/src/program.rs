//! Finds programs, in the project and in `PATH`.

use std::env::consts::EXE_SUFFIX;

use hookkit::protocol::search_path::outside;

use crate::prelude::*;

/// Returns `true` if a path is a file that can be run.
pub(crate) fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && may_run(&metadata))
}

#[cfg(unix)]
fn may_run(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

/// Returns `true`: on Windows, the file's name decides.
#[cfg(windows)]
fn may_run(_: &fs::Metadata) -> bool {
    true
}

/// Returns the path of a program in a folder. On Windows it ends in `.exe`, and scripts (`.cmd`) are not run.
fn program(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}{EXE_SUFFIX}"))
}

/// Finds a program in a search path, which is the value of `PATH`.
///
/// Relative folders and folders in the project are skipped: the user has not installed the programs there.
pub(crate) fn find(name: &str, search_path: &OsStr) -> Option<PathBuf> {
    let project = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    let real = |path: &Path| fs::canonicalize(path).ok();
    let searched = outside(search_path, project.as_deref(), std::env::home_dir().as_deref(), real);
    std::env::split_paths(&searched).map(|folder| program(&folder, name)).find(|program| is_program(program))
}

/// Returns the program `relative` in the nearest folder that has it. The folders are ordered from the innermost
/// outwards.
fn nearest(folders: &[&Path], relative: &str) -> Option<PathBuf> {
    let mut programs = folders.iter().map(|folder| program(folder, relative));
    programs.find(|program| is_program(program))
}

/// Returns the project's own program, `own` in one of its folders. If there is none, returns the installed program.
pub(crate) fn own_or_installed(folders: &[&Path], own: &str, name: &str, search_path: &OsStr) -> Option<PathBuf> {
    nearest(folders, own).or_else(|| find(name, search_path))
}

/// Installs a program at this path, for a test.
///
/// A child process writes the file. If this process wrote it, a thread that starts another program at the same moment
/// could pass the open file on to that program, and the file could not be run (`ETXTBSY`).
#[cfg(test)]
#[cfg(unix)]
pub(crate) fn install(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
    let done = std::process::Command::new("/bin/sh")
        .args(["-c", r#"printf '%s' "$2" > "$1" && chmod +x "$1""#, "sh"])
        .args([path.as_os_str(), text.as_ref()])
        .status();
    assert!(done.expect("sh starts").success());
}

/// Installs a shell script at this path, for a test.
#[cfg(test)]
#[cfg(unix)]
pub(crate) fn install_script(path: &Path, script: &str) {
    install(path, &format!("#!/bin/sh\n{script}\n"));
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn the_first_program_on_the_search_path_is_found() {
        let temporary = test_support::folder();
        let [first, second, third] = ["first", "second", "third"].map(|name| temporary.path().join(name));
        fs::create_dir_all(first.join("tool")).unwrap();
        fs::create_dir(&second).unwrap();
        fs::write(second.join("tool"), "not executable").unwrap();
        install_script(&third.join("tool"), "");
        let search_path = std::env::join_paths([&first, &second, &third]).unwrap();
        assert_eq!(find("tool", &search_path), Some(third.join("tool")));
        assert_eq!(find("other", &search_path), None);
    }

    #[test]
    fn relative_folders_are_not_searched() {
        // Tests run in the package's folder.
        assert!(Path::new("src").is_dir());
        assert_eq!(find("sh", OsStr::new("")), None);
        assert_eq!(find("bin/sh", OsStr::new("../../../../../../../..:.")), None);
        assert_eq!(find("sh", OsStr::new(".:/bin")), Some("/bin/sh".into()));
    }
}
