//! Findings of guards about calls.

/// A finding about a call, with its text.
#[derive(Debug)]
pub(crate) enum Found {
    /// The call certainly does something forbidden.
    Certain(String),
    /// The call may do something forbidden: a part of the command is not literal.
    Possible(String),
    /// The user has to decide about the call, for the reason in the text.
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

    /// Returns the first certain finding, or else the first finding.
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

/// Joins strings; if there are more than `most`, the rest is counted.
pub(crate) fn joined(mut texts: Vec<String>, most: usize, between: &str) -> String {
    let more = texts.len().saturating_sub(most);
    texts.truncate(most);
    if more > 0 {
        texts.push(format!("and {more} more"));
    }
    texts.join(between)
}
