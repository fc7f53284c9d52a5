//! Shell builtins that evaluate their arguments, or change how the rest is read.

use super::{At, all_are, holds_array, is_harmless_option, is_number, is_quoted_or_literal, may_have};
use crate::programs::{consists_of, has_only, is_evaluated, lists, steers_shell, up_to};
use crate::{Why, Word};

impl At<'_> {
    /// Follows `set`: some options change how the rest is read.
    pub(super) fn set(&mut self, arguments: &[Word]) {
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let is_known = match word.literal() {
                Some("--" | "-") => return,
                Some(text) if !text.starts_with(['-', '+']) => return,
                Some(text) => {
                    consists_of("euxvfnCam", text[1..].trim_end_matches('o'))
                        && (!text.ends_with('o') || is_harmless_option(words.next()))
                }
                None => false,
            };
            if !is_known {
                return self.note(Why::Definition, &word.span);
            }
        }
    }

    /// Reports that words are evaluated, and follows the commands in their subscripts: `let 'a[$(x)]'`.
    fn evaluate(&mut self, words: &[Word]) {
        self.note_all(Why::Arithmetic);
        for word in words {
            if let Some(text) = word.literal().filter(|text| text.contains(['$', '`'])) {
                self.script("let", &format!(": \"{}\"", text.replace('"', " ")), word.span.clone());
            }
        }
    }

    /// Follows `test`: `-v` and `-R` take a name, and evaluate its subscript.
    pub(super) fn test(&mut self, arguments: &[Word]) {
        let is_split =
            arguments.iter().any(|word| word.literal().is_none() && !word.parts.iter().all(is_quoted_or_literal));
        let has_names = arguments.iter().any(|word| word.is("-v -R"));
        let operator = match arguments.iter().filter(|word| !word.is("]")).count() {
            0 | 1 => None,
            2 => arguments.first(),
            3 => arguments.get(1),
            _ => arguments.iter().find(|word| word.literal().is_none()),
        };
        // zsh evaluates arithmetic after `-eq`.
        let is_sign = |text: &str| text.starts_with('-') || lists("] ! ( )", text);
        let is_arithmetic = arguments.iter().any(|word| word.is("-eq -ne -lt -le -gt -ge"))
            && !all_are(arguments, |text| is_number(text) || is_sign(text));
        if is_split || has_names || is_arithmetic || operator.is_some_and(|word| word.literal().is_none()) {
            self.evaluate(arguments);
        }
    }

    pub(super) fn names(&mut self, name: &str, arguments: &[Word]) {
        let is_plain = |word: &Word| word.literal().is_some_and(|name| has_only(name, "_"));
        let format = match arguments {
            [option, name, format, ..] if option.is("-v") && is_plain(name) => Some(format),
            _ => arguments.first(),
        };
        let takes_none = match name {
            "let" | "integer" => false,
            "printf" => format.is_none_or(|first| {
                let format = first.known_start();
                let mut rest = format.to_owned();
                for text in ["%s", "%b", "%q", "%%"] {
                    rest = rest.replace(text, "");
                }
                // zsh evaluates arithmetic for a number.
                let has_numbers = rest.contains('%') || first.literal().is_none();
                !format.starts_with('-')
                    && !format.is_empty()
                    && (!has_numbers
                        || arguments[1..].iter().all(|word| word.literal().is_some_and(|text| !text.contains('['))))
            }),
            "wait" => !may_have(arguments, |text| text.starts_with('-')),
            _ => arguments.iter().all(|word| {
                let start = word.known_start();
                let name = up_to(start, '=');
                let is_safe_option = start.starts_with('-')
                    && !start.contains(['i', 'n', 'T', 'c', 'E', 'F', 'f'])
                    && word.literal().is_some();
                let is_known = (word.literal().is_some() || start.contains('=')) && !name.contains('[');
                is_safe_option || is_known && !start.starts_with('-')
            }),
        };
        let is_evaluated = |word: &Word| match word.known_start().split_once(['=', '+']) {
            Some((name, value)) => is_evaluated(name) && word.literal().is_none_or(|_| !is_number(value)),
            None => is_evaluated(word.known_start()) && lists("read printf getopts", name),
        };
        if !takes_none || arguments.iter().any(is_evaluated) {
            self.evaluate(arguments);
        }
        // For an array, the value is read like `(…)`, after its quotes have been removed.
        let is_array = (arguments.iter())
            .any(|word| word.known_start().starts_with(['-', '+']) && word.known_start().contains(['a', 'A']));
        let is_read = |word: &Word| match word.known_start().split_once('=') {
            Some((_, value)) => {
                let is_known = word.literal().is_some() || !value.is_empty() || holds_array(word);
                value.starts_with('(') || is_array && !is_known
            }
            None => false,
        };
        if lists("declare export local readonly typeset", name) && arguments.iter().any(is_read) {
            self.note_all(Why::ScriptText);
        }
        if arguments.iter().any(|word| steers_shell(word.known_start().split(['=', '+']).next().unwrap_or_default())) {
            self.note_all(Why::ShellVariable);
        }
    }
}
