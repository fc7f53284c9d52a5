//! Programs that keep commands running for a person who returns later: `tmux`, `screen`, `entr`.

use std::slice;

use super::{At, all_are, fill};
use crate::printed::{append, literal};
use crate::programs::{Program, Role, lists};
use crate::{Part, Why, Word};

/// Commands of tmux that only show something, or close or rename its own objects.
const LOOKS: &str = "a attach attach-session capture-pane has has-session kill-pane kill-server kill-session kill-window \
    list-panes list-sessions list-windows ls rename-window select-pane select-window";

/// Keys that end a line, or discard the typed text.
const ENDS: &str = "C-c C-j C-m Enter KPEnter";

/// Other keys that change the typed line, in lowercase.
const KEYS: &str = "bspace btab dc delete down end enter escape home ic insert left npage pagedown pageup pgdn pgup ppage right \
    space tab up";

impl At<'_> {
    /// Follows `entr`, which runs its command when a file changes; with `-s` the command is a script.
    pub(super) fn entr(&mut self, program: &Program, words: &[Word]) {
        let name = program.name;
        let Some((options, command)) = self.parts(program, words) else {
            return;
        };
        if options.iter().any(|word| word.known_start().contains('s')) {
            return self.script_of_words(name, command.get(..1).unwrap_or_default());
        }
        let mut command = command.to_vec();
        command.iter_mut().for_each(|word| fill(word, "/_"));
        if !command.is_empty() {
            self.inner(name, command, &[]);
        }
    }

    pub(super) fn screen(&mut self, program: &Program, words: &[Word]) {
        if !words.is_empty() && all_are(words, |text| lists("-ls -list -v", text)) {
            return;
        }
        match self.parts(program, words) {
            Some((_, [])) => self.note_all(Why::Runner),
            Some((_, command)) => self.inner(program.name, command.to_vec(), &[]),
            None => {}
        }
    }

    pub(super) fn tmux(&mut self, program: &Program, words: &[Word]) {
        let name = program.name;
        // Another command of tmux may follow, and a format may run one.
        let is_format = |word: &Word| {
            let text = word.to_string();
            text.contains("#(") || word.literal().is_none() && text.contains('#')
        };
        if words.iter().any(|word| ends_command(word) || is_format(word)) {
            return self.note_all(Why::Runner);
        }
        let Some((options, inner)) = self.parts(program, words) else {
            return;
        };
        let [command, rest @ ..] = inner else {
            return if !options.first().is_some_and(|word| word.is("-V")) {
                self.note_all(Why::Runner);
            };
        };
        match Program::of(name, inner).filter(|(_, words)| *words > 0) {
            Some((typing, _)) if typing.last() == Role::Name => self.keys(&typing, rest),
            Some((starter, _)) => self.starter(&starter, rest),
            None if command.is(LOOKS) => {}
            None => self.note_all(Why::Runner),
        }
    }

    /// Follows a starter: a single word after the options is a script, and several words are a command.
    pub(super) fn starter(&mut self, starter: &Program, words: &[Word]) {
        let name = starter.name;
        let Some((_, command)) = self.parts(starter, words) else {
            return;
        };
        match command {
            [] => {}
            [script] => self.script_of_words(name, slice::from_ref(script)),
            _ => self.inner(name, command.to_vec(), &[]),
        }
    }

    /// Follows typed text, which is a script up to each key that ends a line.
    fn keys(&mut self, program: &Program, words: &[Word]) {
        let name = program.name;
        let Some((_, typed)) = self.parts(program, words) else {
            return;
        };
        let is_end = |word: &Word| word.is(ENDS);
        let mut lines = typed.split(is_end);
        // Something may be typed after the last line.
        let is_open = lines.next_back().is_some_and(|rest| !rest.is_empty());
        if is_open || typed.iter().any(|word| !is_end(word) && edits(word)) {
            return self.note_all(Why::Runner);
        }
        for line in lines {
            let (Some(first), Some(last)) = (line.first(), line.last()) else {
                continue;
            };
            let mut script = Word { parts: Vec::new(), span: first.span.start..last.span.end, is_quoted: true };
            for word in line {
                let typed = if word.is("Space") { literal(" ").to_vec() } else { word.parts.clone() };
                append(&mut script.parts, typed);
            }
            self.script_of_words(name, &[script]);
        }
    }
}

/// Returns `true` for a key that edits the typed text, and for characters that an interactive shell reads differently.
fn edits(word: &Word) -> bool {
    let text = word.known_start();
    let is_code = text.starts_with("0x") || text.starts_with('^') || text.as_bytes().get(1) == Some(&b'-');
    let small = text.to_ascii_lowercase();
    text != "Space"
        && (is_code || lists(KEYS, &small) || small.starts_with("kp") || word.to_string().contains(['!', '#']))
}

/// Returns `true` for a word after which tmux reads another command.
fn ends_command(word: &Word) -> bool {
    word.parts.last().and_then(Part::literal).is_some_and(|text| text.ends_with(';'))
}
