//! Work that mostly waits, done several items at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::thread;

use anyhow::{Result, ensure};

/// Calls `work` for each item, at most `most` of them at the same time.
///
/// # Errors
///
/// All errors and panics of the calls, a line each.
pub fn each<T: Send>(
    most: usize,
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> Result<()> + Sync,
) -> Result<()> {
    let mut items: Vec<T> = items.into_iter().collect();
    items.reverse();
    let items = Mutex::new(items);
    let failed = Mutex::new(Vec::new());
    let next = || items.lock().expect("no call holds it").pop();
    thread::scope(|scope| {
        for _ in 0..most {
            scope.spawn(|| {
                while let Some(item) = next() {
                    let error = match catch_unwind(AssertUnwindSafe(|| work(item))) {
                        Ok(Ok(())) => continue,
                        Ok(Err(err)) => format!("{err:#}"),
                        Err(_) => "a panic, which is printed above".to_owned(),
                    };
                    failed.lock().expect("no call holds it").push(error);
                }
            });
        }
    });
    let failed = failed.into_inner()?;
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_done_and_every_failure_reported() {
        let done = Mutex::new(Vec::new());
        let error = each(3, 0..20, |number| {
            done.lock().unwrap().push(number);
            ensure!(number % 10 != 0, "no {number}");
            Ok(())
        });
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert_eq!(done, Vec::from_iter(0..20));
        let error = error.unwrap_err().to_string();
        let mut lines: Vec<&str> = error.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["no 0", "no 10"]);
    }
}
