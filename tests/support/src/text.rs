//! Checks of texts that programs print.

/// Checks of a text; a failed one shows all of it.
pub trait Has {
    /// Checks that the text has a part.
    ///
    /// # Panics
    ///
    /// If it lacks the part.
    #[track_caller]
    fn has(&self, part: &str);

    /// Checks that the text lacks a part.
    ///
    /// # Panics
    ///
    /// If it has the part.
    #[track_caller]
    fn lacks(&self, part: &str);

    /// Checks the text's start.
    ///
    /// # Panics
    ///
    /// If it starts with another one.
    #[track_caller]
    fn starts(&self, part: &str);

    /// Checks the text's end.
    ///
    /// # Panics
    ///
    /// If it ends with another one.
    #[track_caller]
    fn ends(&self, part: &str);
}

impl Has for str {
    fn has(&self, part: &str) {
        assert!(self.contains(part), "no `{part}` in:\n{self}");
    }

    fn lacks(&self, part: &str) {
        assert!(!self.contains(part), "`{part}` in:\n{self}");
    }

    fn starts(&self, part: &str) {
        assert!(self.starts_with(part), "no `{part}` at the start of:\n{self}");
    }

    fn ends(&self, part: &str) {
        assert!(self.ends_with(part), "no `{part}` at the end of:\n{self}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_another_one_is_a_failure() {
        let text = "one two";
        text.has("e t");
        text.lacks("three");
        text.starts("one");
        text.ends("two");
        let failures: [fn(&str); 4] =
            [|text| text.has("three"), |text| text.lacks("one"), |text| text.starts("two"), |text| text.ends("one")];
        for fails in failures {
            assert!(std::panic::catch_unwind(|| fails(text)).is_err());
        }
    }
}
