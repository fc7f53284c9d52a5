//! Commands of hookkit's own program that are for a person.

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
    /// The option, or the subcommand, that makes the command one for a person, such as `--accept`; `None` if it always is.
    pub option: Option<&'static str>,
    /// Rest of a sentence about the command.
    pub does: &'static str,
}

/// All commands of hookkit's own program that are for a person.
pub const FOR_PERSON: &[ForPerson] = &[
    row("add", Some("--yes"), "accepts the code of a pack, which runs in each session once it is installed"),
    row("allow-once", None, "lets through a command that guards stop"),
    row("audit", Some("ship"), "sends the audit away, and lets what was sent be removed here"),
    row("doctor", Some("--yes"), "edits settings, and may remove hooks from them"),
    row("hold-mods", None, "changes what mods can do on this machine"),
    row("install", Some("--http"), "sends the events of every session on this machine to a server"),
    row("install", Some("--target"), "replaces hooks by programs that this machine cannot start"),
    row("off", None, "turns a guard off"),
    row("package", Some("--merge"), "accepts programs, by a list of sums that comes with them"),
    row("package", Some("--remove"), "removes guards from a project"),
    // This version leaves it to cargo; older installed programs have it.
    row("remove", None, "removes a pack with its guards"),
    row("snapshots", Some("prune"), "removes the only copies of files"),
    row("snapshots", Some("restore"), "replaces files of the project by older ones"),
    row("sync", Some("--accept"), "accepts code, which runs in each session from then on"),
    row("uninstall", None, "removes guards from the settings"),
    row("update", Some("--yes"), "accepts the code of a pack, which runs in each session once it is installed"),
    row("verify", Some("--accept"), "accepts code that a checkout makes sessions run"),
];

const fn row(command: &'static str, option: Option<&'static str>, does: &'static str) -> ForPerson {
    ForPerson { command, option, does }
}

/// Returns the row of a command that is for a person, from the arguments of `cargo xtask`.
#[must_use]
pub fn for_person(arguments: &[&str]) -> Option<&'static ForPerson> {
    let command = arguments.iter().find(|argument| !argument.starts_with('-'))?;
    let has = |option: &str| {
        let rest = arguments.iter().filter_map(|argument| argument.strip_prefix(option));
        rest.into_iter().any(|rest| rest.is_empty() || rest.starts_with('='))
    };
    FOR_PERSON.iter().filter(|row| row.command == *command).find(|row| row.option.is_none_or(has))
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
