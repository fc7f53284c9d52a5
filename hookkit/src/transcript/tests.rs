use std::env;
use std::fs::{self, File};
use std::sync::atomic::{AtomicU32, Ordering};
/// A file that holds these bytes, and is gone with its last handle.
pub(super) fn file_of(bytes: &[u8]) -> File {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = env::temp_dir().join(format!("hookkit-transcript-{}-{count}", std::process::id()));
    fs::write(&path, bytes).unwrap();
    let file = File::options().read(true).write(true).open(&path).unwrap();
    fs::remove_file(path).unwrap();
    file
}
