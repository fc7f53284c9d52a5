//! Functions of all languages, by name.

/// The action of a function, with the meaning of its arguments.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Does {
    /// Runs a text as a shell's line.
    Line,
    /// Runs a program with arguments, or a text as a line.
    Command,
    /// Deletes files and folders.
    Delete,
    /// Moves a file or a folder.
    Move,
    /// Opens a file, which may be written.
    Open,
    /// Writes the file that is its first argument.
    Write,
    /// Writes the file whose method it is.
    Into,
    /// Truncates a file.
    Cut,
    /// Deletes from a database or a service.
    Drop,
    /// Deletes from a database or a service, without arguments.
    DropAll,
    /// Runs SQL.
    Sql,
    /// Sends a request that deletes.
    Unsend,
    /// Sends a request that deletes, depending on its options.
    Send,
}

/// Functions in lowercase, with their modules and actions. `-` is for functions of no module, `*` for names with the same
/// meaning in any module; the program counts as a module, too.
pub(super) const CALLS: &[(Does, &str, &str)] = &[
    (Does::Command, "system", "- os Kernel"),
    (Does::Command, "run call check_call check_output popen", "subprocess julia Deno"),
    (Does::Command, "spawn", "- child_process bun pty"),
    (Does::Command, "spawnsync execfile execfilesync execa system2", "*"),
    (Does::Command, "command", "Deno"),
    (
        Does::Command,
        "execl execle execlp execv execve execvp execvpe spawnl spawnlp spawnv spawnve spawnvp posix_spawn posix_spawnp",
        "*",
    ),
    (Does::Line, "popen exec", "- os child_process Kernel IO io"),
    (Does::Line, "shell_exec passthru proc_open execsync doshellscript qx %x ` $ capture2", "*"),
    (Does::Line, "getoutput getstatusoutput", "subprocess"),
    (Does::Line, "execute", "os groovy"),
    (Does::Line, "script", "shell"),
    (Does::Drop, "execute", "delete"),
    (
        Does::Drop,
        "delete_bucket deletebucket delete_table drop_all drop_collection drop_database dropcollection dropdatabase droptable droptableifexists flushall flushdb delete_all destroy_all",
        "*",
    ),
    (
        Does::Delete,
        "rmtree remove_tree rm_rf rm_r rmsync rmdirsync unlink unlinksync rimraf removesync emptydir emptydirsync deletedir removedirs",
        "*",
    ),
    (Does::Delete, "rm rmdir remove", "os fs fs-extra promises shelljs FileUtils Deno posix julia"),
    (Does::Delete, "remove", "file"),
    (Does::Delete, "delete", "File Dir"),
    (Does::Move, "rename renames renamesync movesync", "*"),
    (Does::Move, "move mv replace", "os shutil fs FileUtils fs-extra shelljs julia Path"),
    (Does::Open, "open fopen", "*"),
    (
        Does::Write,
        "writefile writefilesync writetextfile writetextfilesync appendfile appendfilesync writestring file_put_contents",
        "*",
    ),
    (Does::Write, "write binwrite", "File IO Bun julia"),
    (Does::Into, "write_text write_bytes", "*"),
    (Does::Cut, "truncate", "os fs File"),
    (Does::Cut, "truncatesync", "*"),
    (Does::DropAll, "drop deletemany delete_many", "*"),
    (Does::DropAll, "delete", "all"),
    (Does::DropAll, "truncate", "table"),
    (
        Does::Sql,
        "$executeraw $queryraw do statement unprepared mysqli_query pg_query exec execute executemany executescript query raw read_sql run sql unsafe",
        "*",
    ),
    (Does::Unsend, "delete", "axios got httpx ky requests http"),
    (Does::Send, "axios fetch got ky request", "*"),
];

/// Names that may give a program, a file or a variable another name, or make a call without its name in the code.
pub(super) const ELSEWHERE: &str = "__dict__ cd chdir chroot cwd env environ environb eval fchdir getattr globals import_module \
    move pushd putenv rename renames renameSync replace send setenv syscall unsetenv";

/// Options that change the target of a call.
pub(super) const OF_CALL: &str = "args argv0 cwd dir_fd env executable input stdin";

/// Values of options.
pub(super) const NOTHING: &str = "FALSE False None TRUE True false null true undefined";

/// Words before a name that the code itself defines.
pub(super) const DEFINE: &str = "as class def fn fun func function sub";

/// Functions that make a folder for temporary files.
pub(super) const MAKE_FOLDERS: &str = "mkdtemp mkdtempSync TemporaryDirectory";

/// Functions that return the path given to them.
pub(super) const NAME_PATHS: &str = "File Path Pathname PurePath str";

/// Beginnings of the names of functions, in lowercase, that change no file given to them.
pub(super) const READ: &str = "abs access append assert base chdir contains count createread dir each echo end eql exist expand \
    file_ find for get glob has if import inc index insert is len list load log lstat make match mk norm open parse pp print \
    push put read real relative relpath removeprefix removesuffix require resolve return scan search size split start stat strip \
    sub test walk warn while write";

/// Functions that test a file without opening it.
pub(crate) const TEST: &str = "access accessSync chmod chmodSync exist? exists exists? existsSync file? file_exists getsize \
    is_file isFile isfile lexists stat statSync";

/// Functions that print a text, or insert it into another one.
pub(crate) const PRINT: &str = "debug echo error info log print printf println puts replace replaceAll warn";

/// Functions that compare a text.
pub(crate) const COMPARE: &str = "contains end_with? endsWith endswith eql? equals hasPrefix hasSuffix include? includes indexOf \
    start_with? startsWith startswith";

/// Beginnings and ends of the names of functions that open or run something.
pub(crate) const OPEN: (&str, &str) = ("cat copy exec file_get getline read spawn", "Path call open run spawn system");
