//! The table of programs: which of their words name files, and what they do with these.

mod git;
mod others;
mod shown;

pub(super) use git::{GIT_CHANGES, GIT_MARKS, GIT_ONLY_NAMES, GIT_SHOWS, GIT_SUMMARIES};
pub(super) use others::family_or_other;
pub(in crate::effects) use shown::{MEASURES, ONLY_NAMES, SHOWS};

/// The effect of a command on a file that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    Read,
    Change,
    /// It sends it to another machine.
    Send,
    /// The text is a program in another language, and may name files.
    Run,
}

/// Programs of one kind.
pub(in crate::effects) struct Family {
    pub(super) programs: &'static [&'static str],
    /// Options whose value is a text, or a file that the program takes for itself: a key to log in with.
    pub(super) skipped: &'static [&'static str],
    /// Options whose value is a program in another language.
    pub(super) code: &'static [&'static str],
    /// Options whose value may name a file, before the first operand.
    pub(super) valued: &'static [&'static str],
    pub(super) first: First,
    /// Options that give what the first operand is otherwise.
    pub(super) given: &'static [&'static str],
    pub(super) does: Does,
}

/// The first operand.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum First {
    File,
    /// A pattern, a filter, a script of `sed`.
    Text,
    Code,
}

pub(in crate::effects) const READS: Family = Family {
    programs: &[],
    skipped: &[],
    code: &[],
    valued: &[],
    first: First::File,
    given: &[],
    does: Does::Read,
};

/// Programs that run another one, which is looked at by itself.
pub(crate) const PREFIXES: &[&str] = &[
    "builtin", "caffeinate", "command", "doas", "env", "eval", "exec", "ionice", "nice", "nocorrect", "noglob",
    "nohup", "setsid", "stdbuf", "sudo", "time", "timeout",
];

/// Options of any program whose value is a text, or a file that the program takes for itself.
pub(super) const SKIPPED: &[&str] = &[
    "-env-file", "-envfile", "--body", "--ca", "--ca-file", "--cacert", "--cert", "--cert-file",
    "--client-certificate", "--client-key", "--credentials-file", "--env-file", "--env-file-if-exists", "--env_file",
    "--exclude", "--exclude-dir", "--filter", "--format", "--grep", "--identity", "--ignore", "--ignore-pattern",
    "--include", "--jq", "--key", "--key-file", "--keyfile", "--kubeconfig", "--message", "--name", "--netrc-file",
    "--pattern", "--private-key", "--query", "--secret", "--ssl-cert", "--ssl-certfile", "--ssl-key", "--ssl-keyfile",
    "--template", "--title", "--tls-cert", "--tls-key",
];

pub(crate) const SHELLS: &[&str] = &[
    "ash", "bash", "dash", "fish", "ksh", "mksh", "rbash", "sh", "yash", "zsh",
];

/// Commands of programs, behind which is code of another language.
pub(super) const EVALUATES: &[(&str, &str)] = &[
    ("bun", "eval"),
    ("crystal", "eval"),
    ("deno", "eval"),
    ("mix", "eval"),
    ("mix", "run"),
    ("rails", "r"),
    ("rails", "runner"),
];

pub(super) const EVALUATED: Family = Family {
    first: First::Code,
    ..READS
};

const FAMILIES: &[Family] = &[
    Family {
        programs: &["egrep", "fgrep", "ggrep", "grep", "rgrep", "zgrep"],
        skipped: &[
            "-e", "--regexp", "-A", "-B", "-C", "-m", "-d", "-D", "--after-context", "--before-context", "--context",
            "--max-count", "--label", "--binary-files", "--directories", "--devices",
        ],
        // It looks into these files.
        valued: &["--include"],
        first: First::Text,
        given: &["-e", "--regexp", "-f", "--file"],
        ..READS
    },
    Family {
        programs: &["ack", "ag", "rg", "ugrep"],
        skipped: &[
            "-e", "--regexp", "-A", "-B", "-C", "-m", "-t", "--type", "-T", "--type-not", "-r", "--replace", "-E",
            "--encoding", "-j", "--threads", "-M", "--max-columns", "-d", "--max-depth", "--sort", "--sortr",
            "--max-count", "--colors", "--after-context", "--before-context", "--context",
        ],
        valued: &["-g", "--glob", "--iglob"],
        first: First::Text,
        given: &["-e", "--regexp", "-f", "--file", "--files"],
        ..READS
    },
    Family {
        programs: &["gsed", "sed"],
        skipped: &["-e", "--expression", "-l", "--line-length"],
        first: First::Text,
        given: &["-e", "--expression", "-f", "--file"],
        ..READS
    },
    Family {
        programs: &["awk", "gawk", "mawk", "nawk"],
        skipped: &["-F", "--field-separator"],
        code: &["-e", "--source"],
        valued: &["-v", "--assign"],
        first: First::Code,
        given: &["-e", "--source", "-f", "--file"],
        ..READS
    },
    Family {
        programs: &["gojq", "jaq", "jq", "xq", "yq"],
        skipped: &["--indent"],
        first: First::Text,
        given: &["-f", "--from-file"],
        ..READS
    },
    Family {
        programs: &["python", "pypy"],
        skipped: &["-m", "-W", "-X"],
        code: &["-c"],
        ..READS
    },
    Family {
        programs: &["bun", "deno", "node", "nodejs", "ts-node", "tsx"],
        skipped: &["-r", "--require", "--import", "--loader"],
        code: &["-e", "-p", "--eval", "--print"],
        ..READS
    },
    Family {
        programs: &["lua", "osascript", "perl", "Rscript", "ruby"],
        skipped: &["-I", "-M"],
        code: &["-e", "-E"],
        ..READS
    },
    Family {
        programs: &[
            "R", "bb", "clojure", "elixir", "groovy", "iex", "jrunscript", "julia", "octave", "octave-cli", "scala",
        ],
        code: &["-E", "-e", "--eval", "--print"],
        ..READS
    },
    Family {
        programs: &["elvish"],
        code: &["-c"],
        ..READS
    },
    Family {
        programs: &["artisan", "php"],
        skipped: &["-d"],
        code: &["-r", "-B", "-R", "-E", "--execute"],
        ..READS
    },
    Family {
        programs: &["mosh", "ssh", "ssh-copy-id"],
        skipped: &["-i", "-o", "-p", "-J", "-L", "-R", "-D", "-l"],
        does: Does::Send,
        ..READS
    },
    Family {
        programs: &["scp", "sftp"],
        skipped: &["-i", "-o", "-P", "-J", "-l", "-c"],
        does: Does::Send,
        ..READS
    },
    Family {
        programs: &["curl"],
        skipped: &[
            "-E", "-H", "--header", "-A", "--user-agent", "-e", "--referer", "-u", "--user", "-X", "--request",
        ],
        valued: &["-F", "-T", "-d"],
        does: Does::Send,
        ..READS
    },
    Family {
        programs: &[
            "aria2c", "aws", "az", "ftp", "gcloud", "gh", "gsutil", "http", "httpie", "https", "lftp", "mail", "mailx",
            "mc", "mutt", "nc", "ncat", "netcat", "s3cmd", "sendmail", "socat", "telnet", "wget", "xh",
        ],
        skipped: &["--header", "--user-agent", "--referer"],
        does: Does::Send,
        ..READS
    },
    Family {
        programs: &["rclone", "rsync"],
        valued: &["--include"],
        does: Does::Send,
        ..READS
    },
    // They run another program with the variables of a file, which they do not show.
    Family {
        programs: &["dotenv", "dotenv-cli", "dotenvx", "env-cmd", "foreman", "honcho", "nf"],
        skipped: &["-e", "-f", "--env", "--environments", "--file"],
        first: First::Text,
        given: &["-f", "--file"],
        ..READS
    },
    Family {
        programs: &[
            "mariadb", "mariadb-admin", "mariadb-dump", "mysql", "mysqladmin", "mysqldump", "mysqlimport", "mysqlshow",
        ],
        skipped: &["--defaults-extra-file", "--defaults-file"],
        ..READS
    },
    Family {
        programs: &["openssl"],
        skipped: &[
            "-CA", "-CAfile", "-CAkey", "-cert", "-config", "-inkey", "-key", "-keyout", "-out", "-passin", "-passout",
            "-signkey", "-subj",
        ],
        ..READS
    },
    Family {
        programs: &["zip"],
        skipped: &["-x", "--exclude"],
        valued: &["-i", "--include"],
        ..READS
    },
    Family {
        programs: &["xargs"],
        skipped: &["-d", "-E", "-I", "-L", "-n", "-P", "-s"],
        ..READS
    },
    Family {
        programs: &["dd", "ln", "mv", "rm", "shred", "tee", "unlink"],
        does: Does::Change,
        ..READS
    },
    Family {
        programs: &["install", "truncate"],
        skipped: &["-m", "--mode", "-s", "--size", "-g", "-o"],
        does: Does::Change,
        ..READS
    },
    Family {
        programs: SHELLS,
        skipped: &["-c", "-o", "-O"],
        ..READS
    },
];

/// Commands of `openssl` that show nothing secret, or that make something new.
pub(super) const OF_CERTIFICATES: &[&str] = &[
    "ca", "crl", "dgst", "ecparam", "genpkey", "genrsa", "req", "s_client", "s_server", "verify", "x509",
];

/// Commands of `openssl` that show the public part of a key, with some options.
pub(super) const OF_KEYS: &[&str] = &["dsa", "ec", "pkey", "rsa"];

/// Programs of a project's packages, which run another one.
pub(crate) const LAUNCHERS: &[&str] = &["bun", "bunx", "npm", "npx", "pnpm", "pnpx", "yarn"];

/// Returns the name of a program without its version: `python` of `python3.11`.
pub(in crate::effects) fn family_name(program: &str) -> &str {
    let program = program.strip_suffix(".exe").unwrap_or(program);
    match program.strip_prefix("python").or_else(|| program.strip_prefix("pypy")) {
        Some(version) if version.chars().all(|c| c.is_ascii_digit() || c == '.') => {
            &program[..program.len() - version.len()]
        }
        _ => program,
    }
}

pub(super) fn family(program: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.programs.contains(&program))
}
