//! Steps of a change on disk, at each of which a test ends the process.

/// A step that can be the last one.
macro_rules! step {
    ($name:literal) => {
        #[cfg(test)]
        crate::disk::faults::step($name)
    };
}
pub(crate) use step;
