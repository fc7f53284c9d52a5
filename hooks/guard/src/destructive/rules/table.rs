//! The table of programs, and of the words by which they destroy.

/// The words that must be among a program's arguments, each with its alternatives, and what it does then.
pub(super) type Rule = (&'static str, &'static str);

/// Returns the commands of a program that destroy something. They are asked about.
pub(super) fn rules(program: &str) -> &'static [Rule] {
    match program {
        "terraform" | "tofu" => &[
            ("destroy", "destroys what it has built"),
            ("apply -destroy", "destroys what it has built"),
            ("apply -auto-approve", "changes what is built, without asking"),
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
        "docker" | "finch" | "nerdctl" | "podman" => &[
            ("compose down -v|--volumes", "deletes volumes"),
            (
                "container prune",
                "deletes all containers that do not run, with what they hold",
            ),
            // Images, networks and pods are made anew, as containers are.
            (
                "checkpoint|config|context|machine|namespace|node|plugin|secret|service|stack|system|volume prune|remove|reset|rm",
                "deletes what containers use or keep",
            ),
            ("kube down --force", "deletes volumes"),
            ("swarm leave -f|--force", "may end a cluster"),
        ],
        "gpg" | "gpg2" => &[("--delete-secret-keys|--delete-secret-and-public-keys", "deletes a key")],
        "cargo" | "gem" => &[("yank", "takes a version away from others")],
        "flyway" => &[("clean", "empties a database")],
        "liquibase" => &[("dropAll|drop-all", "empties a database")],
        "alembic" | "flask" => &[("downgrade base", "deletes all tables of a database")],
        "vagrant" => &[("destroy", "destroys a machine")],
        "k" | "kubectl" | "oc" => &[
            ("delete", "deletes from a cluster"),
            ("drain", "empties a node of a cluster"),
        ],
        "helm" => &[("delete|uninstall", "deletes from a cluster")],
        "aws" => &[
            ("s3 rb", "deletes a bucket"),
            ("s3 rm --recursive", "deletes many files of a bucket"),
            ("s3 sync --delete", "deletes what only the target has"),
        ],
        "docker-compose" | "podman-compose" => &[("down -v|--volumes", "deletes volumes")],
        "gh" => &[
            ("api DELETE", "deletes by way of GitHub's interface"),
            ("repo edit --visibility", "shows a repository to others, or hides it"),
            ("repo sync --force", "overwrites what others may have pushed"),
            ("api force=true", "overwrites what others may have pushed"),
        ],
        "npm" | "pnpm" | "yarn" => &[("unpublish", "takes a package away from others")],
        "rails" | "rake" => &[("db:schema:load", "makes all tables of a database anew")],
        "prisma" => &[
            ("db push --force-reset", "deletes a database"),
            ("db push --accept-data-loss", "deletes from a database"),
        ],
        "drizzle-kit" => &[
            ("drop", "deletes a migration"),
            ("push --force", "deletes from a database"),
        ],
        "knex" => &[("migrate:rollback --all", "deletes all tables of a database")],
        "mikro-orm" => &[("migration:fresh", "deletes all tables of a database")],
        "sequelize" | "sequelize-cli" => &[("db:migrate:undo:all", "deletes all tables of a database")],
        "supabase" => &[("stop --no-backup", "deletes a database")],
        "nc" | "ncat" | "netcat" => &[("-e|--exec|--sh-exec", "gives a program to another machine")],
        "heroku" => &[
            ("repo:reset", "deletes a repository"),
            ("container:rm", "deletes a program that runs"),
        ],
        "railway" => &[("down", "deletes what was deployed")],
        "nomad" => &[("job stop -purge", "deletes a job")],
        "mysqladmin" => &[("drop", "deletes a database")],
        "dropdb" | "pg_dropcluster" => &[("", "deletes a database")],
        "dropuser" => &[("", "deletes a user of a database")],
        "pg_resetwal" => &[("", "loses what a database has not written yet")],
        "django" | "django-admin" | "manage.py" => &[
            ("flush", "empties a database"),
            ("migrate zero", "deletes tables of a database"),
            ("reset_db|reset_schema", "deletes a database"),
        ],
        "drush" => &[("sql-drop|sql:drop", "empties a database")],
        "wp" => &[("site empty", "empties a database")],
        "mongorestore" => &[("--drop", "deletes collections before it restores them")],
        "pg_restore" => &[("-c|--clean", "deletes tables before it restores them")],
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
            ("halt|poweroff", "ends the machine"),
            ("reboot", "restarts the machine"),
            ("isolate", "ends what runs on the machine"),
            ("disable --now", "ends a service of the machine"),
        ],
        "halt" | "poweroff" | "shutdown" => &[("", "ends the machine")],
        "reboot" => &[("", "restarts the machine")],
        "init" | "telinit" => &[("0", "ends the machine"), ("6", "restarts the machine")],
        "delgroup" | "deluser" | "groupdel" | "userdel" => &[("", "deletes a user or a group")],
        "dscl" => &[("-delete", "deletes a user or a group")],
        "sysadminctl" => &[("-deleteUser", "deletes a user")],
        "killall" | "pkill" => &[("-9|-KILL -u", "ends all programs of a user")],
        "tmutil" => &[("delete", "deletes backups")],
        "colima" | "limactl" | "virsh" => &[("delete|undefine", "deletes a machine")],
        "eb" | "neonctl" => &[
            ("terminate", "destroys what it has built"),
            ("delete", "deletes from a service"),
        ],
        "dbmate" | "migrate" => &[("drop", "deletes a database")],
        "goose" => &[("reset", "deletes all tables of a database")],
        "crontab" => &[("-r", "deletes all scheduled jobs")],
        "ip6tables" | "iptables" => &[
            ("-F|--flush", "opens the firewall"),
            (
                "-P|--policy",
                "changes what the firewall does with all that is not named",
            ),
        ],
        "nft" => &[("flush", "opens the firewall")],
        "pfctl" => &[("-d|-F", "opens the firewall")],
        "ufw" => &[("disable|reset", "opens the firewall")],
        _ => &[],
    }
}
