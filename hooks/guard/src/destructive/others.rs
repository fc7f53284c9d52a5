//! Services, databases, the machine itself, and programs in other languages.

use hookkit::shell::{Command, Via, Word};

use super::{Finding, Severity};

/// A program, the words that must be among its arguments, how bad it is, and what it does.
type Rule = (&'static str, &'static [&'static str], Severity, &'static str);

use Severity::Ask;

const RULES: &[Rule] = &[
    ("terraform", &["destroy"], Ask, "destroys what it has built"),
    (
        "terraform",
        &["apply", "-auto-approve"],
        Ask,
        "changes what is built, without asking",
    ),
    (
        "terraform",
        &["apply", "--auto-approve"],
        Ask,
        "changes what is built, without asking",
    ),
    ("terraform", &["apply", "-destroy"], Ask, "destroys what it has built"),
    ("terraform", &["state", "rm"], Ask, "forgets what it has built"),
    ("tofu", &["destroy"], Ask, "destroys what it has built"),
    (
        "tofu",
        &["apply", "-auto-approve"],
        Ask,
        "changes what is built, without asking",
    ),
    ("pulumi", &["destroy"], Ask, "destroys what it has built"),
    ("cdk", &["destroy"], Ask, "destroys what it has built"),
    ("serverless", &["remove"], Ask, "destroys what it has built"),
    ("vagrant", &["destroy"], Ask, "destroys a machine"),
    ("kubectl", &["delete"], Ask, "deletes from a cluster"),
    ("kubectl", &["drain"], Ask, "empties a node of a cluster"),
    ("helm", &["uninstall"], Ask, "deletes from a cluster"),
    ("helm", &["delete"], Ask, "deletes from a cluster"),
    ("aws", &["s3", "rb"], Ask, "deletes a bucket"),
    (
        "aws",
        &["s3", "rm", "--recursive"],
        Ask,
        "deletes many files of a bucket",
    ),
    (
        "aws",
        &["s3", "sync", "--delete"],
        Ask,
        "deletes what only the target has",
    ),
    ("gsutil", &["rm"], Ask, "deletes files of a bucket"),
    ("docker", &["system", "prune"], Ask, "deletes what no container uses"),
    ("docker", &["volume", "rm"], Ask, "deletes a volume"),
    ("docker", &["volume", "prune"], Ask, "deletes volumes"),
    ("docker", &["compose", "down", "-v"], Ask, "deletes volumes"),
    ("docker", &["compose", "down", "--volumes"], Ask, "deletes volumes"),
    ("docker-compose", &["down", "-v"], Ask, "deletes volumes"),
    ("podman", &["system", "prune"], Ask, "deletes what no container uses"),
    ("podman", &["volume", "rm"], Ask, "deletes a volume"),
    ("gh", &["repo", "delete"], Ask, "deletes a repository"),
    ("gh", &["api", "DELETE"], Ask, "deletes by way of GitHub's interface"),
    ("gh", &["release", "delete"], Ask, "deletes a release"),
    ("glab", &["repo", "delete"], Ask, "deletes a repository"),
    ("npm", &["unpublish"], Ask, "takes a package away from others"),
    ("cargo", &["yank"], Ask, "takes a version away from others"),
    ("heroku", &["apps:destroy"], Ask, "deletes an application"),
    ("heroku", &["pg:reset"], Ask, "deletes a database"),
    ("rails", &["db:drop"], Ask, "deletes a database"),
    ("rake", &["db:drop"], Ask, "deletes a database"),
    ("rails", &["db:reset"], Ask, "deletes a database"),
    ("prisma", &["migrate", "reset"], Ask, "deletes a database"),
    ("supabase", &["db", "reset"], Ask, "deletes a database"),
    ("npx", &["prisma", "migrate", "reset"], Ask, "deletes a database"),
    (
        "npx",
        &["prisma", "db", "push", "--force-reset"],
        Ask,
        "deletes a database",
    ),
    ("npx", &["supabase", "db", "reset"], Ask, "deletes a database"),
    ("bundle", &["exec", "db:drop"], Ask, "deletes a database"),
    ("bundle", &["exec", "db:reset"], Ask, "deletes a database"),
    ("php", &["artisan", "migrate:fresh"], Ask, "empties a database"),
    ("php", &["artisan", "db:wipe"], Ask, "empties a database"),
    ("mysqladmin", &["drop"], Ask, "deletes a database"),
    ("dropdb", &[], Ask, "deletes a database"),
    ("systemctl", &["poweroff"], Ask, "ends the machine"),
    ("systemctl", &["reboot"], Ask, "restarts the machine"),
    ("systemctl", &["halt"], Ask, "ends the machine"),
    ("shutdown", &[], Ask, "ends the machine"),
    ("reboot", &[], Ask, "restarts the machine"),
    ("poweroff", &[], Ask, "ends the machine"),
    ("halt", &[], Ask, "ends the machine"),
    ("init", &["0"], Ask, "ends the machine"),
    ("init", &["6"], Ask, "restarts the machine"),
    ("userdel", &[], Ask, "deletes a user"),
    ("deluser", &[], Ask, "deletes a user"),
    ("crontab", &["-r"], Ask, "deletes all scheduled jobs"),
    ("iptables", &["-F"], Ask, "opens the firewall"),
    ("iptables", &["--flush"], Ask, "opens the firewall"),
    ("nft", &["flush", "ruleset"], Ask, "opens the firewall"),
    ("ufw", &["reset"], Ask, "opens the firewall"),
    ("ufw", &["disable"], Ask, "opens the firewall"),
    ("redis-cli", &["flushall"], Ask, "empties all databases"),
    ("redis-cli", &["flushdb"], Ask, "empties a database"),
];

/// What is done in a cloud stands behind the options that say which one.
const MOST_CLOUD_WORDS: usize = 10;

/// Programs that take SQL, on the command line or from a here-document.
const DATABASES: &[&str] = &[
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "duckdb",
    "sqlcmd",
    "clickhouse-client",
    "cockroach",
];

/// Programs that take a program in their own language.
const LANGUAGES: &[&str] = &[
    "python", "perl", "ruby", "node", "nodejs", "php", "deno", "bun", "lua", "pypy",
];

/// What deletes, or starts other programs, in some of these languages; in lowercase.
const CALLS: &[&str] = &[
    "rmtree",
    "remove_tree",
    "rmsync",
    "rmdirsync",
    "unlinksync",
    "fs.rm(",
    "fs.unlink",
    "rimraf",
    "removesync",
    "os.remove",
    "os.unlink",
    "os.rmdir",
    "os.removedirs",
    ".unlink(",
    "unlink(",
    "unlink ",
    "fileutils.rm",
    "file.delete",
    "dir.delete",
    "os.system",
    "os.popen",
    "subprocess",
    "child_process",
    "system(",
    "system ",
    "exec(",
    "execsync",
    "shell_exec",
    "passthru",
    "deno.remove",
    "dropdatabase",
];

pub(super) fn destroy(command: &Command) -> Option<Finding> {
    let program = command.program()?;
    let is_itself = |via: &Via| matches!(via, Via::Function(name) if name == program);
    if command.via.contains(&Via::Pipeline) && command.via.iter().any(is_itself) {
        return Some(Finding::refuse(format!("`{program}` starts itself without end")));
    }
    let has = |wanted: &str| {
        let is_it = |word: &Word| word.literal().is_some_and(|text| text.eq_ignore_ascii_case(wanted));
        command.arguments().iter().any(is_it)
    };
    let rule = RULES
        .iter()
        .find(|(name, words, ..)| *name == program && words.iter().all(|word| has(word)));
    if let Some((_, _, severity, what)) = rule {
        return Some(Finding {
            severity: *severity,
            text: format!("`{command}` {what}"),
        });
    }
    // Behind a signal; before it, it is the signal itself.
    if program == "kill"
        && command
            .arguments()
            .iter()
            .skip(1)
            .any(|word| word.literal() == Some("-1"))
    {
        return Some(Finding::refuse(format!("`{command}` ends all of the user's processes")));
    }
    let deletes_of_cloud = |word: &Word| {
        let text = word.known_start();
        text == "delete" || text.starts_with("delete-") || text.starts_with("terminate-") || text == "purge"
    };
    if matches!(
        program,
        "aws" | "gcloud" | "az" | "doctl" | "linode-cli" | "hcloud" | "fly" | "flyctl"
    ) && command.arguments().iter().take(MOST_CLOUD_WORDS).any(deletes_of_cloud)
    {
        return Some(Finding::ask(format!("`{command}` deletes from a cloud")));
    }
    let texts = command
        .arguments()
        .iter()
        .chain(command.redirections.iter().map(|redirection| &redirection.target));
    let text: String = texts
        .map(|word| word.to_string() + "\n")
        .collect::<String>()
        .to_lowercase();
    if DATABASES.contains(&program) && drops(&text) {
        return Some(Finding::ask(format!("`{command}` deletes from a database")));
    }
    if program.starts_with("mongo")
        && ["drop(", "dropdatabase(", "deletemany({})"]
            .iter()
            .any(|call| text.contains(call))
    {
        return Some(Finding::ask(format!("`{command}` deletes from a database")));
    }
    let language = program.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    let is_given = command
        .arguments()
        .iter()
        .any(|word| word.known_start().starts_with('-'))
        || !command.redirections.is_empty();
    if LANGUAGES.contains(&language) && is_given && CALLS.iter().any(|call| text.contains(call)) {
        return Some(Finding::ask(format!(
            "`{program}` is given a program that deletes files, or starts others"
        )));
    }
    None
}

/// Whether SQL deletes a table, or all that is in one. The text is in lowercase.
fn drops(text: &str) -> bool {
    let words: Vec<&str> = text
        .split(|char: char| !char.is_ascii_alphanumeric() && char != ';')
        .filter(|word| !word.is_empty())
        .collect();
    let text = words.join(" ");
    let has = |phrase: &str| text.contains(phrase);
    let deletes_all = text
        .split(';')
        .any(|statement| statement.contains("delete from ") && !statement.contains(" where "));
    has("drop table") || has("drop database") || has("drop schema") || has("truncate ") || deletes_all
}
