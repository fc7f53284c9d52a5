//! Services, databases, the machine itself, and programs in other languages.

use hookkit::shell::{Command, Via, Word};

use super::Danger;

/// Programs, the words that must be among their arguments, and what they do then. It is asked about.
type Rule = (&'static [&'static str], &'static [&'static str], &'static str);

const RULES: &[Rule] = &[
    (
        &["terraform", "tofu", "pulumi", "cdk", "cdktf", "helmfile", "terragrunt"],
        &["destroy"],
        "destroys what it has built",
    ),
    (
        &["terraform", "tofu"],
        &["apply", "-destroy"],
        "destroys what it has built",
    ),
    (
        &["terraform", "tofu"],
        &["apply", "-auto-approve"],
        "changes what is built, without asking",
    ),
    (
        &["terraform", "tofu"],
        &["apply", "--auto-approve"],
        "changes what is built, without asking",
    ),
    (&["terraform", "tofu"], &["state", "rm"], "forgets what it has built"),
    (
        &["terraform", "tofu"],
        &["workspace", "delete"],
        "forgets what it has built",
    ),
    (&["pulumi"], &["stack", "rm"], "forgets what it has built"),
    (&["serverless", "sls", "sst"], &["remove"], "destroys what it has built"),
    (
        &["kind", "k3d", "lxc", "minikube", "multipass"],
        &["delete"],
        "deletes a machine or a cluster",
    ),
    (&["kubeadm"], &["reset"], "deletes from a cluster"),
    (&["gcloud"], &["storage", "rm"], "deletes files of a bucket"),
    (&["gsutil"], &["rb"], "deletes a bucket"),
    (&["mc"], &["rb"], "deletes a bucket"),
    (&["mc"], &["rm"], "deletes files of a bucket"),
    (&["docker", "podman"], &["volume", "remove"], "deletes a volume"),
    (&["podman"], &["system", "reset"], "deletes all containers and volumes"),
    (&["gpg", "gpg2"], &["--delete-secret-keys"], "deletes a key"),
    (&["gpg", "gpg2"], &["--delete-secret-and-public-keys"], "deletes a key"),
    (&["gem"], &["yank"], "takes a version away from others"),
    (&["flyway"], &["clean"], "empties a database"),
    (&["liquibase"], &["dropAll"], "empties a database"),
    (&["sqlx"], &["database", "drop"], "deletes a database"),
    (&["sqlx"], &["database", "reset"], "deletes a database"),
    (&["dotnet"], &["ef", "database", "drop"], "deletes a database"),
    (&["alembic"], &["downgrade", "base"], "deletes all tables of a database"),
    (&["vagrant"], &["destroy"], "destroys a machine"),
    (&["kubectl"], &["delete"], "deletes from a cluster"),
    (&["kubectl"], &["drain"], "empties a node of a cluster"),
    (&["helm"], &["uninstall"], "deletes from a cluster"),
    (&["helm"], &["delete"], "deletes from a cluster"),
    (&["aws"], &["s3", "rb"], "deletes a bucket"),
    (&["aws"], &["s3", "rm", "--recursive"], "deletes many files of a bucket"),
    (
        &["aws"],
        &["s3", "sync", "--delete"],
        "deletes what only the target has",
    ),
    (&["gsutil"], &["rm"], "deletes files of a bucket"),
    (
        &["docker", "podman"],
        &["system", "prune"],
        "deletes what no container uses",
    ),
    (&["docker", "podman"], &["volume", "rm"], "deletes a volume"),
    (&["docker", "podman"], &["volume", "prune"], "deletes volumes"),
    (&["docker", "podman"], &["compose", "down", "-v"], "deletes volumes"),
    (
        &["docker", "podman"],
        &["compose", "down", "--volumes"],
        "deletes volumes",
    ),
    (&["docker-compose"], &["down", "-v"], "deletes volumes"),
    (&["docker-compose"], &["down", "--volumes"], "deletes volumes"),
    (&["gh"], &["api", "DELETE"], "deletes by way of GitHub's interface"),
    (&["npm"], &["unpublish"], "takes a package away from others"),
    (&["cargo"], &["yank"], "takes a version away from others"),
    (&["rails", "rake"], &["db:drop"], "deletes a database"),
    (&["rails", "rake"], &["db:reset"], "deletes a database"),
    (&["bundle"], &["exec", "db:drop"], "deletes a database"),
    (&["bundle"], &["exec", "db:reset"], "deletes a database"),
    (&["prisma"], &["migrate", "reset"], "deletes a database"),
    (
        &["bun", "npx", "pnpm", "yarn"],
        &["prisma", "migrate", "reset"],
        "deletes a database",
    ),
    (
        &["npx"],
        &["prisma", "db", "push", "--force-reset"],
        "deletes a database",
    ),
    (&["supabase"], &["db", "reset"], "deletes a database"),
    (&["npx"], &["supabase", "db", "reset"], "deletes a database"),
    (&["php"], &["artisan", "migrate:fresh"], "empties a database"),
    (&["php"], &["artisan", "db:wipe"], "empties a database"),
    (&["mysqladmin"], &["drop"], "deletes a database"),
    (&["dropdb"], &[], "deletes a database"),
    (&["python", "python3"], &["manage.py", "flush"], "empties a database"),
    (&["manage.py"], &["flush"], "empties a database"),
    (&["mix"], &["ecto.drop"], "deletes a database"),
    (&["mix"], &["ecto.reset"], "deletes a database"),
    (&["rails", "rake"], &["db:drop:all"], "deletes databases"),
    (&["rails", "rake"], &["db:migrate:reset"], "deletes a database"),
    (
        &["mongorestore"],
        &["--drop"],
        "deletes collections before it restores them",
    ),
    (&["pg_restore"], &["--clean"], "deletes tables before it restores them"),
    (&["pg_restore"], &["-c"], "deletes tables before it restores them"),
    (&["ansible"], &["state=absent"], "deletes on other machines"),
    (&["pulumi"], &["up", "--yes"], "changes what is built, without asking"),
    (&["redis-cli", "valkey-cli"], &["del"], "deletes from a database"),
    (&["redis-cli", "valkey-cli"], &["unlink"], "deletes from a database"),
    (&["redis-cli", "valkey-cli"], &["shutdown"], "ends a database"),
    (
        &["redis-cli", "valkey-cli"],
        &["config", "set"],
        "changes a database for all that use it",
    ),
    (&["redis-cli", "valkey-cli"], &["debug"], "may end a database"),
    (&["redis-cli", "valkey-cli"], &["flushall"], "empties all databases"),
    (&["redis-cli", "valkey-cli"], &["flushdb"], "empties a database"),
    (&["systemctl"], &["poweroff"], "ends the machine"),
    (&["systemctl"], &["reboot"], "restarts the machine"),
    (&["systemctl"], &["halt"], "ends the machine"),
    (&["shutdown", "poweroff", "halt"], &[], "ends the machine"),
    (&["reboot"], &[], "restarts the machine"),
    (&["init"], &["0"], "ends the machine"),
    (&["init"], &["6"], "restarts the machine"),
    (&["userdel", "deluser"], &[], "deletes a user"),
    (&["crontab"], &["-r"], "deletes all scheduled jobs"),
    (&["iptables"], &["-F"], "opens the firewall"),
    (&["iptables"], &["--flush"], "opens the firewall"),
    (&["nft"], &["flush", "ruleset"], "opens the firewall"),
    (&["ufw"], &["reset"], "opens the firewall"),
    (&["ufw"], &["disable"], "opens the firewall"),
];

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

/// Programs that start others by `system`, or by a pipe.
const AWKS: &[&str] = &["awk", "gawk", "mawk", "nawk"];

/// Functions that delete, or start other programs, in some of these languages; in lowercase.
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
    "fileutils.rm",
    "file.delete",
    "dir.delete",
    "os.system",
    "os.popen",
    "subprocess",
    "child_process",
    "os.exec",
    "os.execute",
    "promises.rm",
    "execsync",
    "shell_exec",
    "passthru",
    "deno.remove",
    "dropdatabase",
];

/// Functions whose names are those of others only by chance.
const NAMES: &[&str] = &["popen", "system", "unlink"];

/// Calls of Perl and Ruby, where a call needs no parentheses.
const CALLS_OF_PERL: &[&str] = &[
    "unlink",
    "system ",
    "system\"",
    "system'",
    "exec ",
    "exec\"",
    "exec'",
    "rm_rf",
    "rm_r",
    "qx",
    "`",
    "-run -e rm",
    "un -e rm",
];

/// Returns the danger of a command for services, databases, processes and, by another language, for anything.
pub(super) fn destroy(command: &Command) -> Option<Danger> {
    let program = command.program()?;
    processes(command, program)
        .or_else(|| by_rule(command, program))
        .or_else(|| container(command, program))
        .or_else(|| by_text(command, program))
}

fn processes(command: &Command, program: &str) -> Option<Danger> {
    let is_itself = |via: &Via| matches!(via, Via::Function(name) if name == program);
    if command.via.contains(&Via::Pipeline) && command.via.iter().any(is_itself) {
        return Some(Danger::deny(format!("`{program}` starts itself without end")));
    }
    // Behind a signal; before it, it is the signal itself.
    let mut behind = command.arguments().iter().skip(1);
    let kills_all = program == "kill" && behind.any(|word| word.literal() == Some("-1"));
    kills_all.then(|| Danger::deny(format!("`{command}` ends all of the user's processes")))
}

fn by_rule(command: &Command, program: &str) -> Option<Danger> {
    let words = || command.arguments().iter().filter_map(Word::literal);
    let is_dry = |word: &str| {
        matches!(
            word,
            "--help" | "--dry-run" | "--dry-run=client" | "--dry-run=server" | "--dry-run=true"
        )
    };
    if !matches!(program, "redis-cli" | "valkey-cli") && words().any(is_dry) {
        return None;
    }
    let has = |wanted: &str| {
        let is_it = |text: &str| {
            let text = text.strip_suffix("=true").unwrap_or(text);
            // With one dash or two, and a task with a part: `db:drop:primary`.
            let option = text
                .strip_prefix('-')
                .filter(|option| option.starts_with('-') && wanted.len() > 2);
            let task = text
                .get(..wanted.len())
                .filter(|_| wanted.contains(':') && text.as_bytes().get(wanted.len()) == Some(&b':'));
            [Some(text), option, task]
                .into_iter()
                .flatten()
                .any(|text| text.eq_ignore_ascii_case(wanted))
        };
        words().any(is_it)
    };
    let (_, _, what) = RULES
        .iter()
        .find(|(programs, words, _)| programs.contains(&program) && words.iter().all(|word| has(word)))?;
    Some(Danger::ask(format!("`{command}` {what}")))
}

/// Returns the danger of a container that is given the machine's disk, or its rights.
fn container(command: &Command, program: &str) -> Option<Danger> {
    if !matches!(program, "docker" | "podman" | "nerdctl") {
        return None;
    }
    let words = command.arguments();
    let is_disk = |text: &str| {
        let source = text
            .split(',')
            .find_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")));
        text.starts_with("/:") || source == Some("/")
    };
    let has_disk = words.iter().enumerate().any(|(index, word)| {
        let Some(text) = word.literal() else { return false };
        let value = text.split_once('=').map(|(_, value)| value);
        match text {
            "-v" | "--volume" | "--mount" => {
                let value = words.get(index + 1).and_then(Word::literal);
                value.is_some_and(is_disk)
            }
            _ => {
                text.starts_with("--volume=") && value.is_some_and(is_disk)
                    || text.starts_with("--mount=") && value.is_some_and(is_disk)
                    || text.starts_with("-v/:")
            }
        }
    });
    has_disk.then(|| Danger::ask(format!("`{command}` gives a container the whole disk")))
}

/// Returns the code for a program of a language, on the command line or by a redirection.
fn by_text(command: &Command, program: &str) -> Option<Danger> {
    let language = program.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    let (is_database, is_mongo) = (DATABASES.contains(&program), program.starts_with("mongo"));
    let is_awk = AWKS.contains(&program);
    if !is_database && !is_mongo && !is_awk && !LANGUAGES.contains(&language) {
        return None;
    }
    let targets = command.redirections.iter().map(|redirection| &redirection.target);
    let texts = command.arguments().iter().chain(targets);
    let text = texts
        .map(|word| word.to_string() + "\n")
        .collect::<String>()
        .to_ascii_lowercase();
    let has_one_of = |calls: &[&str]| calls.iter().any(|call| text.contains(call));
    if is_database && drops(&text) || is_mongo && has_one_of(&["drop(", "dropdatabase(", "deletemany(", "remove({})"]) {
        return Some(Danger::ask(format!("`{command}` deletes from a database")));
    }
    if is_awk && starts_programs(&text) {
        return Some(Danger::ask(format!(
            "`{program}` is given a program that starts others"
        )));
    }
    if is_database && has_one_of(&["\\!", ".shell ", ".system "]) {
        return Some(Danger::ask(format!("`{program}` is given a command that it starts")));
    }
    let has_option = (command.arguments().iter()).any(|word| word.known_start().starts_with('-'));
    let is_given = has_option || !command.redirections.is_empty();
    let has_words = matches!(language, "perl" | "ruby") && has_one_of(CALLS_OF_PERL);
    // In JavaScript a pattern has it.
    let is_pattern = |at: usize| matches!(language, "node" | "nodejs" | "deno" | "bun") && text[..at].ends_with('.');
    let executes = || text.match_indices("exec(").any(|(at, _)| !is_pattern(at));
    (LANGUAGES.contains(&language)
        && is_given
        && (has_one_of(CALLS) || NAMES.iter().any(|name| calls(&text, name)) || has_words || executes()))
    .then(|| {
        Danger::ask(format!(
            "`{program}` is given a program that deletes files, or starts others"
        ))
    })
}

/// Returns `true` if a program of awk starts others: by `system`, or by a pipe that is not in a text.
fn starts_programs(text: &str) -> bool {
    if calls(text, "system") {
        return true;
    }
    // A quotation mark in a pattern or a comment would open a text.
    let has_texts = !text.contains("/\"") && !text.contains('#');
    let mut is_text = false;
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => drop(chars.next()),
            '"' => is_text = has_texts && !is_text,
            '|' if !is_text => {
                let behind = text[at + 1..].trim_start_matches('&').trim_start();
                if behind.starts_with('"') || behind.starts_with("getline") {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Returns `true` if a text calls a function of this name.
fn calls(text: &str, name: &str) -> bool {
    text.match_indices(name)
        .any(|(at, _)| text[at + name.len()..].trim_start().starts_with('('))
}

/// Returns `true` if SQL deletes a table, or all that is in one. The text is in lowercase.
fn drops(text: &str) -> bool {
    let words: Vec<&str> = text
        .split(|char: char| !char.is_ascii_alphanumeric() && char != ';')
        .filter(|word| !word.is_empty())
        .collect();
    let text = words.join(" ");
    let has = |phrase: &str| text.contains(phrase);
    let of_all = |statement: &str| {
        let changes =
            statement.contains("delete from ") || statement.contains("update ") && statement.contains(" set ");
        let is_for_all =
            !statement.contains(" where ") || statement.ends_with(" where 1 1") || statement.ends_with(" where true");
        changes && is_for_all || statement.contains("alter table ") && statement.contains(" drop ")
    };
    let deletes_all = text.split(';').any(of_all);
    let dropped = ["database", "owned", "role", "schema", "table", "user"];
    dropped.iter().any(|what| has(&format!("drop {what}"))) || has("truncate ") || deletes_all
}
