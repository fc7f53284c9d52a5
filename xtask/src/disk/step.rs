//! Steps of a change on disk. A test can end the process at each step.

/// Marks a step. A test can stop the run after it.
macro_rules! step {
    ($name:literal) => {
        #[cfg(test)]
        crate::disk::faults::step($name)
    };
}
pub(crate) use step;
