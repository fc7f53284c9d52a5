//! Guard for commit messages.

mod message;

use crate::change::script;
use crate::prelude::*;
pub use message::Code;
use message::faults;

/// Denies a `git commit` whose message breaks the rules below, with a code for each fault.
///
/// A message is read for years, in lists that cut it off, and by programs that turn it into release notes. A model that
/// reads the faults before it commits fixes them immediately. With one of git's own hooks it would have to start again.
///
/// | code | fault |
/// |---|---|
/// | GC001 | there is no subject |
/// | GC002 | the subject has more than 72 characters |
/// | GC003 | the subject ends with a full stop |
/// | GC004 | the line after the subject is not blank |
/// | GC005 | a line of the body has more than 100 characters; except links, trailers, quotes and indented lines |
/// | GC006 | the subject is not a conventional commit, `type(scope): what`, although nine in ten of the last 20 commits are (if there are at least five) |
/// | GC007 | the subject says that the work is not done: `WIP` |
///
/// A workspace turns codes off with [`CommitRules`].
///
/// The message comes from one or several `-m`, from `-F` with a file of the project, or from a here-document, either for `-F -`
/// or within `"$(cat <<'EOF' …)"`, whatever comes before it on the line. A command run by an MCP server's tool is judged
/// like a Bash command.
///
/// Commits without such a message pass, as with `--amend --no-edit`, `--fixup` and an editor, and so do messages that
/// are not literal. The last commits are read in the folder where the command runs. If that folder is uncertain, as
/// with `git -C` or after a `cd "$folder"`, relative files are not read, and any form passes.
///
/// # What it cannot see
///
/// - Commits made with the PowerShell tool.
/// - Commits that other programs make: `gh`, scripts, `git merge`, `git rebase`.
///
/// # Errors
///
/// Fails if git cannot list the last commits, or if the file of `-F` is not text, is larger than 1 MiB, or cannot be
/// read. The user reads why, and the commit goes ahead.
#[hook(PreToolUse, matcher = "^(?:Bash|mcp__.*)$", timeout = 5, on_failure = continue)]
pub fn check_commit_message(
    call: PreToolUse<Change>,
    context: Context,
    rules: Config<CommitRules>,
) -> Result<Option<PreToolUseAnswer>, Error> {
    // Nearly all calls end here.
    let text = script(&call);
    if !text.contains("commit") {
        return Ok(None);
    }
    let script = shell::analyze(&text);
    let folders = Folders::of(&script, &context);
    for command in script.commands() {
        let Some(commit) = Commit::of(command, &folders) else {
            continue;
        };
        let Some(message) = commit.message()? else {
            continue;
        };
        let faults: Vec<String> = faults(&message, commit.is_to_be_conventional()?)
            .into_iter()
            .filter(|(code, _)| !rules.off.contains(code))
            .map(|(code, text)| format!("{code:?}: {text}"))
            .collect();
        if !faults.is_empty() {
            return Ok(Some(PreToolUseAnswer::deny(format!(
                "the commit message has faults; fix them and commit again:\n{}",
                faults.join("\n")
            ))));
        }
    }
    Ok(None)
}

/// The configuration of [`check_commit_message`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitRules {
    /// Codes of faults that pass here: `off = ["GC003", "GC005"]`.
    pub off: Vec<Code>,
}

/// A `git commit`.
struct Commit<'a> {
    command: &'a Command,
    words: &'a [Word],
    folders: &'a Folders,
    /// `true` if the commit may run in another folder.
    is_elsewhere: bool,
}

impl<'a> Commit<'a> {
    fn of(command: &'a Command, folders: &'a Folders) -> Option<Self> {
        let words = Git::of(command)?.words;
        words.first()?.is("commit").then(|| Self {
            command,
            words,
            folders,
            is_elsewhere: folders.is_lost || command.has_argument("-C"),
        })
    }

    /// Returns the message, if it is literal.
    fn message(&self) -> Result<Option<String>, Error> {
        let mut paragraphs = Vec::new();
        for (name, _, value) in Read::of_git(self.words).given() {
            let is_text = lists("m message", name);
            if !is_text && !lists("F file", name) {
                continue;
            }
            let Some((word, at)) = value else { return Ok(None) };
            let value = word.after(at);
            let text = if is_text { value.literal().map(str::to_owned) } else { self.file(&value)? };
            match text {
                Some(text) => paragraphs.push(text),
                None => return Ok(None),
            }
        }
        Ok((!paragraphs.is_empty()).then(|| paragraphs.join("\n\n")))
    }

    /// Returns the text of a file of the project, or of stdin.
    fn file(&self, word: &Word) -> Result<Option<String>, Error> {
        let Some(name) = word.literal() else {
            return Ok(None);
        };
        if name == "-" {
            return Ok(self.command.input().and_then(Word::literal).map(str::to_owned));
        }
        if self.is_elsewhere && Path::new(name).is_relative() {
            return Ok(None);
        }
        let paths = self.folders.contexts.iter().map(|context| context.path(name)).collect::<Result<Vec<_>, _>>()?;
        // In another folder, the name means another file.
        let [path, others @ ..] = &paths[..] else {
            return Ok(None);
        };
        if path.relative.is_none() || others.iter().any(|other| other.resolved != path.resolved) {
            return Ok(None);
        }
        match bounded::text(&path.resolved, LONGEST_FILE) {
            Ok(text) => Ok(Some(text)),
            // An earlier command on the line may write it.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::msg(format_args!("the commit message in `{path}` cannot be used: {error}"))),
        }
    }

    /// Returns `true` if nearly all of the last commits are conventional, in each folder that the command may run in.
    fn is_to_be_conventional(&self) -> Result<bool, Error> {
        if self.is_elsewhere {
            return Ok(false);
        }
        for context in &self.folders.contexts {
            if !is_conventional(&context.cwd)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Maximum size of a message file.
const LONGEST_FILE: u64 = 1 << 20;

/// Returns `true` if nearly all of the last commits in a folder are conventional.
fn is_conventional(folder: &Path) -> Result<bool, Error> {
    // An earlier command on the line may create it.
    if !folder.is_dir() {
        return Ok(false);
    }
    let Some(tree) = WorkTree::around(folder)? else {
        return Ok(false);
    };
    let commits = tree.last_commits(20)?;
    let conventional = commits.iter().filter(|commit| message::is_conventional(&commit.subject)).count();
    Ok(commits.len() >= 5 && conventional * 10 >= commits.len() * 9)
}
