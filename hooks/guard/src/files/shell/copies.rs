//! Copies of files that are meant to be shared, to names that do not exist yet (`cp .env.example .env`), and links.

use super::Look;
use crate::folders::has_definition;
use crate::prelude::*;
use crate::words::operands;

impl Look<'_> {
    /// Returns the name of the file that a command makes from a file meant to be shared, without replacing an existing
    /// file.
    pub(super) fn made_from_public<'c>(&self, at: usize, command: &'c Command) -> Option<&'c str> {
        let [from, to] = self.names(command, "cp mv")?;
        let is_plain = command.starts().all(|word| !word.starts_with('-') || is_plain(word));
        // A link with such a name may lead anywhere.
        if !is_plain || !is_public(from) || self.path(from).is_some() {
            return None;
        }
        (replaces_nothing(command) || !self.may_be_there(command, to) || self.is_behind_test(at, to)).then_some(to)
    }

    /// Returns the names of a file and a new link to it, if the link's own name shows that it contains secrets: `ln -s
    /// ../.env .env`.
    pub(super) fn linked<'c>(&self, command: &'c Command) -> Option<[&'c str; 2]> {
        let [from, to] = self.names(command, "ln")?;
        let mut options = command.starts().filter_map(|word| word.strip_prefix('-'));
        let is_link = options.clone().any(|letters| letters.contains('s'));
        let is_plain = options.all(|letters| consists_of("Tfnrsv", letters));
        (is_link && is_plain && !self.may_be_there(command, to) && self.path(to).is_some()).then_some([from, to])
    }

    /// Returns the two names in a command of one of these programs.
    fn names<'c>(&self, command: &'c Command, programs: &str) -> Option<[&'c str; 2]> {
        // A function may be called `cp`, or `test`.
        if !command.is(programs) || has_definition(self.line.script) {
            return None;
        }
        let [from, to] = operands(command)[..] else { return None };
        Some([from.literal()?, to.literal()?])
    }

    /// Returns the folders that a command may run in.
    pub(super) fn folders_of(&self, command: &Command) -> &Folders {
        self.along.get_or_init(|| Along::of(self.line)).at(command)
    }

    /// Returns `false` for the name of a file that does not exist.
    pub(super) fn may_be_there(&self, command: &Command, name: &str) -> bool {
        match self.folders_of(command).only() {
            // After a link, `..` leads elsewhere.
            _ if name.split('/').any(|name| name == "..") => true,
            Some(context) => context.absolute(name).symlink_metadata().is_ok(),
            None => true,
        }
    }

    /// Returns `true` if a command only runs if a test found no file of this name: `[ -f .env ] || …`, `if [ ! -f .env
    /// ]; then …`, even if the branch first prints something or makes a folder.
    fn is_behind_test(&self, at: usize, name: &str) -> bool {
        let before = self.line.between(0, self.commands[at].span.start).replace("&&\n", "&& ").replace("||\n", "|| ");
        let before = before.replace([';', '\n'], " ; ").replace(['"', '\''], "");
        let parts: Vec<&str> = before.split_whitespace().collect();
        let is_test = |pair: &[&str]| lists("-e -f -s", pair[0]) && without_dot(pair[1]) == without_dot(name);
        // The text of a document or a comment may look like an operator.
        let test = parts.windows(2).rposition(is_test);
        let Some(test) = test.filter(|_| !before.contains(['<', '#', '\\'])) else {
            return false;
        };
        let signs = parts[..test].iter().rev().take_while(|part| lists("! [ [[ test", part));
        let is_negated = signs.clone().filter(|part| **part == "!").count() == 1;
        let first = (test.checked_sub(signs.count() + 1)).map_or(";", |before| parts[before]);
        let after = &parts[test + 2..];
        let after = match after {
            ["]" | "]]", after @ ..] => after,
            _ => after,
        };
        let has = |part: &str| after.contains(&part);
        let is_there = match after {
            ["||", "{", ..] | ["&&", "{", ..] => Some(after[0] == "||").filter(|_| !has("}")),
            ["||", ..] | ["&&", ..] => Some(after[0] == "||").filter(|_| !has(";")),
            [";", "then", ..] => Some(has("else")),
            _ => None,
        };
        // If another command also decides, the file may exist.
        let joint = if is_there == Some(true) { "||" } else { "&&" };
        let decides = first == joint || lists("; do else if then { (", first);
        is_there.is_some_and(|is_there| is_negated != is_there)
            && decides
            && !after
                .iter()
                .skip(1)
                .any(|part| lists("|| && | & fi cp mv", part) || part.contains('>') && !part.contains('&'))
    }
}

fn without_dot(name: &str) -> &str {
    name.strip_prefix("./").unwrap_or(name)
}

/// Returns `true` for options with which `cp` makes one file from another.
fn is_plain(option: &str) -> bool {
    match option.strip_prefix('-') {
        Some("-no-clobber" | "-update=none" | "-verbose") => true,
        Some(letters) => consists_of("afinpruv", letters),
        None => false,
    }
}

/// Returns `true` for a `cp -n`.
fn replaces_nothing(command: &Command) -> bool {
    let mut words = command.starts();
    let is_kept = words.clone().any(|word| match word {
        "--no-clobber" | "--update=none" => true,
        word => letters(word).contains('n'),
    });
    // The last option decides.
    is_kept && !words.any(|word| letters(word).contains(['f', 'i', 'u']))
}
