//! Shows a line about work that takes more than a moment.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use super::stream;
use super::style::DONE;
use super::text::Text;

/// Work that is announced on stderr if it takes longer than a moment. Dropping this marks the work as done.
pub(crate) struct Progress {
    _done: Sender<()>,
}

/// The delay before work is announced.
pub(crate) const PATIENCE: Duration = Duration::from_millis(700);

impl Progress {
    /// Announces work with a verb and the rest of the line, such as `Building` and `6 hooks`.
    pub(crate) fn new(verb: &'static str, what: String) -> Self {
        let (done, is_done) = mpsc::channel::<()>();
        thread::spawn(move || {
            if is_done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) && is_new(verb) {
                announce(verb, &what);
            }
        });
        Self { _done: done }
    }
}

/// Does work of a known size; `done` is the size of the completed part. On a terminal, a bar shows its progress.
/// Elsewhere, a line says that it takes long.
pub(crate) fn with_bar<T>(verb: &'static str, size: u64, done: &AtomicU64, work: impl FnOnce() -> T) -> T {
    const WIDTH: u64 = 30;
    if !std::io::stderr().is_terminal() {
        let _progress = Progress::new(verb, format!("{} MB of transcripts", size / 1_000_000));
        return work();
    }
    let (finished, is_finished) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut is_shown = false;
            while is_finished.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                is_shown = true;
                let done = done.load(Ordering::Relaxed).min(size);
                let filled = done * WIDTH / size.max(1);
                let bar: String = (0..WIDTH).map(|at| if at < filled { '=' } else { ' ' }).collect();
                stream::redraw(&format!("{verb} [{bar}] {} %", done * 100 / size.max(1)));
            }
            if is_shown {
                stream::redraw("");
            }
        });
        let result = work();
        drop(finished);
        result
    })
}

/// Returns `true` if this kind of work was not announced before. A run with several builds prints only one line.
fn is_new(verb: &'static str) -> bool {
    static ANNOUNCED: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    ANNOUNCED.lock().is_ok_and(|mut announced| announced.insert(verb))
}

/// Announces work immediately.
pub(crate) fn announce(verb: &str, what: &str) {
    let mut line = Text::new();
    line.words(DONE, verb).plain(' ').plain(what).plain('\n');
    // It is a single line on any output.
    stream::inform_all(line.render(None));
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::{env, thread};

    use super::*;

    #[test]
    fn work_that_takes_long_is_announced_on_stderr() {
        // The work runs in a separate process, whose stderr is a pipe.
        if let Some(time) = env::var("HOOKKIT_WORK").ok().and_then(|time| time.parse().ok()) {
            let _progress = Progress::new("Asking", "a file".to_owned());
            return thread::sleep(Duration::from_millis(time));
        }
        for (time, expected) in [("1500", "Asking a file\n"), ("0", "")] {
            let mut work = Command::new(env::current_exe().expect("a path"));
            work.args(["work_that_takes_long", "--nocapture"]).env("HOOKKIT_WORK", time);
            let output = work.output().expect("it runs");
            assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
        }
    }
}
