//! Programs that run others, and what decides which.

mod runners;

pub(super) use runners::RUNNERS_BY_WORD;

/// The way from the arguments of a program that runs a command to that command.
pub(super) struct Prefix {
    pub(super) name: &'static str,
    /// Short options without a value, and those with one.
    pub(super) flags: &'static str,
    pub(super) valued: &'static str,
    /// Long ones; a value behind `=` belongs to either.
    pub(super) long_flags: &'static [&'static str],
    pub(super) long_valued: &'static [&'static str],
    /// Number of arguments before the command.
    pub(super) operands: usize,
    /// `true` if `NAME=value` may be before it.
    pub(super) takes_assignments: bool,
    /// `true` if nothing is reported that is not known, of its options or of the command, and a word that is not known is an
    /// option or an operand.
    pub(super) is_lenient: bool,
}

impl Prefix {
    /// The name by which a command behind it is reached: that of a new container is another one than that of one that is there.
    pub(super) fn via(&self) -> &'static str {
        if self.is_lenient { "docker run" } else { self.name }
    }
}

/// A program with these short options: those without a value, and those with one.
const fn prefix(name: &'static str, flags: &'static str, valued: &'static str) -> Prefix {
    Prefix {
        name,
        flags,
        valued,
        long_flags: &[],
        long_valued: &[],
        operands: 0,
        takes_assignments: false,
        is_lenient: false,
    }
}

/// Their behaviour without a command is in `reach/prefix.rs`.
pub(super) const PREFIXES: [Prefix; 37] = [
    Prefix {
        long_flags: &[
            "askpass", "background", "bell", "no-update", "non-interactive", "preserve-env", "preserve-groups",
            "reset-timestamp", "set-home", "stdin",
        ],
        long_valued: &[
            "chdir", "chroot", "close-from", "command-timeout", "group", "host", "other-user", "prompt", "role",
            "type", "user",
        ],
        takes_assignments: true,
        ..prefix("sudo", "ABbEHknNPS", "CDgpRrTtuU")
    },
    prefix("doas", "n", "u"),
    Prefix {
        long_flags: &["ignore-environment", "null", "debug"],
        long_valued: &["unset", "chdir"],
        takes_assignments: true,
        ..prefix("env", "i0v", "uC")
    },
    prefix("nohup", "", ""),
    Prefix {
        long_flags: &["ctty", "fork", "wait"],
        ..prefix("setsid", "cfw", "")
    },
    Prefix {
        long_valued: &["adjustment"],
        ..prefix("nice", "0123456789", "n")
    },
    Prefix {
        long_flags: &["ignore"],
        long_valued: &["class", "classdata"],
        ..prefix("ionice", "t", "cn")
    },
    Prefix {
        long_flags: &["append", "portability", "quiet", "verbose"],
        long_valued: &["format", "output"],
        ..prefix("time", "apqvlh", "fo")
    },
    Prefix {
        long_flags: &["foreground", "preserve-status", "verbose"],
        long_valued: &["kill-after", "signal"],
        operands: 1,
        ..prefix("timeout", "vfp", "ks")
    },
    Prefix {
        long_valued: &["input", "output", "error"],
        ..prefix("stdbuf", "", "ioe")
    },
    Prefix {
        long_flags: &["exit", "interactive", "no-run-if-empty", "null", "open-tty", "verbose"],
        long_valued: &[
            "arg-file", "delimiter", "max-args", "max-chars", "max-procs", "process-slot-var",
        ],
        ..prefix("xargs", "0rtpxo", "adEILnPs")
    },
    prefix("command", "p", ""),
    prefix("builtin", "", ""),
    prefix("exec", "cl", "a"),
    prefix("noglob", "", ""),
    prefix("nocorrect", "", ""),
    prefix("caffeinate", "dimsu", "tw"),
    // What follows is the name of one of its own programs.
    prefix("busybox", "", ""),
    prefix("toybox", "", ""),
    prefix("chronic", "ev", ""),
    prefix("unbuffer", "p", ""),
    prefix("linux32", "", ""),
    prefix("linux64", "", ""),
    prefix("dumb-init", "cv", ""),
    Prefix {
        long_flags: &["exclusive", "nonblock", "shared", "verbose", "close", "no-fork"],
        long_valued: &["conflict-exit-code", "timeout", "wait"],
        operands: 1,
        ..prefix("flock", "enosux", "Ew")
    },
    Prefix {
        operands: 1,
        ..prefix("gosu", "", "")
    },
    Prefix {
        operands: 1,
        ..prefix("su-exec", "", "")
    },
    prefix("proxychains", "q", "f"),
    prefix("proxychains4", "q", "f"),
    prefix("sshpass", "ev", "dfpP"),
    Prefix {
        long_flags: &["follow-forks", "summary-only"],
        long_valued: &["trace"],
        ..prefix("strace", "cCdfFhiknqrtTvVwxyzZ", "aeEIoOpPsSuUXb")
    },
    Prefix {
        operands: 1,
        ..prefix("taskset", "ac", "")
    },
    prefix("fakeroot", "u", ""),
    Prefix {
        long_flags: &[
            "collect", "no-block", "pipe", "pty", "quiet", "same-dir", "scope", "system", "user", "wait",
        ],
        long_valued: &[
            "description", "gid", "nice", "property", "setenv", "slice", "uid", "unit", "working-directory",
        ],
        ..prefix("systemd-run", "dGPqrt", "Epu")
    },
    prefix("tini", "gsvw", "ep"),
    prefix("torsocks", "aiq", "Pp"),
    Prefix {
        long_flags: &["auto-servernum"],
        long_valued: &["error-file", "server-args", "server-num", "wait"],
        ..prefix("xvfb-run", "al", "efnpsw")
    },
];

/// Shells of Bourne's family.
pub(super) const SHELLS: [&str; 9] = ["ash", "bash", "dash", "ksh", "mksh", "rbash", "sh", "yash", "zsh"];

/// Those of them that are sure to know what bash does.
pub(super) const KNOW_BASH: [&str; 3] = ["bash", "rbash", "zsh"];

/// The words behind its options are put together, and a shell runs the text.
pub(super) const WATCH: Prefix = Prefix {
    long_flags: &["color", "differences", "no-title"],
    long_valued: &["interval"],
    ..prefix("watch", "bcdegptw", "nq")
};

pub(super) const ENTR: Prefix = prefix("entr", "acdnprsxz", "");

/// With a file of its commands, nothing is known of it.
pub(super) const TMUX: Prefix = prefix("tmux", "2CDluvV", "LS");

/// Commands of tmux that start another one, by their names and short names.
pub(super) const STARTERS_OF_TMUX: [Prefix; 6] = [
    prefix("new-session", "AdDEPX", "ceFfnstxy"),
    prefix("new", "AdDEPX", "ceFfnstxy"),
    prefix("new-window", "abdkPS", "ceFnt"),
    prefix("neww", "abdkPS", "ceFnt"),
    prefix("split-window", "bdfhIvPZ", "ceFlpt"),
    prefix("splitw", "bdfhIvPZ", "ceFlpt"),
];

/// The command of tmux that types what follows.
pub(super) const TYPES_OF_TMUX: Prefix = prefix("send-keys", "R", "t");

pub(super) const SCREEN: Prefix = prefix("screen", "adDLmqU", "eEhpsStT");

pub(super) const SSH: Prefix = prefix("ssh", "46AaCfGgKkMNnqsTtVvXxYy", "BbcDEeiJLlmoOpQRSWw");

pub(super) const PARALLEL: Prefix = Prefix {
    long_flags: &[
        "bar", "eta", "group", "keep-order", "line-buffer", "lb", "null", "progress", "tag", "ungroup", "verbose",
        "will-cite",
    ],
    long_valued: &[
        "delay", "halt", "jobs", "load", "max-args", "max-procs", "retries", "timeout",
    ],
    ..prefix("parallel", "0kmtuvX", "jnLNP")
};

/// Programs, and builtins, that run what they are given in other ways, or change what the shell runs.
pub(super) const RUNNERS: &[&str] = &[
    "-", "add-zsh-hook", "at", "batch", "bind", "chroot", "chrt", "compgen", "coproc", "csh", "dbus-run-session",
    "emulate", "enable", "expect", "fc", "firejail", "fish", "ltrace", "newgrp", "nsenter", "nu", "numactl", "pkexec",
    "proot", "pwsh", "repeat", "rsh", "run-parts", "run0", "runuser", "sched", "script", "setarch", "setopt",
    "setpriv", "sg", "start-stop-daemon", "tcsh", "trickle", "unsetopt", "unshare", "vared", "zargs", "zcompile",
    "zle", "zmodload",
];

/// Builtins that change what names and texts mean to the shell, and run nothing by themselves.
pub(super) const DEFINERS: [&str; 7] = [
    "autoload", "bindkey", "compdef", "complete", "disable", "unalias", "zstyle",
];

/// Options of shells that change nothing of how a script is read. Others can be aliases, or another syntax.
pub(super) const HARMLESS_OPTIONS: [&str; 8] = [
    "errexit", "noclobber", "noexec", "noglob", "nounset", "pipefail", "verbose", "xtrace",
];

/// Options of `shopt` that change only the files that a pattern finds, or the end of a pipeline.
pub(super) const HARMLESS_SHOPT: [&str; 10] = [
    "-q", "-s", "-u", "dotglob", "failglob", "globstar", "inherit_errexit", "lastpipe", "nocaseglob", "nullglob",
];

/// Builtins that evaluate a subscript in a name that they are given.
pub(super) const NAME_TAKERS: [&str; 12] = [
    "declare", "export", "getopts", "integer", "let", "local", "printf", "read", "readonly", "typeset", "unset", "wait",
];

/// Returns `true` if the shell evaluates what a variable is set to as arithmetic.
pub(super) fn is_evaluated(name: &str) -> bool {
    matches!(name, "HISTCMD" | "OPTIND" | "RANDOM" | "SRANDOM")
}

/// Returns `true` if a variable decides what a shell runs, or which code a program loads.
pub(super) fn steers_shell(name: &str) -> bool {
    let name = name.split('[').next().unwrap_or_default();
    matches!(
        name,
        "PATH"
            | "path"
            | "ENV"
            | "BASH_ENV"
            | "PS0"
            | "PS1"
            | "PS2"
            | "PS4"
            | "PROMPT"
            | "PROMPT4"
            | "PROMPT_COMMAND"
            | "SHELLOPTS"
            | "BASHOPTS"
            | "BASH_CMDS"
            | "BASH_ALIASES"
            | "ZDOTDIR"
            | "FPATH"
            | "fpath"
            | "MODULE_PATH"
            | "module_path"
            | "commands"
            | "aliases"
            | "galiases"
            | "saliases"
            | "functions"
            | "NULLCMD"
            | "READNULLCMD"
            | "BASH_LOADABLES_PATH"
            | "POSIXLY_CORRECT"
    ) || ["LD_", "DYLD_", "BASH_FUNC_"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

/// The name that a program has in the tables: GNU's have another one on macOS, and some have the commands of another one.
pub(super) fn in_tables(name: &str) -> &str {
    match name {
        "genv" | "gnice" | "gnohup" | "gstdbuf" | "gtime" | "gtimeout" | "gxargs" => &name[1..],
        "nerdctl" | "podman" => "docker",
        "podman-compose" => "docker-compose",
        "oc" => "kubectl",
        _ => name,
    }
}

/// The last component of a path.
pub(super) fn base(name: &str) -> &str {
    let slash = name.bytes().rposition(|byte| byte == b'/');
    slash.map_or(name, |slash| &name[slash + 1..])
}
