//! Programs that hooks start in a session.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

thread_local! {
    static PROGRAMS: RefCell<Option<Programs>> = const { RefCell::new(None) };
}

/// The surroundings of the programs that a session starts.
#[derive(Debug)]
pub(super) struct Programs {
    variables: Vec<(String, OsString)>,
    folder: PathBuf,
    started: Started,
}

/// The started programs, each with its arguments.
#[derive(Debug, Clone, Default)]
pub(super) struct Started(Arc<Mutex<Vec<Vec<String>>>>);

impl Programs {
    pub(super) fn new(variables: &[(&str, &OsStr)], folder: &Path, started: &Started) -> Self {
        let owned = |(name, value): &(&str, &OsStr)| ((*name).to_owned(), (*value).to_owned());
        Self { variables: variables.iter().map(owned).collect(), folder: folder.to_owned(), started: started.clone() }
    }
}

impl Started {
    pub(super) fn list(&self) -> Vec<Vec<String>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Vec<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a function whose programs start in the session.
pub(super) fn with<R>(programs: Programs, run: impl FnOnce() -> R) -> R {
    let _until = Until(PROGRAMS.replace(Some(programs)));
    run()
}

/// Restores the previous value on drop, also when the test panics.
struct Until(Option<Programs>);

impl Drop for Until {
    fn drop(&mut self) {
        PROGRAMS.set(self.0.take());
    }
}

/// Returns a variable that programs of a hook inherit: from the session, from the test, or from the test's process.
pub(crate) fn inherited(name: &str) -> Option<OsString> {
    let of_session = PROGRAMS.with_borrow(|programs| {
        let mut variables = programs.as_ref()?.variables.iter().rev();
        Some(variables.find(|(set, _)| set == name)?.1.clone())
    });
    of_session.or_else(|| super::variables::look_up(name)).or_else(|| std::env::var_os(name))
}

/// Gives a program the variables and the folder of the session, if there is one, and records that the program was
/// started.
pub(crate) fn surround(command: &mut Command, written: &Command) {
    PROGRAMS.with_borrow(|programs| {
        let Some(programs) = programs else { return };
        command.envs(programs.variables.iter().map(|(name, value)| (name, value)));
        command.current_dir(&programs.folder);
        let words = [written.get_program()].into_iter().chain(written.get_args());
        let words = words.map(|word| word.to_string_lossy().into_owned());
        programs.started.lock().push(words.collect());
    });
}
