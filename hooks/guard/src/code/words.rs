//! Functions of all languages, by name.

use crate::prelude::*;

/// Function names in lowercase, with their action and modules: `-` means no module, `*` any. An interpreter (`julia`) also
/// counts as a module. The actions:
///
/// - `line` runs a string as a shell line; `command` runs a program with arguments, or a string as a line.
/// - `delete` deletes files and folders; `move` moves one of them.
/// - `open` opens a file, which may be written; `write` writes the file in the first argument, `into` the file that the
///   method is called on; `cut` truncates a file.
/// - `drop` deletes from a database or a service, `drop-all` only without arguments; `sql` runs SQL.
/// - `unsend` sends a request that deletes, and `send` does so depending on its options.
pub(super) static CALLS: Table<256> = Table::new(include_str!("calls.txt"));

/// Names that may rename a program, a file or a variable, or make a call without its name in the code.
pub(super) const ELSEWHERE: &str = "__dict__ cd chdir chroot cwd env environ environb eval fchdir getattr globals import_module \
    move pushd putenv rename renames renameSync replace send setenv syscall unsetenv";

/// Options that change the target of a call.
pub(super) const OF_CALL: &str = "args argv0 cwd dir_fd env executable input stdin";

/// Constants as values of options.
pub(super) const NOTHING: &str = "FALSE False None TRUE True false null true undefined";

/// Words before a name that the code itself defines.
pub(super) const DEFINE: &str = "as class def fn fun func function sub";

/// Functions that make a folder for temporary files.
pub(super) const MAKE_FOLDERS: &str = "mkdtemp mkdtempSync TemporaryDirectory";

/// Functions that return the path given to them.
pub(super) const NAME_PATHS: &str = "File Path Pathname PurePath str";

/// Prefixes, in lowercase, of functions that change no file passed to them.
pub(super) const READ: &str = "abs access append assert base chdir contains count createread dir each echo end eql exist expand \
    file_ find for get glob has if import inc index insert is len list load log lstat make match mk norm open parse pp print \
    push put read real relative relpath removeprefix removesuffix require resolve return scan search size split start stat strip \
    sub test walk warn while write";

/// Functions that test a file without opening it.
pub(crate) const TEST: &str = "access accessSync chmod chmodSync exist? exists exists? existsSync file? file_exists getsize \
    is_file isFile isfile lexists stat statSync";

/// Functions that print a string, or insert it into another string.
pub(crate) const PRINT: &str = "debug echo error info log print printf println puts replace replaceAll warn";

/// Functions that compare a string.
pub(crate) const COMPARE: &str = "contains end_with? endsWith endswith eql? equals hasPrefix hasSuffix include? includes indexOf \
    start_with? startsWith startswith";

/// Prefixes and suffixes of functions that open or run something.
pub(crate) const OPEN: (&str, &str) = ("cat copy exec file_get getline read spawn", "Path call open run spawn system");
