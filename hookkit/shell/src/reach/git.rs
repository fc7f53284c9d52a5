//! Commands that `git` runs, from settings and from some options and subcommands.

use std::slice;

use super::At;
use crate::programs::git::{Git, runs_setting};
use crate::programs::{Argument, Program, Role};
use crate::{Why, Word};

impl At<'_> {
    pub(super) fn git(&mut self, program: &Program, arguments: &[Word]) {
        let Some(git) = Git::of(self.command) else { return };
        let settings = || git.settings.iter().filter_map(|setting| setting.split_once('='));
        let rest = git.words.get(1..).unwrap_or_default();
        let command = git.words.first().and_then(Word::literal);
        let is_alias = |word: Option<&str>| {
            settings().any(|(name, _)| {
                alias(name).is_some_and(|name| word.is_none_or(|word| word.eq_ignore_ascii_case(name)))
            })
        };
        let mut operands = rest.iter().filter(|word| !word.is_option() && !word.is("set"));
        // They run later.
        let made: Vec<_> = match command {
            Some("clone") => program.read(rest).filter_map(setting).collect(),
            Some("config") => operands
                .next()
                .zip(operands.next())
                .and_then(|(name, value)| Some((name.known_start(), value.literal()?)))
                .into_iter()
                .collect(),
            _ => Vec::new(),
        };
        for (name, value) in settings().chain(made) {
            match alias(name) {
                Some(alias) if !value.starts_with('!') => {
                    if command.is_some_and(|command| !command.eq_ignore_ascii_case(alias)) {
                        continue;
                    }
                    if value.contains(['\'', '"', '\\', '?']) || is_alias(value.split_whitespace().next()) {
                        return self.note_all(Why::Runner);
                    }
                    self.alias_of_git(value, rest);
                }
                _ if value != "?" && runs_setting(name, value) => self.text_of_git(value),
                _ => {}
            }
        }
        if program.last() == Role::Script
            && let Some((_, words)) = Program::of("git", arguments)
        {
            return self.starter(program, &arguments[words..]);
        }
        if command == Some("grep") {
            let pager =
                |text| ["-O", "--open-files-in-pager="].iter().find_map(|option| str::strip_prefix(text, option));
            rest.iter().filter_map(Word::literal).filter_map(pager).for_each(|pager| self.text_of_git(pager));
        }
        // A command as the transport to another repository.
        for text in rest.iter().filter_map(|word| word.literal()?.strip_prefix("ext::")) {
            self.text_of_git(&text.replace("% ", "\\ "));
        }
        self.options(program, arguments);
    }

    fn text_of_git(&mut self, text: &str) {
        self.script("git", text.trim_start_matches('!'), self.command.span.clone());
    }

    /// Follows the command of an alias, with the words after it.
    fn alias_of_git(&mut self, meaning: &str, rest: &[Word]) {
        let Some(first) = self.command.words.first() else {
            return;
        };
        let words: Vec<Word> = meaning.split_whitespace().map(|text| first.with_text(text)).collect();
        self.inner("git", [slice::from_ref(first), &words, rest].concat(), &[]);
    }
}

/// Returns the setting from an option of `git clone`.
fn setting(argument: Argument<'_>) -> Option<(&str, &str)> {
    let Argument::Known { name: "c" | "config", value: Some((word, at)), .. } = argument else {
        return None;
    };
    word.literal()?.get(at..)?.split_once('=')
}

/// Returns the name of the command that a setting is an alias for.
fn alias(setting: &str) -> Option<&str> {
    let (start, name) = setting.split_at_checked("alias.".len())?;
    start.eq_ignore_ascii_case("alias.").then_some(name)
}
