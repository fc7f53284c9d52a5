//! Protected files that a command line changes.

use super::list::{Protected, agents};

use crate::code::Code;
use crate::destructive::taken;
use crate::effects::changes::{finds_dots, is_too_long, linked, listed, named, redirected, targets};
use crate::effects::programs::program_name;
use crate::folders::{commands, goes};
use crate::prelude::*;
use crate::variables::{code_of, run_by, variable};
use crate::words::find_dots;

const TOO_LONG: &str = "the command has too many long words to be analyzed: split it";

/// Returns the finding about the first protected file that a command line certainly changes, or the first that it may
/// change.
///
/// # Errors
///
/// Fails if the lists cannot be read, or if the target of a file's name cannot be resolved.
pub(crate) fn look(line: Line, protected: impl FnOnce() -> Result<Protected, Error>) -> Result<Option<Found>, Error> {
    let taken = |command: &Command| match taken::names(line, command) {
        Some(taken) if taken.len() == 1 => taken,
        _ => vec![command.clone()],
    };
    let taken: Vec<Command> = commands(line.script).iter().flat_map(taken).collect();
    let mut commands = valued(&taken, line);
    // Calls of other languages' code that affect hookkit's own files.
    let in_code = commands.iter().filter(|command| names_own(command)).flat_map(in_code);
    commands.extend(in_code.collect::<Vec<_>>());
    // Names may be relative to a folder, or be printed by a command.
    let own: Vec<&Command> = commands.iter().filter(|command| names_own(command)).collect();
    let may_be_there = may_be_own(&line.context.cwd.to_string_lossy())
        || own.iter().any(|command| goes(command) || listed(command).is_some());
    let by_command = by_command(&commands, |command| {
        let is_own = may_be_there || own.iter().any(|own| std::ptr::eq(*own, command));
        if is_own { named(command).into_iter().chain(given(command)).collect() } else { Vec::new() }
    })?;
    let changing = by_command.iter().filter(|targets| !targets.is_empty()).count();
    let unanalyzed = line.script.unanalyzed();
    if changing == 0 && unanalyzed.is_empty() {
        return Ok(None);
    }
    let protected = protected()?;
    let along = Along::of_made(line);
    let look_at = |folders| Look { protected: &protected, folders };
    // A link that the line makes does not exist yet, and another command may change something through it.
    let linked = (commands.iter().flat_map(linked)).filter(|_| changing > 1 || !unanalyzed.is_empty());
    let linked = linked.map(|target| (&*along.whole, target));
    let targets = commands.iter().zip(by_command).flat_map(|(command, targets)| {
        let folders = along.at(command);
        targets.into_iter().map(move |target| (folders, target))
    });
    let mut doubt = None;
    for (folders, target) in targets.chain(linked) {
        let found = look_at(folders).target(&target)?;
        if target.is_sure && found.as_ref().is_some_and(Found::is_certain) {
            return Ok(found);
        }
        doubt = doubt.or(found.map(|found| if found.is_certain() { Possible(found.why()) } else { found }));
    }
    let mut unknown: BTreeSet<String> = unanalyzed.iter().map(|unanalyzed| unanalyzed.text.clone()).collect();
    if unanalyzed.iter().any(|unanalyzed| unanalyzed.why == Why::ScriptInput) {
        unknown.extend(
            (commands.iter().filter(|command| is_piped(command)))
                .filter_map(Command::output)
                .map(|text| text.to_string()),
        );
    }
    Ok(doubt.or_else(|| unknown.iter().find_map(|text| look_at(&along.whole).named(text))))
}

/// Returns the reason not to run an unanalyzed text that names a protected file.
///
/// # Errors
///
/// Fails if the lists cannot be read.
pub(crate) fn names(
    text: &str,
    context: &Context,
    protected: impl FnOnce() -> Result<Protected, Error>,
) -> Result<Option<String>, Error> {
    let protected = protected()?;
    let look = Look { protected: &protected, folders: &Folders::at(context).lost() };
    // PowerShell has other escapes, and another separator.
    let text = text.replace('`', "").replace('\\', "/");
    let found =
        words_between(&text, "'\"|;&(){}[],=<>@$").find_map(|word| look.protected.reason(&context.path(word).ok()?));
    Ok(found.or_else(|| look.named(&text).map(Found::why)))
}

/// Returns the files that each command changes, and the `other` files.
///
/// # Errors
///
/// Fails if a command has too many long words.
pub(crate) fn by_command(
    commands: &[Command],
    other: impl Fn(&Command) -> Vec<Changed>,
) -> Result<Vec<Vec<Changed>>, Error> {
    if commands.iter().any(is_too_long) {
        return Err(Error::msg(TOO_LONG));
    }
    let inputs: Vec<&Redirection> = commands
        .iter()
        .flat_map(|command| &command.redirections)
        .filter(|to| to.operator == RedirectionOperator::Input)
        .collect();
    let with_dots = commands.iter().any(finds_dots);
    let substituted: Vec<&Command> =
        commands.iter().filter(|command| command.via.contains(&Via::CommandSubstitution)).collect();
    let printed_in = |span: &Range<usize>| -> Vec<Name> {
        let inner = substituted.iter().filter(|inner| inner.is_within(span));
        inner.filter_map(|inner| listed(inner)).flatten().collect()
    };
    let given: Vec<(&str, Vec<Name>)> = commands
        .iter()
        .flat_map(|command| &command.assignments)
        .map(|set| (set, set.elements.iter().flatten().chain([&set.value])))
        .map(|(set, words)| (&*set.name, words.flat_map(|word| printed_in(&word.span)).collect()))
        .collect();
    let of_variables = |command: &Command| -> Vec<Name> {
        let variables = command.texts().flat_map(|word| &word.parts).filter_map(variable);
        let variables: Vec<&str> = variables.filter_map(|text| parts(text, "_").next()).collect();
        let given = given.iter().filter(|(name, _)| variables.contains(name));
        given.flat_map(|(_, names)| names.clone()).collect()
    };
    // A loop may read a text: `while read x; do …; done <<< y`.
    let inputs_of_loops = commands.iter().filter(|command| command.words.is_empty()).filter_map(Command::input);
    let read: Vec<Name> = inputs_of_loops.flat_map(names_of).collect();
    // Names from the last command before a pipe.
    let mut piped = Vec::new();
    let by_command = commands.iter().map(|command| {
        if (lists("fd find", program_name(command)) || command.via.last() == Some(&Via::Pipeline))
            && let Some(listed) = listed(command)
        {
            piped = listed;
        } else if command.via.last() == Some(&Via::Pipeline)
            && let Some(text) = command.output()
        {
            piped = names_of(&text);
        }
        let is_given = gets_found(command);
        let printed = printed_in(&command.span);
        let paths = match () {
            () if is_given => &piped[..],
            () if !printed.is_empty() => &printed,
            // A loop may go through names, or read them.
            () if command.via.contains(&Via::Loop) => &[&of_variables(command)[..], &read, &piped].concat(),
            () => &of_variables(command),
        };
        // A redirection has a found name only in a script.
        let is_direct = is_given && !command.via.iter().any(|via| matches!(via, Via::Script(_)));
        let (apart, redirected): (Vec<_>, Vec<_>) = redirected(command).partition(|_| is_direct);
        let targets = redirected.into_iter().chain(targets(command)).chain(other(command));
        let targets = targets.flat_map(|target| match &target.pieces[..] {
            [Piece::Unknown, rest @ ..] if !paths.is_empty() => {
                paths.iter().map(|path| Changed { pieces: within(path, "", rest), is_sure: false, ..target }).collect()
            }
            _ => vec![target],
        });
        let mut targets: Vec<_> =
            targets.chain(apart).chain(by_git(command)).flat_map(|target| opened(target, &inputs)).collect();
        if with_dots {
            targets.iter_mut().for_each(|target| find_dots(&mut target.pieces));
        }
        targets
    });
    Ok(by_command.collect())
}

/// Returns the names in a text of the line, in order.
fn names_of(text: &Word) -> Vec<Name> {
    text.literal().unwrap_or_default().split_whitespace().map(exact).collect()
}

/// Maximum number of files opened with the same descriptor.
const MOST_INPUTS: usize = 50;

/// Returns the files that the kernel's names in a target mean: the current folder, the root, or a file that a redirection of
/// the line opens.
fn opened(target: Changed, inputs: &[&Redirection]) -> Vec<Changed> {
    const ROOT: &str = "/proc/self/root";
    let name = match &target.pieces[..] {
        [Piece::Text(name)] if name.starts_with("/proc/") || name.starts_with("/dev/") => name,
        [Piece::Text(proc), _, Piece::Text(rest)] if proc == "/proc/" => &format!("/proc/self{rest}"),
        _ => return vec![target],
    };
    let place = |folder: &[Piece], rest: &str| Changed { pieces: within(folder, rest, &[]), ..target };
    let rest = name.trim_start_matches(ROOT);
    if name.starts_with(ROOT) && rest.starts_with('/') {
        return vec![place(&[], rest)];
    }
    let own = name.strip_prefix("/proc/self/").or_else(|| name.strip_prefix("/dev/")).unwrap_or_default();
    if let Some(rest) = own.strip_prefix("cwd") {
        return vec![place(&exact("."), rest)];
    }
    let own = own.replacen("stdin", "fd/0", 1);
    let Some(descriptor) = own.strip_prefix("fd/") else {
        return vec![target];
    };
    let (number, rest) = descriptor.split_at(descriptor.find('/').unwrap_or(descriptor.len()));
    let Ok(number) = number.parse::<u32>() else {
        // The name exists on the disk: `/proc/self/fd/../root`.
        return vec![place(&[], name)];
    };
    inputs
        .iter()
        .filter(|input| input.descriptor.unwrap_or(0) == number)
        .take(MOST_INPUTS)
        .map(|input| place(&pieces(&input.target), rest))
        .collect()
}

/// Returns the folders of agents that git removes or fills with other content; git can bring their files back.
fn by_git(command: &Command) -> Vec<Changed> {
    let words = Git::of(command).map_or(&[][..], |git| git.words);
    let has = |option: &str| words.iter().any(|word| word.literal() == Some(option));
    let use_of = match words.first().and_then(Word::literal) {
        Some("mv" | "rm") if !has("--cached") && !has("-n") => Use::Whole,
        Some("checkout" | "restore") => Use::Merged,
        _ => return Vec::new(),
    };
    let is_it = |word: &&Word| {
        let name = word.known_start().trim_end_matches('/');
        agents()
            .flat_map(|folder| Path::new(folder).ancestors())
            .filter_map(Path::to_str)
            .chain([".claude"])
            .any(|folder| !folder.is_empty() && name.ends_with(folder))
    };
    words.iter().filter(is_it).map(|word| Changed { is_sure: false, ..Changed::of(word, use_of) }).collect()
}

/// Returns the commands that a command runs through other languages' code, each with its position in the line.
fn in_code(command: &Command) -> Vec<Command> {
    let mut run: Vec<Command> =
        (run_by(command).iter()).flat_map(|text| shell::analyze(text).commands().to_vec()).collect();
    run.iter_mut().for_each(|run| run.span.clone_from(&command.span));
    run
}

/// Returns the files that other languages' code passes to calls that may do more than read them.
fn given(command: &Command) -> Vec<Changed> {
    let Some(code) = code_of(command) else { return Vec::new() };
    let mut names = Code::of(command.program().unwrap_or_default(), &code).given();
    names.retain(|name| may_be_own(name));
    Use::Named.each(names.iter().map(|name| vec![Piece::from(name.as_str())]))
}

/// Returns `true` if a word of a command may name hookkit's own files, or settings.
fn names_own(command: &Command) -> bool {
    command.texts().any(|word| may_be_own(&word.to_string()))
}

fn may_be_own(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut ours = [".claude", "hookkit", "plugin", "protected", "settings", "skills"].into_iter();
    // Folders of agents are hidden, or in a hidden one: `cd .github && gzip hooks/*`.
    let mut hidden = agents().map(|folder| up_to(folder, '/'));
    ours.any(|own| name.contains(own)) || name.contains('.') && hidden.any(|own| name.contains(own))
}

/// Returns `true` if a command gets the files that an earlier `find` finds.
fn gets_found(command: &Command) -> bool {
    let mut names = command.via.iter().filter_map(|via| match via {
        Via::Prefix(name) => Some(name.as_str()),
        _ => None,
    });
    let is_one = |name| lists("bfs fd fdfind find gfind", name) || name == "xargs" && command.is_in_pipeline();
    names.any(is_one) || command.program().is_some_and(is_one)
}

/// Returns `true` if a command's output goes to another command, which may be a shell.
fn is_piped(command: &Command) -> bool {
    command.via.iter().any(|via| matches!(via, Via::Pipeline | Via::ProcessSubstitution))
}

/// Returns a path of components, with a placeholder for each component that is not literal.
fn joined(components: &[Name], name: &str) -> String {
    let name = |component: &Name| if component.is_empty() { "" } else { literal(component).unwrap_or(name) }.to_owned();
    components.iter().map(name).collect::<Vec<_>>().join("/")
}

struct Look<'l> {
    protected: &'l Protected,
    folders: &'l Folders,
}

impl Look<'_> {
    fn target(&self, target: &Changed) -> Result<Option<Found>, Error> {
        if let Some(path) = literal(&target.pieces) {
            return self.known(path, target.use_of);
        }
        let (folder, components) = parted(&target.pieces);
        let use_of_folder = if target.use_of == Use::Named { Use::Named } else { Use::File };
        let found = self.known(&folder, use_of_folder)?;
        if found.is_some() || self.is_elsewhere(&folder) {
            return Ok(found);
        }
        if target.use_of != Use::Named
            && let Some(name) = components.last().and_then(|name| literal(name))
            && let Some(why) = self.protected.reason_of_name(name, &(folder.clone() + &joined(&components, "_")))
        {
            return Ok(Some(Possible(why)));
        }
        // Adjacent literal names, in an uncertain folder.
        for names in components.split(|component| literal(component).is_none()) {
            if let Some(why) = self.protected.reason_of_end(&joined(names, "")) {
                return Ok(Some(Possible(why)));
            }
        }
        let is_lost = self.folders.is_lost && !folder.starts_with(['/', '~']);
        if let Some(why) = self.protected.reason_in_lost_folder(&target.pieces).filter(|_| is_lost) {
            return Ok(Some(Possible(why)));
        }
        if let ([first, ..], [.., name]) = (&components[..], &components[..])
            && first[..] == [Piece::Unknown]
            && !(target.is_sure || folder.is_empty())
            && let Some(why) = self.below(&folder, name)?
        {
            return Ok(Some(Possible(why)));
        }
        self.among_files(&folder, &components, target.use_of)
    }

    /// Returns the reason not to change a file of this name that a command finds below a folder.
    fn below(&self, folder: &str, name: &[Piece]) -> Result<Option<String>, Error> {
        for context in &self.folders.contexts {
            if let Some(why) = self.protected.reason_below(&context.path(folder)?, name) {
                return Ok(Some(why));
            }
        }
        Ok(None)
    }

    /// Returns `true` for a folder that does not contain the project or the home folder, and is not in one of them.
    fn is_elsewhere(&self, folder: &str) -> bool {
        let is_apart = |context: &Rc<Context>| {
            let folder = context.absolute(folder);
            let own = [&context.project_dir, &context.absolute("~")];
            !own.iter().any(|own| own.starts_with(&folder) || folder.starts_with(own))
        };
        folder.starts_with('/') && self.folders.contexts.iter().all(is_apart)
    }

    /// Returns the finding about a literal path, from each folder of the command.
    fn known(&self, path: &str, use_of: Use) -> Result<Option<Found>, Error> {
        if path.is_empty() || path == "/dev/null" {
            return Ok(None);
        }
        let mut doubt = None;
        for context in &self.folders.contexts {
            let path = context.path(path)?;
            if matches!(use_of, Use::Overwritten | Use::Merged) && path.resolved.symlink_metadata().is_err() {
                continue;
            }
            let found = self.protected.finding(&path, use_of);
            if found.as_ref().is_some_and(Found::is_certain) {
                return Ok(found);
            }
            doubt = doubt.or(found);
        }
        let is_elsewhere = self.folders.is_lost && use_of != Use::Linked && !path.starts_with(['/', '~']);
        let elsewhere = || self.protected.reason_in_lost_folder(&[Piece::from(path)]).filter(|_| is_elsewhere);
        Ok(doubt.or_else(|| elsewhere().map(Possible)))
    }

    /// Returns the finding about the existing files that a path below a folder may mean.
    fn among_files(&self, folder: &str, components: &[Name], use_of: Use) -> Result<Option<Found>, Error> {
        // A name without any literal part may be any.
        if !components.iter().all(|component| component.iter().any(Piece::says_something)) {
            return Ok(None);
        }
        for context in &self.folders.contexts {
            // A folder that cannot be resolved would seem empty.
            context.path(folder)?;
            let mut paths = vec![context.absolute(folder)];
            for component in components {
                paths = match literal(component) {
                    Some(name) => paths.iter().filter(|path| path.is_dir()).map(|folder| folder.join(name)).collect(),
                    None => fitting(&paths, component),
                };
            }
            // A name that matches in every folder must exist: each project has a `.git`.
            if components.iter().flatten().any(|piece| *piece == Piece::Braces) {
                paths.retain(|path| path.symlink_metadata().is_ok());
            }
            for path in paths {
                if let Some(found) = self.protected.finding(&context.path(path)?, use_of) {
                    return Ok(Some(Possible(found.why())));
                }
            }
        }
        Ok(None)
    }

    /// Returns the finding about a text that may not be a command, if it names a protected file.
    fn named(&self, text: &str) -> Option<Found> {
        /// Maximum number of names, because of the time limit of a hook.
        const MOST: usize = 10_000;
        let names: BTreeSet<&str> = names_in(text, "._-+@%~/").filter(|name| !name.is_empty()).collect();
        let are_too_many = names.len() > MOST;
        let found = names.into_iter().take(MOST).find_map(|name| {
            let is_whole = name.starts_with(['/', '~']);
            let mut contexts = self.folders.contexts.iter();
            let why = || {
                contexts.find_map(|context| {
                    let path = context.path(name).ok()?;
                    (is_whole || self.protected.is_users(&path)).then(|| self.protected.reason(&path))?
                })
            };
            self.protected
                .reason_of_name(name.trim_start_matches('/'), name)
                .or_else(|| self.protected.reason_of_end(name))
                .or_else(why)
        });
        found.map(Possible).or_else(|| are_too_many.then(|| Possible(TOO_LONG.to_owned())))
    }
}

#[cfg(test)]
mod tests;
