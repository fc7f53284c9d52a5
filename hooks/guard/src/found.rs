//! The finding of a guard about a call that may not be allowed.

/// A finding, with its text.
#[derive(Debug, PartialEq)]
pub(crate) enum Found {
    /// The call does what it may not.
    Certain(String),
    /// It may do so: not all of a command is known before it runs.
    Possible(String),
    /// It does something that the user decides about, for this reason.
    Asked(String),
}

impl Found {
    pub(crate) fn is_certain(&self) -> bool {
        matches!(self, Self::Certain(_))
    }

    pub(crate) fn why(self) -> String {
        let (Self::Certain(why) | Self::Possible(why) | Self::Asked(why)) = self;
        why
    }

    /// Returns the first finding that is certain, or else the first one.
    pub(crate) fn worst(found: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut doubt = None;
        for found in found {
            if found.is_certain() {
                return Some(found);
            }
            doubt = doubt.or(Some(found));
        }
        doubt
    }
}

/// Joins texts; of those that are more than so many, it has the number.
pub(crate) fn joined(mut texts: Vec<String>, most: usize, between: &str) -> String {
    let more = texts.len().saturating_sub(most);
    texts.truncate(most);
    if more > 0 {
        texts.push(format!("and {more} more"));
    }
    texts.join(between)
}
