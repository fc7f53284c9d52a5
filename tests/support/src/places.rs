//! Folders for tests, and git in them.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use tempfile::{Builder, TempDir};

/// Creates a folder below the one for temporary files. Its path has no link in it.
///
/// # Panics
///
/// If it cannot be created.
#[track_caller]
pub fn folder() -> TempDir {
    named_folder(PREFIX)
}

/// Creates a [`folder`] whose name begins so.
///
/// # Panics
///
/// If it cannot be created.
#[track_caller]
pub fn named_folder(prefix: &str) -> TempDir {
    let temporary = temporary();
    below(temporary, prefix).unwrap_or_else(|| panic!("cannot create a folder in {}", temporary.display()))
}

/// Creates a folder below `/dev`, in memory; `None` where there is none that this user can write to.
pub fn below_dev() -> Option<TempDir> {
    below(Path::new(IN_MEMORY), PREFIX)
}

/// Returns the folder for temporary files: the one that `TMPDIR` names, or one in memory, where many small files take half the
/// time.
pub fn temporary() -> &'static Path {
    static TEMPORARY: OnceLock<PathBuf> = OnceLock::new();
    TEMPORARY.get_or_init(|| match env::var_os("TMPDIR") {
        None if has_memory() => PathBuf::from(IN_MEMORY),
        _ => env::temp_dir(),
    })
}

/// A folder in memory, on Linux.
const IN_MEMORY: &str = "/dev/shm";

/// Returns `true` if the folder in memory has room for the tests, and programs can be run there. In a container it often is
/// too small, or forbids them.
#[cfg(target_os = "linux")]
fn has_memory() -> bool {
    use rustix::fs::{StatVfs, StatVfsMountFlags, statvfs};

    const NEEDED: u64 = 1 << 30;
    let fits = |memory: StatVfs| {
        let forbidden = StatVfsMountFlags::NOEXEC | StatVfsMountFlags::RDONLY;
        !memory.f_flag.intersects(forbidden) && memory.f_bavail.saturating_mul(memory.f_frsize) > NEEDED
    };
    statvfs(IN_MEMORY).is_ok_and(fits)
}

#[cfg(not(target_os = "linux"))]
fn has_memory() -> bool {
    false
}

/// Creates a folder that is not below one for temporary files, wherever the checkout and the home folder are.
///
/// # Panics
///
/// If this user can write to none of the places that it is tried in.
#[track_caller]
pub fn lasting() -> TempDir {
    let candidates = lasting_candidates();
    let found = candidates
        .iter()
        .filter(|place| place.canonicalize().is_ok_and(|place| !is_temporary(&place)))
        .find_map(|place| below(place, PREFIX));
    found.unwrap_or_else(|| {
        panic!(
            "no folder that lasts can be created: all of {candidates:?} are below folders for temporary files, or read-only; \
             set HOME to a folder elsewhere"
        )
    })
}

/// Lists where a folder that lasts is tried, the checkout first.
fn lasting_candidates() -> Vec<PathBuf> {
    // Tests run in the folder of their package.
    let checkout = env::current_dir().ok();
    let of_system = ["/srv", "/opt", "/usr/local/share", "/var/lib"].map(PathBuf::from);
    // Root's home folder is one of the system's, so it comes last.
    let homes = [env::home_dir(), registered_home()];
    let homes = homes.into_iter().flatten();
    checkout.into_iter().chain(of_system).chain(homes).collect()
}

/// Returns the home folder that the system knows of this user: `HOME` may be another one.
#[cfg(unix)]
fn registered_home() -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt;

    let user = std::fs::metadata("/proc/self").ok()?.uid().to_string();
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let fields = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let own = fields.into_iter().find(|fields| fields.get(2) == Some(&user.as_str()))?;
    own.get(5).map(PathBuf::from)
}

#[cfg(not(unix))]
fn registered_home() -> Option<PathBuf> {
    None
}

/// Returns `true` for a path that the guards take for a temporary one.
pub fn is_temporary(path: &Path) -> bool {
    const FOLDERS: &[&str] = &["/tmp", "/var/tmp", "/private/tmp", "/var/folders", "/private/var/folders", "/dev/shm"];
    let is_in = |folder: &Path| path.starts_with(folder.canonicalize().as_deref().unwrap_or(folder));
    is_in(&env::temp_dir()) || is_in(temporary()) || FOLDERS.iter().any(|folder| path.starts_with(folder))
}

const PREFIX: &str = "hookkit-test-";

fn below(folder: &Path, prefix: &str) -> Option<TempDir> {
    Builder::new().prefix(prefix).tempdir_in(folder.canonicalize().ok()?).ok()
}

/// Runs git in a folder, without the configuration of the user, the system and the environment, and returns what it prints.
///
/// # Panics
///
/// If it fails.
#[track_caller]
pub fn git<S: AsRef<std::ffi::OsStr>>(folder: impl AsRef<Path>, arguments: &[S]) -> String {
    let output = git_command(folder).args(arguments).output().expect("git is installed");
    let shown: Vec<_> = arguments.iter().map(|argument| argument.as_ref().to_string_lossy()).collect();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {}: {stderr}", shown.join(" "));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns git as [`git`] runs it, for a test that looks at its failure.
pub fn git_command(folder: impl AsRef<Path>) -> Command {
    let mut command = Command::new("git");
    for (name, _) in env::vars_os() {
        // As where the tests run in a hook of git's.
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    command
        .args(["-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "init.defaultBranch=main"])
        .args(["-c", "protocol.file.allow=always"])
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_SYSTEM", "/dev/null")])
        .current_dir(folder)
        .stdin(Stdio::null());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lasting_folder_is_not_temporary_and_a_folder_is() {
        assert!(is_temporary(folder().path()));
        assert!(!is_temporary(lasting().path()));
    }

    #[test]
    fn git_needs_no_identity_and_no_configuration() {
        let folder = folder();
        git(&folder, &["init", "--quiet"]);
        git(&folder, &["commit", "--allow-empty", "--message", "x"]);
        assert_eq!(git(&folder, &["log", "--format=%an <%ae> %s"]), "n <e@example.com> x\n");
        assert_eq!(git(&folder, &["branch", "--show-current"]), "main\n");
    }
}
