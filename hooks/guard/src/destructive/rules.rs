//! Services, databases and the machine itself: by the words of a command.

use hookkit::effects;
use hookkit::shell::{Command, Word};

use super::Danger;

/// Returns the commands of a program that destroy something: the words that must be among its arguments, and what it does then.
/// It is asked about.
fn rules(program: &str) -> &'static [(&'static str, &'static str)] {
    match program {
        "terraform" | "tofu" => &[
            ("destroy", "destroys what it has built"),
            ("apply -destroy", "destroys what it has built"),
            ("apply -auto-approve", "changes what is built, without asking"),
            ("apply --auto-approve", "changes what is built, without asking"),
            ("state rm", "forgets what it has built"),
            ("workspace delete", "forgets what it has built"),
        ],
        "pulumi" => &[
            ("destroy", "destroys what it has built"),
            ("stack rm", "forgets what it has built"),
            ("up --yes", "changes what is built, without asking"),
        ],
        "cdk" | "cdktf" | "helmfile" | "terragrunt" => &[("destroy", "destroys what it has built")],
        "serverless" | "sls" | "sst" => &[("remove", "destroys what it has built")],
        "k3d" | "kind" | "lxc" | "minikube" | "multipass" => &[("delete", "deletes a machine or a cluster")],
        "kubeadm" => &[("reset", "deletes from a cluster")],
        "gcloud" => &[("storage rm", "deletes files of a bucket")],
        "gsutil" | "mc" => &[("rb", "deletes a bucket"), ("rm", "deletes files of a bucket")],
        "docker" | "podman" => &[
            ("volume remove", "deletes a volume"),
            ("system reset", "deletes all containers and volumes"),
            ("system prune", "deletes what no container uses"),
            (
                "container prune",
                "deletes all containers that do not run, with what they hold",
            ),
            ("volume rm", "deletes a volume"),
            ("volume prune", "deletes volumes"),
            ("compose down -v", "deletes volumes"),
            ("compose down --volumes", "deletes volumes"),
        ],
        "gpg" | "gpg2" => &[
            ("--delete-secret-keys", "deletes a key"),
            ("--delete-secret-and-public-keys", "deletes a key"),
        ],
        "cargo" | "gem" => &[("yank", "takes a version away from others")],
        "flyway" => &[("clean", "empties a database")],
        "liquibase" => &[("dropAll", "empties a database")],
        "sqlx" => &[
            ("database drop", "deletes a database"),
            ("database reset", "deletes a database"),
        ],
        "dotnet" => &[("ef database drop", "deletes a database")],
        "alembic" => &[("downgrade base", "deletes all tables of a database")],
        "vagrant" => &[("destroy", "destroys a machine")],
        "k" | "kubectl" | "oc" => &[
            ("delete", "deletes from a cluster"),
            ("drain", "empties a node of a cluster"),
        ],
        "helm" => &[
            ("uninstall", "deletes from a cluster"),
            ("delete", "deletes from a cluster"),
        ],
        "aws" => &[
            ("s3 rb", "deletes a bucket"),
            ("s3 rm --recursive", "deletes many files of a bucket"),
            ("s3 sync --delete", "deletes what only the target has"),
        ],
        "docker-compose" => &[("down -v", "deletes volumes"), ("down --volumes", "deletes volumes")],
        "gh" => &[
            ("api DELETE", "deletes by way of GitHub's interface"),
            ("repo edit --visibility", "shows a repository to others, or hides it"),
            ("repo sync --force", "overwrites what others may have pushed"),
            ("api force=true", "overwrites what others may have pushed"),
        ],
        "npm" | "pnpm" | "yarn" => &[("unpublish", "takes a package away from others")],
        "rails" | "rake" => &[
            ("db:drop", "deletes a database"),
            ("db:reset", "deletes a database"),
            ("db:migrate:reset", "deletes a database"),
            ("db:purge", "empties a database"),
            ("db:schema:load", "makes all tables of a database anew"),
        ],
        "prisma" => &[
            ("migrate reset", "deletes a database"),
            ("db push --force-reset", "deletes a database"),
            ("db push --accept-data-loss", "deletes from a database"),
        ],
        "drizzle-kit" => &[
            ("drop", "deletes a migration"),
            ("push --force", "deletes from a database"),
        ],
        "knex" => &[("migrate:rollback --all", "deletes all tables of a database")],
        "sequelize" | "sequelize-cli" => &[
            ("db:drop", "deletes a database"),
            ("db:migrate:undo:all", "deletes all tables of a database"),
        ],
        "typeorm" => &[("schema:drop", "deletes all tables of a database")],
        "supabase" => &[
            ("db reset", "deletes a database"),
            ("stop --no-backup", "deletes a database"),
        ],
        "nc" | "ncat" | "netcat" => &[
            ("-e", "gives a program to another machine"),
            ("--exec", "gives a program to another machine"),
            ("--sh-exec", "gives a program to another machine"),
        ],
        "heroku" => &[
            ("repo:reset", "deletes a repository"),
            ("container:rm", "deletes a program that runs"),
        ],
        "railway" => &[("down", "deletes what was deployed")],
        "nomad" => &[("job stop -purge", "deletes a job")],
        "php" => &[
            ("artisan migrate:fresh", "empties a database"),
            ("artisan db:wipe", "empties a database"),
        ],
        "mysqladmin" => &[("drop", "deletes a database")],
        "dropdb" => &[("", "deletes a database")],
        "python" | "python3" => &[
            ("manage.py flush", "empties a database"),
            ("manage.py reset_db", "deletes a database"),
        ],
        "manage.py" => &[("flush", "empties a database")],
        "mix" => &[
            ("ecto.drop", "deletes a database"),
            ("ecto.reset", "deletes a database"),
        ],
        "mongorestore" => &[("--drop", "deletes collections before it restores them")],
        "pg_restore" => &[
            ("--clean", "deletes tables before it restores them"),
            ("-c", "deletes tables before it restores them"),
        ],
        "ansible" => &[("state=absent", "deletes on other machines")],
        "redis-cli" | "valkey-cli" => &[
            ("del", "deletes from a database"),
            ("unlink", "deletes from a database"),
            ("shutdown", "ends a database"),
            ("config set", "changes a database for all that use it"),
            ("debug", "may end a database"),
            ("flushall", "empties all databases"),
            ("flushdb", "empties a database"),
        ],
        "systemctl" => &[
            ("poweroff", "ends the machine"),
            ("reboot", "restarts the machine"),
            ("halt", "ends the machine"),
            ("isolate", "ends what runs on the machine"),
            ("disable --now", "ends a service of the machine"),
        ],
        "halt" | "poweroff" | "shutdown" => &[("", "ends the machine")],
        "reboot" => &[("", "restarts the machine")],
        "init" | "telinit" => &[("0", "ends the machine"), ("6", "restarts the machine")],
        "delgroup" | "deluser" | "groupdel" | "userdel" => &[("", "deletes a user or a group")],
        "dscl" => &[("-delete", "deletes a user or a group")],
        "sysadminctl" => &[("-deleteUser", "deletes a user")],
        "killall" | "pkill" => &[
            ("-9 -u", "ends all programs of a user"),
            ("-KILL -u", "ends all programs of a user"),
        ],
        "tmutil" => &[("delete", "deletes backups")],
        "colima" | "limactl" | "virsh" => &[("delete", "deletes a machine"), ("undefine", "deletes a machine")],
        "eb" | "neonctl" => &[
            ("terminate", "destroys what it has built"),
            ("delete", "deletes from a service"),
        ],
        "dbmate" => &[("drop", "deletes a database")],
        "goose" => &[("reset", "deletes all tables of a database")],
        "atlas" => &[("schema clean", "empties a database")],
        "crontab" => &[("-r", "deletes all scheduled jobs")],
        "ip6tables" | "iptables" => &[
            ("-F", "opens the firewall"),
            ("--flush", "opens the firewall"),
            ("-P", "changes what the firewall does with all that is not named"),
            ("--policy", "changes what the firewall does with all that is not named"),
        ],
        "nft" => &[("flush", "opens the firewall")],
        "pfctl" => &[("-d", "opens the firewall"), ("-F", "opens the firewall")],
        "ufw" => &[("reset", "opens the firewall"), ("disable", "opens the firewall")],
        _ => &[],
    }
}

/// Options with which nothing is done.
const DRY: &[&str] = &["--dry-run", "--help"];

/// Returns `true` for an option, or a word, with which a program does nothing.
fn is_dry(program: &str, word: &str) -> bool {
    let (option, value) = word.split_once('=').unwrap_or((word, "true"));
    let is_own = matches!(
        (program, option),
        ("aws", "--dryrun") | ("pulumi", "--preview-only") | ("shutdown", "--show") | ("terraform" | "tofu", "-help")
    );
    (DRY.contains(&option) || is_own) && matches!(value, "1" | "client" | "server" | "true")
}

/// Returns `true` for a program of which the first verb decides, and what follows are names.
fn goes_by_verb(program: &str) -> bool {
    matches!(
        program,
        "aws"
            | "cdk"
            | "docker"
            | "gcloud"
            | "gh"
            | "helm"
            | "k"
            | "kubectl"
            | "oc"
            | "podman"
            | "pulumi"
            | "systemctl"
            | "terraform"
            | "tofu"
    )
}

/// Returns the danger of a command by its words.
pub(super) fn destroy(command: &Command) -> Option<Danger> {
    started(command)
        .into_iter()
        .find_map(|(program, words)| by_words(command, program, words))
}

fn by_words(command: &Command, program: &str, words: &[Word]) -> Option<Danger> {
    let rules = rules(program);
    if rules.is_empty() {
        return None;
    }
    let ask = |what: &str| Danger::ask(format!("`{command}` {what}"));
    if matches!(program, "redis-cli" | "valkey-cli") {
        return of_redis(rules, words).map(ask);
    }
    let mut literals = words.iter().filter_map(Word::literal);
    let calls_off = program == "shutdown" && matches!(words, [word] if word.literal() == Some("-c"));
    if calls_off || literals.any(|word| is_dry(program, word)) {
        return None;
    }
    let verbs: Vec<&Word> = match goes_by_verb(program) {
        true => effects::verbs(program, words).collect(),
        false => words.iter().collect(),
    };
    let has = |wanted: &str| {
        let is_it = |text: &str| {
            let is_option = wanted.starts_with("--") && text.starts_with("--");
            let text = match text.split_once('=') {
                Some((option, _)) if is_option => option,
                _ => text.strip_suffix("=true").unwrap_or(text),
            };
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
                .any(|text| match wanted.starts_with('-') {
                    true => text == wanted,
                    false => text.eq_ignore_ascii_case(wanted),
                })
        };
        match wanted.starts_with('-') {
            true => words.iter().filter_map(Word::literal).any(is_it),
            false => verbs.iter().filter_map(|word| word.literal()).any(is_it),
        }
    };
    let (_, what) = rules.iter().find(|(wanted, _)| wanted.split_whitespace().all(has))?;
    Some(ask(what))
}

/// Returns the effect of a command of Redis: the first word that for certain is neither an option nor its value.
fn of_redis(rules: &'static [(&str, &'static str)], words: &[Word]) -> Option<&'static str> {
    const FLAGS: &[&str] = &[
        "-2",
        "-3",
        "-4",
        "-6",
        "-c",
        "-e",
        "-x",
        "--csv",
        "--insecure",
        "--json",
        "--no-auth-warning",
        "--no-raw",
        "--raw",
        "--tls",
    ];
    let mut may_be_value = false;
    for (at, word) in words.iter().enumerate() {
        let is_value = std::mem::take(&mut may_be_value);
        let text = word.known_start();
        if text.starts_with('-') || word.literal().is_none() {
            may_be_value = !FLAGS.contains(&text);
            continue;
        }
        let begins = |(wanted, _): &&(&str, &str)| {
            let mut pairs = wanted.split(' ').zip(at..);
            pairs.all(|(wanted, at)| {
                let text = words.get(at).and_then(Word::literal);
                text.is_some_and(|text| text.eq_ignore_ascii_case(wanted))
            })
        };
        let rule = rules.iter().find(begins);
        if rule.is_some() || !is_value {
            return rule.map(|(_, what)| *what);
        }
    }
    None
}

/// Returns the programs with rules that a command may start, and their arguments: its own, that of a module of Python, and
/// those of a package that a runner starts.
fn started(command: &Command) -> Vec<(&str, &[Word])> {
    /// More words of a runner are not looked at.
    const MOST: usize = 8;
    let words = command.arguments();
    let Some(program) = command.program() else {
        return Vec::new();
    };
    let from = match program {
        "bun" | "dotenv" | "dotenvx" | "npx" | "pnpm" | "spring" | "yarn" => 0..words.len().min(MOST),
        _ if program.starts_with("python") => {
            let module = words.iter().position(|word| word.literal() == Some("-m"));
            module.map_or(0..0, |at| at + 1..words.len().min(at + 2))
        }
        _ => 0..0,
    };
    let inner = from.filter_map(|at| Some((without_version(words[at].literal()?), &words[at + 1..])));
    std::iter::once((without_version(program), words))
        .chain(inner)
        .collect()
}

/// The name of a package without its version: `prisma@5`.
fn without_version(name: &str) -> &str {
    name.split('@').next().unwrap_or(name)
}
