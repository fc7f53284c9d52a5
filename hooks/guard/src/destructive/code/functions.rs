//! Functions of languages that delete, or start programs, by their names. All texts are in lowercase.

use super::super::services::is_own;
use super::{Language, sql};

/// Functions that delete, or start other programs, in some of these languages.
const CALLS: &[&str] = &[
    "rmtree", "remove_tree", "rmsync", "rmdirsync", "unlinksync", "fs.rm(", "fs.rmdir(", "fs.remove(", "fs.unlink",
    "rimraf", "removesync", "os.remove", "os.unlink", "os.rmdir", "os.removedirs", "os.truncate", "fileutils.rm",
    "file.delete", "dir.delete", "os.system", "os.popen", "subprocess", "child_process", "os.exec", "os.posix_spawn",
    "os.spawn", "pty.spawn", "proc_open", "os.execute", "promises.rm", "execsync", "execfilesync", "spawnsync",
    ".execl", ".execv", "shell_exec", "passthru", "deno.command", "deno.remove", "deno.run", "bun.spawn",
    "do shell script", "doshellscript", "deletedir",
];

/// Functions whose names are those of others only by chance.
const NAMES: &[&str] = &["popen", "system", "unlink"];

/// Calls of Perl and Ruby, where a call needs no parentheses.
const CALLS_OF_PERL: &[&str] = &[
    "unlink", "system ", "system\"", "system'", "exec ", "exec\"", "exec'", "rm_rf", "rm_r", "qx", "`", "-run -e rm",
    "un -e rm",
];

/// More of Ruby.
const CALLS_OF_RUBY: &[&str] = &["%x", "spawn", "open3", "open('|", "open(\"|", "open '|", "open \"|"];

/// More of Perl: a file whose name is a pipe.
const PIPES_OF_PERL: &[&str] = &["'|", "\"|", "|'", "|\"", "-|", "|-"];

/// A command between backquotes, in PHP, where in a text they may be around the name of a column; and names of functions.
const CALLS_OF_PHP: &[&str] = &[
    "\n`", "=`", "= `", "echo `", "(`", ";`", "; `", "'exec'", "'system'", "'unlink'",
];

/// Templates that a shell of JavaScript runs, and functions by a name that is not in the code.
const CALLS_OF_JAVASCRIPT: &[&str] = &["$`", "execa", "shelljs", "fs[", "fs')[", "fs\")[", "emptydir"];

/// Calls of Groovy, R and Julia.
const CALLS_OF_OTHERS: &[&str] = &[
    ".execute()", "file.remove(", "run(`", "read(`", "pipeline(`", "system2(",
];

/// Modules of Python by another name.
const MODULES_OF_PYTHON: &[&str] = &[
    "__import__('os'", "__import__(\"os\"", "import_module('os'", "import_module(\"os\"", "getattr(os,", "os.__dict__",
    "getattr(shutil,", "\n!",
];

/// Devices that are disks, behind `/dev/`.
const DISKS: &[&str] = &[
    "disk", "dm-", "hd", "mapper/", "mmcblk", "nvme", "rdisk", "sd", "vd", "xvd",
];

/// Returns `true` if code has a call that deletes files, or starts another program.
pub(super) fn delete(language: Language, text: &str) -> bool {
    let has_one_of = |calls: &[&str]| calls.iter().any(|call| text.contains(call));
    // In JavaScript a pattern has it.
    let is_pattern = |at: usize| language == Language::JavaScript && text[..at].ends_with('.');
    let by_language = || match language {
        Language::Perl => has_one_of(CALLS_OF_PERL) || text.contains("open") && has_one_of(PIPES_OF_PERL),
        Language::Ruby => has_one_of(CALLS_OF_PERL) || has_one_of(CALLS_OF_RUBY),
        Language::Php => has_one_of(CALLS_OF_PHP),
        Language::JavaScript => {
            has_one_of(CALLS_OF_JAVASCRIPT)
                || imports_files(text) && ["rm", "rmdir"].iter().any(|name| calls(text, name))
        }
        Language::Python => has_one_of(MODULES_OF_PYTHON) || imports_deletion(text),
        Language::Other => has_one_of(CALLS_OF_OTHERS) || deletes_folder(text),
        _ => false,
    };
    has_one_of(CALLS)
        || NAMES
            .iter()
            .any(|name| calls(text, name) || text.contains(&format!("\"{name}\"")))
        || by_language()
        || text.match_indices("exec(").any(|(at, _)| !is_pattern(at))
        || writes_disk(text)
}

/// Returns `true` if a text calls a function of this name.
pub(super) fn calls(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let is_longer = name == "rm" && text[..at].ends_with(|char: char| char.is_alphanumeric() || char == '_');
        !is_longer && text[at + name.len()..].trim_start().starts_with('(')
    })
}

/// Returns `true` if code of Julia calls `rm` with an option that R's does not have, where it deletes variables.
fn deletes_folder(text: &str) -> bool {
    const LONGEST: usize = 200;
    text.match_indices("rm(").any(|(at, _)| {
        let mut depth = 0;
        let behind = &text.as_bytes()[at + 2..];
        let end = behind.iter().take(LONGEST).position(|byte| {
            depth += i32::from(*byte == b'(') - i32::from(*byte == b')');
            depth == 0
        });
        end.is_none_or(|end| text[at..at + 2 + end].contains("recursive"))
    })
}

/// Returns `true` if code of JavaScript imports the module for files, or the one with more of its functions.
pub(super) fn imports_files(text: &str) -> bool {
    let quotes = ['\'', '"', '`'];
    text.match_indices("fs").any(|(at, name)| {
        let (before, behind) = (&text[..at], &text[at + name.len()..]);
        let behind = behind
            .strip_prefix("/promises")
            .or(behind.strip_prefix("-extra"))
            .unwrap_or(behind);
        before.strip_suffix("node:").unwrap_or(before).ends_with(quotes) && behind.starts_with(quotes)
    })
}

/// Returns `true` if code of Python imports a function of `os` whose name may be any function's, or such a module by another
/// name.
fn imports_deletion(text: &str) -> bool {
    const NAMES: &[&str] = &["*", "remove", "removedirs", "rmdir", "truncate"];
    text.split(['\n', ';']).any(|statement| {
        let Some((before, names)) = statement.split_once("import ") else {
            return false;
        };
        let mut words = names.split([' ', ',', '(', ')']).filter(|name| !name.is_empty());
        let is_other =
            |name: &str| NAMES.contains(&name) || name == "as" || name.starts_with("exec") || name.starts_with("spawn");
        before.ends_with("from os ") && words.any(is_other) || renames(names)
    })
}

/// Returns `true` if one of the modules that are imported is one that deletes or starts programs, by another name.
pub(super) fn renames(modules: &str) -> bool {
    modules.split(',').any(|module| {
        let mut words = module.split_whitespace();
        matches!(words.next(), Some("os" | "shutil" | "subprocess")) && words.next().is_some_and(|word| word == "as")
    })
}

/// Returns `true` if code names a disk, and may write to it.
fn writes_disk(text: &str) -> bool {
    let writes = ["write", "'w", "\"w", "'a", "\"a", "r+", "truncate"];
    text.match_indices("/dev/").any(|(at, folder)| {
        let name = &text[at + folder.len()..];
        DISKS.iter().any(|disk| name.starts_with(disk))
    }) && writes.iter().any(|word| text.contains(word))
}

/// Functions that delete from a database or a service, without spaces.
const OF_SERVICES: &[&str] = &[
    "->truncate()", ".all().delete()", ".delete().execute()", ".delete_all", ".destroy_all", ".drop()", ".drop_all(",
    "delete_bucket(", "delete_many({})", "delete_table(", "deletebucket", "deletemany()", "deletemany({})",
    "drop_collection(", "drop_database(", "dropcollection(", "dropdatabase(", "droptable(", "droptableifexists(",
    "flushall(", "flushdb(",
];

/// Functions that run SQL, without spaces.
const RUN_SQL: &[&str] = &[
    "$executeraw", "$queryraw", "->do(", "->statement(", "->unprepared(", "::statement(", "::unprepared(", "_query(",
    "exec(", "execute(", "executemany(", "executescript(", "query(", "raw(", "read_sql", ".run(", ".sql(", ".unsafe(",
    "sql`",
];

/// Functions that send a request which deletes, with its address first; without spaces, and with one kind of quotes.
const REQUESTS: &[&str] = &[
    "axios.delete(", "got.delete(", "httpx.delete(", "ky.delete(", "requests.delete(", "request('delete',",
];

/// Functions whose request deletes by its options.
const FETCHES: &[&str] = &["axios(", "fetch(", "got(", "ky("];

/// Returns `true` if code deletes from a database, or from a server that is not one's own.
pub(super) fn delete_from_service(text: &str) -> bool {
    let short: String = text.split_whitespace().collect();
    let has_one_of = |calls: &[&str]| calls.iter().any(|call| short.contains(call));
    has_one_of(OF_SERVICES)
        || has_one_of(RUN_SQL) && has_sql(text)
        || requests_deletion(&short.replace(['"', '`'], "'"))
}

/// Returns `true` if one of the texts in code deletes as SQL. Between two of them there is code, which is none.
fn has_sql(text: &str) -> bool {
    let is_temporary = text.contains(":memory:") && text.matches("connect(").count() == 1 && !text.contains("attach");
    let text = text.replace("\\n", "\n");
    !is_temporary
        && ['\'', '"', '`'].iter().any(|quote| {
            text.split(*quote)
                .any(|text| sql::drops("", std::iter::once(text.trim_start())))
        })
}

fn requests_deletion(text: &str) -> bool {
    let is_own_address = |text: &str| {
        let address = text.strip_prefix('\'').and_then(|text| text.split_once('\''));
        address.is_some_and(|(address, behind)| {
            behind.starts_with([',', ')']) && !address.contains(['$', '{', '…', '\\']) && is_own(address)
        })
    };
    let all_own = |calls: &[&str]| {
        let mut behind = calls
            .iter()
            .flat_map(|call| text.match_indices(call).map(|(at, call)| &text[at + call.len()..]));
        behind.all(is_own_address)
    };
    let by_options = [
        "method:'delete'", "method='delete'", "'method':'delete'", "request,'delete'",
    ]
    .iter()
    .any(|option| text.contains(option));
    let fetches = FETCHES.iter().any(|call| text.contains(call));
    !all_own(REQUESTS) || by_options && !(fetches && all_own(FETCHES)) || text.contains("http::delete")
}
