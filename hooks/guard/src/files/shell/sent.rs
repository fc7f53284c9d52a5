//! Variables of the session, and folders with secrets, that a line sends to another machine.

use super::{Budget, Look, of_pattern, prints_variables, said, text_of};
use crate::effects::printed;
use crate::effects::programs::{program_name, sends};
use crate::files::output::file;
use crate::files::search::{finds_each_line, secret_in};
use crate::prelude::*;
use crate::variables::variable;

/// Programs that copy folders to other machines.
const COPIERS: &str = "aws azcopy docker gcloud gsutil kubectl lftp mc nerdctl oc podman rclone rsync s3cmd scp sftp";

/// Programs that put a folder into an archive.
const ARCHIVERS: &str = "7z 7za 7zr 7zz bsdtar cpio gtar rar tar zip";

impl Look<'_> {
    /// Returns the finding about variables that a command sends.
    pub(super) fn variables_sent(&self) -> Option<Found> {
        if !self.line.text.contains(['$', '|', '<', '>', '`']) {
            return None;
        }
        let senders: Vec<&Command> = self.commands.iter().filter(|command| sends(command)).collect();
        if senders.is_empty() && !self.line.text.contains("/dev/tcp/") {
            return None;
        }
        let open: Vec<&Command> = senders.iter().copied().filter(|sender| is_open(sender)).collect();
        let named = || open.iter().flat_map(|sender| sent_words(sender)).find_map(|word| self.secret_of(word));
        let printed = self.commands.iter().find_map(|command| {
            let what = self.variables_of(command)?;
            let is_one = what.starts_with('$');
            let to = if is_one { &open } else { &senders };
            self.is_sent(command, to, is_one).then_some(what)
        });
        let what = printed.or_else(named)?;
        Some(Asked(format!(
            "the line sends `{what}`, which may contain a secret, to another machine. Put a login into a header: `-H \
             \"Authorization: …\"`. Send other variables one by one, by name"
        )))
    }

    /// Describes the session's variables that a command prints: a variable that may be a secret, or the command if it
    /// prints all of them.
    fn variables_of(&self, command: &Command) -> Option<String> {
        let words = command.arguments();
        match (command.program()?, command.literals().find(|word| !word.starts_with('-'))) {
            ("echo" | "printf", _) => words.iter().find_map(|word| self.secret_of(word)),
            ("printenv", Some(name)) => names_secret(name).then(|| format!("${name}")),
            _ => {
                let is_all = prints_variables(command)
                    || is_interpreter(command)
                        && words.iter().any(|word| holds("process.env environ ENV getenv", word.known_start()));
                is_all.then(|| command.to_string())
            }
        }
    }

    /// Returns `true` if a command's output is sent; for a single variable, only by a program that sends to any address.
    fn is_sent(&self, command: &Command, senders: &[&Command], is_one: bool) -> bool {
        let to = file(command).unwrap_or_default();
        let is_piped = |sender: &Command| {
            let between = self.between(command, sender);
            let is_ended = [";", "\n", "&&", "||"].iter().any(|sign| between.contains(sign));
            command.is_in_pipeline()
                && sender.is_in_pipeline()
                && between.contains('|')
                && (!is_ended || between.contains([')', '}']))
        };
        to.starts_with("/dev/tcp/")
            || senders.iter().any(|sender| {
                let words: Vec<&Word> = if is_one { sent_words(sender) } else { sender.texts().collect() };
                Budget::take(&self.budget.names, 1).is_some()
                    && (words.iter().any(|word| command.is_within(&word.span))
                        || is_piped(sender)
                        || to.len() > 2 && words.iter().any(|word| word.known_start().contains(to)))
            })
    }

    /// Returns the text between two commands of the line, unless it is long.
    fn between(&self, first: &Command, second: &Command) -> &str {
        let between = self.line.between(first.span.end, second.span.start);
        if between.len() < 1_000 { between } else { "" }
    }

    /// Returns the first variable in a word with a secret's name, unless the line sets it itself. A variable before an
    /// `@` is a login for the address after it.
    fn secret_of(&self, word: &Word) -> Option<String> {
        let is_set = |name: &str| self.values_of(name).any(|value| value.literal().is_some());
        // As in `http x Authorization:$TOKEN`.
        if word.to_string().contains("uthorization") {
            return None;
        }
        word.parts.iter().enumerate().find_map(|(at, part)| {
            let name = parts(variable(part)?, "_").next()?;
            let is_login = word.parts.get(at + 1).and_then(Part::literal).is_some_and(|text| text.starts_with('@'));
            let is_secret = names_secret(name) && !is_set(name) || self.is_assigned_secret(name);
            (is_secret && !is_login).then(|| format!("${name}"))
        })
    }

    /// Returns `true` if the line assigns to this variable the value of a variable with a secret's name, or all
    /// variables.
    fn is_assigned_secret(&self, name: &str) -> bool {
        let prints_all = |command: &Command| {
            command.is("env export printenv set") && command.arguments().iter().all(Word::is_option)
        };
        self.values_of(name).any(|value| {
            value.parts.iter().filter_map(variable).any(names_secret)
                || (self.commands.iter()).any(|command| command.is_within(&value.span) && prints_all(command))
        })
    }

    /// Returns the values that the line assigns to a variable.
    fn values_of(&self, name: &str) -> impl Iterator<Item = &Word> {
        let set = self.commands.iter().flat_map(|command| &command.assignments);
        set.filter(move |set| set.name == name).map(|set| &set.value)
    }

    /// Returns the finding about strings that an unsupported program may interpret: quoted strings within a word,
    /// values of options, and its stdin. The program may read a secret that such a string names.
    pub(super) fn taken_apart(&self, at: usize, command: &Command) -> Option<Found> {
        let (program, words) = (command.program()?, command.arguments());
        let before = at.checked_sub(1).map(|at| &self.commands[at]);
        let values = words.windows(2).filter(|pair| pair[0].is_option()).map(|pair| &pair[1]);
        // Commands of SQLite begin with a dot.
        let values = values.chain(words.iter().filter(|word| word.known_start().starts_with('.')));
        let input = before
            .filter(|other| self.between(other, command).trim() == "|")
            .into_iter()
            .chain([command])
            .flat_map(printed);
        let texts = values.filter(|word| word.known_start().contains(' ')).chain(input).filter_map(Word::literal);
        let quoted = command.literals().flat_map(|text| text.split(['\'', '"', '`']).skip(1));
        let (mut texts, mut quoted) = (texts.peekable(), quoted.peekable());
        if texts.peek().is_none() && quoted.peek().is_none()
            || Program::named(program).is_some() && !lists("mariadb mysql sftp", program)
        {
            return None;
        }
        let found = texts.find_map(|text| self.name_in(text)).or_else(|| quoted.find_map(|text| self.path(text)))?;
        Some(Possible(said(command, Does::Read, &found)))
    }

    /// Returns the finding about a folder with secrets that a command sends.
    pub(super) fn folder_sent(&self, command: &Command, path: &str, does: Does) -> Option<Found> {
        let program = command.program().unwrap_or_default();
        let is_sent = match does {
            // Without a machine's name after it, the folder is copied here.
            Does::Send => {
                let is_path = |word: &&Word| text_of(&pieces(word), "").contains(path);
                let mut behind = command.arguments().iter().skip_while(|word| !is_path(word)).skip(1);
                lists(COPIERS, program) && behind.any(|word| word.known_start().contains(':'))
            }
            Does::Read => lists(ARCHIVERS, program) && self.commands.iter().any(sends) || prints_all_files(command),
            _ => false,
        };
        if !is_sent || path.trim().is_empty() {
            return None;
        }
        let left_out: Vec<Name> = Read::of(command)
            .map(|read| read.values_of("exclude x"))
            .iter()
            .flatten()
            .map(|pattern| of_pattern(&text_of(pattern, "")))
            .collect();
        let is_sent = |name: &str, _| !left_out.iter().any(|pattern| fits(name, pattern));
        let (file, kind) = self.folders.contexts.iter().find_map(|context| {
            Budget::take(&self.budget.names, 100)?;
            secret_in(&context.absolute(path), context, is_sent)
        })?;
        let verb = if prints_all_files(command) { "print" } else { "send" };
        Some(Asked(format!(
            "`{program}` {verb}s `{path}`, which contains `{}`, {kind}. Leave that file out, or ask the user to {verb} it",
            file.display()
        )))
    }
}

/// Returns `true` for a `grep` that prints every line of the files in a folder: `grep -r '' .`.
fn prints_all_files(command: &Command) -> bool {
    /// Maximum number of words: each name in a command is judged.
    const MOST: usize = 16;
    if command.words.len() > MOST || program_name(command) != "grep" {
        return false;
    }
    let read = Read::of(command).filter(|read| read.made().is_none());
    read.is_some_and(|read| {
        let pattern = read.words().first().and_then(|word| word.literal()).unwrap_or("x");
        let is_recursive = |word: &str| word == "--recursive" || letters(word).contains(['r', 'R']);
        finds_each_line(pattern) && command.starts().any(is_recursive)
    })
}

/// Returns `true` for a program that sends to any address in a line. Other programs send only where they are logged in.
fn is_open(command: &Command) -> bool {
    let row = Program::of(command.program().unwrap_or_default(), command.arguments());
    row.is_some_and(|(row, _)| row.has(Role::Address) || row.has(Role::Host))
}

/// Returns the words that a command sends, except its login: headers, names and passwords.
fn sent_words(command: &Command) -> Vec<&Word> {
    let Some(read) = Read::of(command) else {
        return Vec::new();
    };
    let values = read
        .given()
        .filter(|(_, role, _)| matches!(role, Role::Sent | Role::Address | Role::Host))
        .filter_map(|(.., value)| Some(value?.0));
    read.words().into_iter().chain(values).chain(command.targets()).collect()
}
