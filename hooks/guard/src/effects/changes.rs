//! Files that a shell command changes, according to its words.

use crate::effects::programs::program_name;
use crate::prelude::*;
use crate::variables::variable;
use crate::words::operands;

mod copies;
mod edited;
mod fetched;
mod found;
mod named;

use copies::copies;
use edited::edited;

pub(crate) use edited::of_sed;

pub(crate) use copies::{linked, ways};
pub(crate) use fetched::{fetched, is_fetcher};
pub(crate) use found::listed;
pub(crate) use named::named;

/// Maximum length of a path that a kernel opens (`PATH_MAX`), in bytes.
pub(crate) const LONGEST: usize = 4096;

/// A file that a command changes.
#[derive(Clone)]
pub(crate) struct Changed {
    /// The name: a single text if it is literal.
    pub pieces: Name,
    pub use_of: Use,
    pub is_sure: bool,
}

impl Changed {
    fn new(pieces: Name, use_of: Use) -> Self {
        Self { pieces, use_of, is_sure: true }
    }

    pub(crate) fn of(word: &Word, use_of: Use) -> Self {
        Self::new(pieces(word), use_of)
    }

    /// Returns `true` if the target has this name.
    pub(crate) fn is(&self, path: &str) -> bool {
        literal(&self.pieces) == Some(path)
    }
}

/// Kind of change to a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Use {
    /// Changed, or made.
    File,
    /// Emptied.
    Lost,
    /// Deleted, with everything in it.
    Whole,
    /// Changed if it exists already: a new copy does no harm.
    Overwritten,
    /// Copied over an existing file; in a folder, over the files of the same name.
    Merged,
    /// Changed in mode, owner or time.
    Mode,
    /// Changed in mode, owner or time, with everything in it.
    Tree,
    /// Linked to.
    Linked,
    /// Named by a program that may do more than read.
    Named,
}

/// Returns the files that redirections of a command change.
pub(crate) fn redirected(command: &Command) -> impl Iterator<Item = Changed> {
    command.redirections.iter().filter(|to| writes(to)).map(|to| {
        let replaces = matches!(to.operator, RedirectionOperator::Output | RedirectionOperator::Clobber);
        let use_of =
            if replaces && (prints_nothing(command) || reads(command, &to.target)) { Use::Lost } else { Use::File };
        Changed::of(&to.target, use_of)
    })
}

/// Returns `true` for a command that reads the file which its redirection empties first: `sort x > x`.
fn reads(command: &Command, target: &Word) -> bool {
    let is_text = || command.is("[ echo printf test");
    target.literal().is_some_and(|file| command.literals().any(|word| word == file)) && !is_text()
}

/// Returns `true` for a command whose only effect is its redirection: `: > x`, `cat /dev/null > x`.
fn prints_nothing(command: &Command) -> bool {
    match program_name(command) {
        ":" | "true" => true,
        "cat" => {
            let inputs =
                command.redirections.iter().filter(|to| to.operator == RedirectionOperator::Input).map(|to| &to.target);
            let mut files = command.arguments().iter().chain(inputs).peekable();
            files.peek().is_some() && files.all(|word| word.is("/dev/null"))
        }
        _ => false,
    }
}

pub(crate) fn writes(redirection: &Redirection) -> bool {
    use RedirectionOperator as Op;
    match redirection.operator {
        Op::ReadWrite => true,
        // A word that is not a descriptor is a file.
        Op::DuplicateOutput => redirection.target.literal().is_none_or(|word| !consists_of("-0123456789", word)),
        operator => operator.writes(),
    }
}

impl Use {
    /// Returns the change of an operand with this role.
    fn of(role: Role) -> Option<Self> {
        Some(match role {
            Role::Mode => Self::Mode,
            Role::Tree => Self::Tree,
            Role::Written => Self::File,
            Role::Lost => Self::Lost,
            Role::Deleted | Role::Removed => Self::Whole,
            _ => return None,
        })
    }

    /// Returns this change for several names.
    pub(crate) fn each(self, names: impl IntoIterator<Item = Name>) -> Vec<Changed> {
        names.into_iter().map(|pieces| Changed::new(pieces, self)).collect()
    }
}

/// Returns the files that a command changes itself, not by redirections.
pub(crate) fn targets(command: &Command) -> Vec<Changed> {
    if command.program().is_none() {
        return Vec::new();
    }
    if let Some(git) = Git::of(command) {
        // Without arguments it makes nothing.
        if git.words.len() < 2 {
            return Vec::new();
        }
        let read = Read::of_git(git.words);
        // Files of its working tree are judged by their content in git.
        let made = read.operands_that_are(Role::Made).map(pieces);
        return of_names(made.chain([Role::Made, Role::Written].into_iter().flat_map(|role| read.values(role))));
    }
    let read = Read::any(command);
    let of_words = |words: Vec<&Word>, use_of: Use| use_of.each(words.into_iter().map(pieces));
    let operands = read.operands().into_iter();
    let mut targets: Vec<Changed> =
        operands.filter_map(|(word, role)| Some(Changed::of(word, Use::of(role)?))).collect();
    if targets.iter().any(|target| target.use_of == Use::Tree) && keeps_rights(&read) {
        targets.clear();
    }
    if read.has("r recursive") && read.program.last() == Role::Written {
        targets.extend(of_words(read.words(), Use::Tree));
    }
    if !read.program.has(Role::Address) {
        targets.extend(of_names(read.values(Role::Written)));
    }
    targets.extend(of_names(read.values(Role::Made)));
    let roles: Vec<Role> = read.program.operands().collect();
    targets.extend(match (read.program.name, &roles[..]) {
        (_, [.., Role::Into]) if read.has("n dry-run list-only") => Vec::new(),
        (_, [source, Role::Into]) => {
            let is_one = matches!(source, Role::Linked | Role::Moved | Role::Put);
            let mut targets = copies(command, &read, if is_one { Use::Overwritten } else { Use::Merged });
            if *source == Role::Put && read.has("d directory") {
                // Existing folders get another mode, too.
                targets.extend(of_words(read.words(), Use::Mode));
            }
            // Files that only the target has are deleted.
            if read.unknown().any(|option| option.known_start().starts_with("--del")) {
                targets.extend(of_words(read.words().pop().into_iter().collect(), Use::Tree));
            }
            if *source == Role::Moved || read.has("remove-source-files remove-sent-files") {
                let (sources, destinations) = ways(command, &read);
                targets.extend(Use::Whole.each(sources.into_iter().filter(|source| !destinations.contains(source))));
            }
            targets
        }
        ("patch", _) => {
            let mut changed: Vec<_> = read.words().into_iter().map(pieces).collect();
            let mut files = changed.clone();
            if files.is_empty() {
                // The patch names the file.
                files.push(vec![Piece::Unknown]);
            }
            let suffix = read.values_of("z suffix").pop();
            let prefix = read.values_of("B prefix").pop();
            let kept = |file: &Name| {
                suffix
                    .iter()
                    .map(|suffix| within(file, "", suffix))
                    .chain(prefix.iter().map(|prefix| within(prefix, "", file)))
                    .collect::<Vec<_>>()
            };
            changed.extend(files.iter().flat_map(kept));
            of_names(changed)
        }
        ("awk", _) if command.has_argument("inplace") => {
            of_words(read.words().into_iter().skip(2).collect(), Use::File)
        }
        ("perl" | "ruby" | "sed", _) => of_names(edited(command, &read)),
        ("tar", _) => of_tar(command, &read),
        ("awk", _) => {
            let names = command
                .literals()
                .flat_map(|code| code.split('>').skip(1))
                .filter_map(|output| output.trim_start().strip_prefix('"')?.split('"').next());
            of_names(names.map(exact))
        }
        ("zip", _) => {
            let operands = read.words();
            let looks = command.has_argument("-sf") || operands.len() == 1 && read.has("T test");
            archived(of_words(operands, Use::Whole), !looks, read.has("m move"))
        }
        ("7z" | "rar", _) => {
            let (verb, files) = behind_verb(command);
            let deletes = || command.has_argument("-df -sdel");
            let takes = lists("m mf", &verb) || lists("a f u", &verb) && deletes();
            let makes = takes || lists("a c d f k r rn s u", &verb);
            archived(of_words(files, Use::Whole), makes, takes)
        }
        ("qemu-img", _) => {
            let mut operands = read.words();
            let disk = match operands.first().and_then(|word| word.literal()) {
                Some("convert" | "dd" | "rebase") => operands.pop(),
                Some("amend" | "commit" | "create" | "resize") => operands.get(1).copied(),
                _ => None,
            };
            of_words(Vec::from_iter(disk), Use::File)
        }
        ("find", _) if command.has_argument("-delete") => Use::Whole.each([vec![Piece::Unknown]]),
        _ if read.program.has(Role::Address) => of_names(fetched(&read)),
        (_, [.., Role::Assigned]) => of_names(
            (read.words().into_iter())
                .filter(|word| word.known_start().starts_with("of="))
                .map(|word| pieces_from(word, "of=".len())),
        ),
        _ => Vec::new(),
    });
    // The names of an archive's files are not literal.
    if matches!(read.program.name, "7z" | "tar" | "unzip") {
        let mut folders = [Role::Folder, Role::Written].map(|role| read.values(role)).concat();
        folders.retain(|folder| targets.iter().any(|target| target.pieces == *folder));
        if read.program.name == "tar" && unpacks(command, &read) && has_letter(command, &read, "P absolute-names") {
            folders.push(exact("/"));
        } else if folders.is_empty() && unpacks(command, &read) {
            folders.push(exact("."));
        }
        targets.extend(Use::Merged.each(folders));
    }
    targets
}

/// Returns `true` for a mode or an owner that keeps the user's rights to read, change and run all files, and lets no
/// one else change more of them.
fn keeps_rights(read: &Read) -> bool {
    let words = read.words();
    let Some(first) = words.first().filter(|_| !read.writes("reference")) else { return false };
    let keeps = |mode: &str| {
        let Some((who, rights)) = mode.split_once(['+', '-', '=']) else { return lists("700 711 750 755", mode) };
        let is_of_others = !who.is_empty() && who.bytes().all(|who| b"go".contains(&who));
        match mode.as_bytes()[who.len()] {
            b'-' => is_of_others,
            b'+' if who == "u" => !rights.contains('s'),
            sign => (sign == b'+' || is_of_others) && rights.bytes().all(|right| b"rxX".contains(&right)),
        }
    };
    match read.program.name {
        "chmod" => first.literal().is_some_and(|modes| modes.split(',').all(keeps)),
        "chown" => first.parts.first().and_then(variable).is_some_and(|name| lists("LOGNAME USER UID", name)),
        _ => false,
    }
}

/// Returns `true` for an archiver that unpacks an archive into a folder.
fn unpacks(command: &Command, read: &Read) -> bool {
    match read.program.name {
        "tar" => has_letter(command, read, "x extract get"),
        "unzip" => !read.writes("l t p v z Z") && !read.words().is_empty(),
        _ => lists("e x", &behind_verb(command).0),
    }
}

/// Returns `true` if `tar` has one of these options, also without a dash.
fn has_letter(command: &Command, read: &Read, names: &str) -> bool {
    let first = command.starts().next().filter(|first| !first.starts_with('-')).unwrap_or_default();
    read.writes(names) || names.starts_with(|letter| first.contains(letter))
}

/// Returns an archiver's command, in lowercase, and the words after it.
fn behind_verb(command: &Command) -> (String, Vec<&Word>) {
    let mut operands = operands(command);
    let verb = operands.first().map_or("", |word| word.known_start()).to_ascii_lowercase();
    operands.drain(..1.min(operands.len()));
    (verb, operands)
}

fn of_names(names: impl IntoIterator<Item = Name>) -> Vec<Changed> {
    Use::File.each(names)
}

/// Returns the targets of an archiver: the archive if the program `makes` one, and the files after the archive if it
/// `takes` them away.
fn archived(mut operands: Vec<Changed>, makes: bool, takes: bool) -> Vec<Changed> {
    if let Some(archive) = operands.first_mut() {
        archive.use_of = Use::File;
    }
    operands.truncate(match (makes, takes) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => operands.len(),
    });
    // A `-` is stdout.
    operands.retain(|operand| !operand.is("-"));
    operands
}

/// Returns the targets of `tar`: the archive that it makes, with files that it moves there, or the folders that it unpacks
/// into.
fn of_tar(command: &Command, whole: &Read) -> Vec<Changed> {
    let mut words = command.arguments();
    let first = words.first().map_or("", Word::known_start);
    // Options without a dash take their values from the next words, in the same order.
    let bundled = if first.starts_with('-') { "" } else { first };
    let (mut archives, mut folders) = (Vec::new(), Vec::new());
    if !bundled.is_empty() {
        words = &words[1..];
    }
    for letter in bundled.chars() {
        let Some(Takes::Value(role)) = whole.program.letter(letter) else {
            continue;
        };
        let Some((value, behind)) = words.split_first() else {
            break;
        };
        match role {
            Role::Archive => archives.push(pieces(value)),
            Role::Folder => folders.push(pieces(value)),
            _ => {}
        }
        words = behind;
    }
    let read = Read::by(whole.program, words);
    archives.extend(read.values(Role::Archive));
    // Each folder is relative to the one before it.
    for folder in read.values(Role::Folder) {
        folders.extend(folders.last().map(|last| within(last, "/", &folder)));
        folders.push(folder);
    }
    let makes = read.has("A c r u catenate concatenate create append update") || bundled.contains(['A', 'c', 'r', 'u']);
    let mut targets = of_names(if makes { archives } else { folders.clone() });
    let lists = read.has("t list") || bundled.contains('t');
    let use_of = if read.has("remove-files") { Some(Use::Whole) } else { (!makes && !lists).then_some(Use::File) };
    if let Some(use_of) = use_of {
        let inner = |operand| folders.iter().map(move |folder| within(folder, "/", &pieces(operand)));
        let names = (read.words().into_iter()).flat_map(|operand| inner(operand).chain([pieces(operand)]));
        targets.extend(use_of.each(names));
    }
    targets.retain(|target| !target.is("-"));
    targets
}

/// Returns `true` if combining a command's words into paths could take too much memory. The changes of such a command must not
/// be computed.
pub(crate) fn is_too_long(command: &Command) -> bool {
    const MOST: usize = 16 << 20;
    let makes_paths = || {
        let program = program_name(command);
        lists("cp install ln mv patch perl rsync ruby scp sed tar", program) || is_fetcher(program)
    };
    command
        .words
        .iter()
        .map(|word| word.parts.iter().map(|part| part.literal().map_or(1, str::len)).sum::<usize>())
        .max()
        .unwrap_or_default()
        * command.words.len()
        > MOST
        && makes_paths()
}

/// Returns `true` if a command makes later globs match names that start with a dot.
pub(crate) fn finds_dots(command: &Command) -> bool {
    let is_set = command.is("shopt setopt")
        && command.arguments().iter().any(|word| word.known_start().to_ascii_lowercase().contains("dot"));
    is_set || (command.assignments.iter()).any(|assigned| assigned.name == "GLOBIGNORE")
}
