//! Commands of hookkit's own program that only a person may run.

/// A command of `cargo xtask` and `cargo-hookkit` that removes a guard, or accepts code that later sessions run.
///
/// Such commands are for a person: the program refuses them in a command that the client runs, and guards deny them.
/// `run --pack`, and `add` and `update` without `--yes`, are not among them: they run other people's code, and keep it only if
/// a person agrees at a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForPerson {
    /// Name of the command, such as `sync`.
    pub command: &'static str,
    /// The option or subcommand that reserves the command for a person, such as `--accept`; `None` if it always is.
    pub option: Option<&'static str>,
    /// Effect of the command, without a subject.
    pub does: &'static str,
}

/// Returns all of hookkit's own commands that only a person may run. `remove` is a command of older installed programs.
pub fn all_for_person() -> impl Iterator<Item = ForPerson> {
    include_str!("person.txt").lines().filter_map(|line| {
        let (command, does) = line.split_once(": ")?;
        let (command, option) = command.split_once(' ').map_or((command, None), |(name, option)| (name, Some(option)));
        Some(ForPerson { command, option, does })
    })
}

/// Returns the row of a command that is for a person, from the arguments of `cargo xtask`.
#[must_use]
pub fn for_person(arguments: &[&str]) -> Option<ForPerson> {
    let command = arguments.iter().find(|argument| !argument.starts_with('-'))?;
    let has = |option: &str| {
        let rest = arguments.iter().filter_map(|argument| argument.strip_prefix(option));
        rest.into_iter().any(|rest| rest.is_empty() || rest.starts_with('='))
    };
    all_for_person().filter(|row| row.command == *command).find(|row| row.option.is_none_or(has))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_for_a_person_by_its_name_and_its_option() {
        test_support::lines!("lines/person.txt").check(|_, arguments| {
            let words: Vec<&str> = arguments.split_whitespace().collect();
            for_person(&words).map_or("-", |row| row.command).to_owned()
        });
    }
}
