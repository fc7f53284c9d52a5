//! A line about work that takes longer than a moment.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use super::stream;
use super::style::DONE;
use super::text::Text;

/// Work that is announced on stderr if it is not done soon; it is done when this is dropped.
pub(crate) struct Progress {
    _done: Sender<()>,
}

/// The time before work is announced.
pub(crate) const PATIENCE: Duration = Duration::from_millis(700);

impl Progress {
    /// Announces work by a verb and the rest of the line: `Building`, `6 hooks`.
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

/// Returns whether this kind of work was not announced before: of a run that builds several times one line is enough.
fn is_new(verb: &'static str) -> bool {
    static ANNOUNCED: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    ANNOUNCED.lock().is_ok_and(|mut announced| announced.insert(verb))
}

/// Says at once what is being done.
pub(crate) fn announce(verb: &str, what: &str) {
    let mut line = Text::new();
    line.words(DONE, verb).plain(' ').plain(what).plain('\n');
    stream::to_stderr(&line);
}
