//! Files that `find` selects to delete, to move away, or to change their modes.

use super::files::{all, change, unsaved};
use super::place::is_git_between;
use super::{Places, Target, ask};
use crate::effects::changes::writes;
use crate::prelude::*;
use crate::repository::is_built;
use crate::words::push;
use hookkit::shell::programs::find::{Term, starts, terms, tests};

/// Tests that narrow a `find`. A type alone hardly narrows it.
const FILTERS: &str = "name iname path ipath wholename iwholename regex iregex lname empty size mtime ctime atime mmin cmin \
    amin newer user group perm links inum samefile nouser nogroup";

/// Files that a `find` selects.
#[derive(Clone, Copy, Default)]
struct Filter {
    is_there: bool,
    /// `true` if it only finds links, empty files and folders, or certain names: nothing else of the project is lost.
    is_narrow: bool,
    /// `true` if `.git` may be found.
    finds_git: bool,
}

impl Filter {
    fn and(self, other: Self) -> Self {
        Self {
            is_there: self.is_there || other.is_there,
            is_narrow: self.is_narrow || other.is_narrow,
            finds_git: self.finds_git || other.finds_git,
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            is_there: self.is_there && other.is_there,
            is_narrow: self.is_narrow && other.is_narrow,
            finds_git: self.finds_git || other.finds_git,
        }
    }

    /// Returns the filter of a test.
    fn of(test: &str, value: Option<&Word>) -> Self {
        let value = value.and_then(Word::literal).unwrap_or_default();
        let is_name = test.ends_with("name") || test.ends_with("path");
        let takes_all = match test {
            "regex" | "iregex" => value == ".*",
            "size" => value == "+0",
            _ => is_name && !value.is_empty() && value.trim_matches(['*', '.', '/', '?']).is_empty(),
        };
        let is_there = (lists(FILTERS, test) || test.starts_with("newer")) && !takes_all;
        let is_narrow = match test {
            "empty" | "inum" | "samefile" => true,
            "size" => value == "0",
            "type" | "xtype" => is_special(value),
            "regex" | "iregex" if !value.contains('|') => {
                value.rsplit_once("\\.").is_some_and(|(_, end)| is_built(&["x.", end].concat()))
            }
            // The pattern names a folder, or a build folder.
            _ if is_path(test) => in_folder(value).is_some() || value.split('/').any(is_built),
            _ => is_name && is_there,
        };
        Self { is_there, is_narrow, finds_git: is_there && is_name && value.split('/').any(may_be_git) }
    }
}

/// Returns `true` if a `-type` matches only links, pipes, sockets …, not files with content.
fn is_special(kind: &str) -> bool {
    !kind.is_empty() && kind.split(',').all(|kind| lists("b c l p s", kind))
}

/// Returns `true` for `-path` or `-wholename`.
fn is_path(test: &str) -> bool {
    test.ends_with("path") || test.ends_with("wholename")
}

/// Returns the folder in a pattern of `-path`, if any: `notes` for `./notes/*`.
fn in_folder(pattern: &str) -> Option<&str> {
    let (folder, _) = pattern.split(['*', '?', '[', '\\']).next()?.strip_prefix("./")?.rsplit_once('/')?;
    (!folder.is_empty()).then_some(folder)
}

/// Returns `true` for a pattern that matches `.git` and few other names.
fn may_be_git(pattern: &str) -> bool {
    let is_glob = ['*', '?', '['];
    match (pattern.split_once(is_glob), pattern.rsplit_once(['*', '?', ']'])) {
        (Some((begins, _)), Some((_, ends))) => begins.starts_with('.') && is_git_between(begins, ends),
        _ => pattern.eq_ignore_ascii_case(".git"),
    }
}

/// Tests within parentheses of `find`, or at its top level.
#[derive(Default)]
struct Group {
    /// The tests before the last `-o`.
    before: Option<Filter>,
    current: Filter,
    is_negated: bool,
}

impl Group {
    fn filter(&self) -> Filter {
        match (self.is_negated, self.before) {
            // A negated test matches nearly everything.
            (true, _) => Filter::default(),
            (false, Some(before)) => before.or(self.current),
            (false, None) => self.current,
        }
    }
}

/// Effects of `find` on the files that it finds, from the least to the worst.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Act {
    /// Grants rights.
    Give,
    /// Changes modes or owners.
    Change,
    Move,
    Delete,
}

impl Act {
    /// Returns the effect of a program on found files, also through commands that it starts.
    fn of(words: &[Word]) -> Option<Self> {
        let texts: Vec<String> = words.iter().map(Word::to_string).collect();
        shell::analyze(&shell_line(&texts)).commands().iter().filter_map(Self::of_command).max()
    }

    fn of_command(command: &Command) -> Option<Self> {
        // A word that is not literal may be the name of a file.
        let is_found = |word: &Word| word.literal().is_none_or(|text| text.contains("{}") || text.contains('…'));
        if command.redirections.iter().filter(|to| writes(to)).any(|to| is_found(&to.target)) {
            return Some(Self::Delete);
        }
        let words = command.arguments();
        if !words.iter().any(is_found) {
            return None;
        }
        let first = words.first().map_or("", Word::known_start);
        match command.program()? {
            program if lists("rm shred srm tee truncate unlink wipe", program) => Some(Self::Delete),
            "dd" if command.starts().any(|word| word.starts_with("of=")) => Some(Self::Delete),
            "cp" | "install" | "ln" if first == "/dev/null" => Some(Self::Delete),
            "mv" => Some(Self::Move),
            "chmod" if first.contains('+') => Some(Self::Give),
            "chgrp" | "chmod" | "chown" => Some(Self::Change),
            _ => None,
        }
    }
}

/// Returns the effects of `find`, directly or through a program, each with the files it applies to.
fn acts(words: &[Word]) -> Vec<(Filter, Act)> {
    let mut acts = Vec::new();
    let mut groups = vec![Group::default()];
    let mut is_negated = false;
    for term in terms(words) {
        let was_negated = std::mem::take(&mut is_negated);
        let group = groups.last_mut().expect("the first one stays");
        let act = match term {
            Term::Sign("!" | "not") => {
                is_negated = !was_negated;
                None
            }
            Term::Sign("(") => {
                groups.push(Group { is_negated: was_negated, ..Group::default() });
                None
            }
            Term::Sign(")") => {
                if let [.., outer, group] = &mut groups[..] {
                    outer.current = outer.current.and(group.filter());
                    groups.pop();
                }
                None
            }
            Term::Sign("o" | "or" | ",") => {
                let current = std::mem::take(&mut group.current);
                group.before = Some(group.before.map_or(current, |before| before.or(current)));
                None
            }
            Term::Test("delete", _) => Some(Act::Delete),
            Term::Run(_, own) => Act::of(own),
            Term::Test(test, value) if !was_negated => {
                group.current = group.current.and(Filter::of(test, value));
                None
            }
            _ => None,
        };
        if let Some(act) = act {
            acts.extend(groups.iter().map(|group| group.current).reduce(Filter::and).map(|filter| (filter, act)));
        }
    }
    acts
}

/// Returns the targets that `find` may find in these folders: all their content, or the names it looks for. Other tests are
/// ignored.
fn found(words: &[Word], starts: &[&Word]) -> Vec<Changed> {
    let values = |names: &'static str| {
        tests(words).filter(move |(test, _)| lists(names, test)).filter_map(|(_, value)| value.literal())
    };
    // Such targets have no content.
    let has = |option: &str| words.iter().any(|word| word.is(option));
    if has("-empty") || values("type xtype").any(|kind| kind == "d" && has("-delete") || is_special(kind)) {
        return Vec::new();
    }
    let names: Vec<&str> = values("name iname").collect();
    let here = exact(".");
    if names.is_empty()
        && let mut paths = values("path ipath wholename iwholename regex iregex").peekable()
        && paths.peek().is_some()
    {
        return Use::Whole.each(paths.filter_map(in_folder).map(exact));
    }
    let mut folders: Vec<Name> = starts.iter().map(|word| pieces(word)).collect();
    if folders.is_empty() {
        folders.push(here.clone());
    }
    if names.is_empty() {
        return Use::Whole.each(folders);
    }
    let any = [Piece::Glob, Piece::Glob, Piece::from("/")];
    let below = folders.into_iter().flat_map(|folder| {
        let before = if folder == here { any.to_vec() } else { within(&folder, "/", &any) };
        names.iter().map(move |name| [&before[..], &pattern(name)].concat())
    });
    Use::Whole.each(below)
}

/// Returns the pieces of a `find` pattern.
fn pattern(text: &str) -> Name {
    let mut pieces = Vec::new();
    for char in text.chars() {
        match char {
            '*' => pieces.push(Piece::Glob),
            '?' => pieces.push(Piece::Character),
            '[' | '\\' => pieces.push(Piece::Braces),
            char => push(&mut pieces, Piece::Text(char.into())),
        }
    }
    pieces
}

/// Judges a `find` by its effects on the files that it finds.
pub(super) fn judge(command: &Command, places: &Places) -> Option<Found> {
    let words = command.arguments();
    let acts = acts(words);
    if acts.is_empty() {
        return None;
    }
    let starts: Vec<&Word> = starts(words).collect();
    let found = found(words, &starts);
    let is_temporary = !starts.is_empty() && starts.iter().all(|word| places.is_temporary(word));
    let worst = starts.into_iter().map(|word| places.target(word)).max().unwrap_or_else(|| places.here());
    let findings = acts.into_iter().filter_map(|(filter, act)| {
        let is_all = worst >= Target::Project;
        match act {
            Act::Change => change(command, worst),
            Act::Give => change(command, worst).map(|found| Asked(found.why())),
            Act::Move if !is_all => None,
            _ if matches!(worst, Target::Inside | Target::Project) && filter.finds_git => {
                all(command, Target::Repository)
            }
            _ if worst == Target::Project && filter.is_narrow => unsaved(command, &found, places),
            _ if is_temporary && worst != Target::Inside && filter.is_there => None,
            _ if is_all && filter.is_there => ask(command, &format!("deletes some of {}", worst.name())),
            _ => all(command, worst).or_else(|| unsaved(command, &found, places)),
        }
    });
    Found::worst(findings)
}
