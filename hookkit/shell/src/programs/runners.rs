//! Programs that run a command behind words of their own.

use super::{Prefix, prefix};

/// Programs that run a command behind words of their own: of the project's packages, in a container, with other variables.
///
/// With an option that is not known, that is reported, and the command behind it is not followed.
pub(crate) const RUNNERS_BY_WORD: [(&[&str], Prefix); 37] = [
    (&["run"], UV),
    (&["tool", "run"], UV),
    (
        &["run"],
        Prefix {
            long_flags: &["quiet"],
            ..prefix("poetry", "qn", "C")
        },
    ),
    (&["run"], prefix("pipenv", "", "")),
    (&["run"], prefix("pixi", "q", "e")),
    (&["run"], prefix("doppler", "", "cp")),
    (&["run"], prefix("op", "", "")),
    (&["exec"], prefix("rbenv", "", "")),
    (&["exec"], prefix("pyenv", "", "")),
    (
        &["exec"],
        Prefix {
            operands: 1,
            ..prefix("aws-vault", "", "d")
        },
    ),
    (&["run"], prefix("pdm", "s", "p")),
    (&["run"], prefix("rye", "", "")),
    (&["run"], prefix("hatch", "", "")),
    (&["exec"], prefix("bundle", "", "")),
    (&[], NPX),
    (&[], Prefix { name: "bunx", ..NPX }),
    (&["exec"], Prefix { name: "npm", ..NPX }),
    (&["exec"], Prefix { name: "pnpm", ..NPX }),
    (&["dlx"], Prefix { name: "pnpm", ..NPX }),
    (&["exec"], Prefix { name: "yarn", ..NPX }),
    (&["dlx"], Prefix { name: "yarn", ..NPX }),
    (
        &["exec"],
        Prefix {
            operands: 1,
            ..prefix("direnv", "", "")
        },
    ),
    (&["run"], prefix("dotenv", "", "")),
    (&["run"], prefix("dotenvx", "", "f")),
    (&[], prefix("dotenv-cli", "o", "cev")),
    (
        &[],
        Prefix {
            long_flags: &[
                "expand-envs", "fallback", "no-override", "silent", "use-shell", "verbose",
            ],
            long_valued: &["environments", "file", "rc-file"],
            ..prefix("env-cmd", "x", "efr")
        },
    ),
    (&["exec"], prefix("mise", "", "")),
    (
        &["run"],
        Prefix {
            long_flags: &["no-capture-output", "live-stream"],
            long_valued: &["name", "prefix", "cwd"],
            ..prefix("conda", "", "np")
        },
    ),
    (&["exec"], CONTAINER),
    (&["container", "exec"], CONTAINER),
    (&["compose", "exec"], CONTAINER),
    (
        &["exec"],
        Prefix {
            name: "docker-compose",
            ..CONTAINER
        },
    ),
    (&["run"], NEW_CONTAINER),
    (&["container", "run"], NEW_CONTAINER),
    (&["compose", "run"], NEW_CONTAINER),
    (
        &["run"],
        Prefix {
            name: "docker-compose",
            ..NEW_CONTAINER
        },
    ),
    (
        &["exec"],
        Prefix {
            long_flags: &["stdin", "tty", "quiet"],
            long_valued: &["container", "context", "namespace"],
            operands: 1,
            ..prefix("kubectl", "itq", "cn")
        },
    ),
];

const UV: Prefix = Prefix {
    long_flags: &[
        "active", "all-extras", "all-groups", "all-packages", "exact", "frozen", "gui-script", "isolated", "locked",
        "module", "no-active", "no-cache", "no-config", "no-default-groups", "no-dev", "no-editable", "no-env-file",
        "no-progress", "no-project", "no-sync", "offline", "only-dev", "quiet", "reinstall", "script", "upgrade",
        "verbose",
    ],
    long_valued: &[
        "cache-dir", "color", "config-file", "default-index", "directory", "env-file", "extra", "extra-index-url",
        "from", "group", "index", "index-url", "no-group", "only-group", "package", "project", "python", "with",
        "with-editable", "with-requirements",
    ],
    ..prefix("uv", "Umnqsv", "pw")
};

const NPX: Prefix = Prefix {
    long_flags: &[
        "bun", "if-present", "ignore-existing", "no", "no-install", "offline", "parallel", "prefer-offline",
        "prefer-online", "quiet", "recursive", "silent", "workspaces", "yes",
    ],
    long_valued: &[
        "cache", "filter", "loglevel", "package", "prefix", "registry", "userconfig", "workspace",
    ],
    ..prefix("npx", "qrsy", "Fpw")
};

const CONTAINER: Prefix = Prefix {
    long_flags: &["detach", "interactive", "no-TTY", "privileged", "tty"],
    long_valued: &["detach-keys", "env", "env-file", "index", "user", "workdir"],
    operands: 1,
    ..prefix("docker", "ditT", "euw")
};

/// The options of `docker run`, of `podman run`, and of both with `compose`.
///
/// There are many, and many lines have a variable among them (`-v $PWD:/app`): what follows is of a container.
const NEW_CONTAINER: Prefix = Prefix {
    long_flags: &[
        "build", "detach", "disable-content-trust", "help", "init", "interactive", "no-TTY", "no-deps",
        "no-healthcheck", "no-hostname", "no-hosts", "oom-kill-disable", "privileged", "publish-all", "quiet",
        "quiet-build", "quiet-pull", "read-only", "remove-orphans", "replace", "rm", "rmi", "rootfs", "service-ports",
        "sig-proxy", "tty", "use-aliases",
    ],
    long_valued: &[
        "add-host", "annotation", "arch", "attach", "authfile", "blkio-weight", "blkio-weight-device", "cap-add",
        "cap-drop", "cgroup-conf", "cgroup-parent", "cgroupns", "cgroups", "cidfile", "conmon-pidfile", "cpu-period",
        "cpu-quota", "cpu-rt-period", "cpu-rt-runtime", "cpu-shares", "cpus", "cpuset-cpus", "cpuset-mems", "creds",
        "detach-keys", "device", "device-cgroup-rule", "device-read-bps", "device-read-iops", "device-write-bps",
        "device-write-iops", "dns", "dns-opt", "dns-option", "dns-search", "domainname", "entrypoint", "env",
        "env-file", "env-from-file", "expose", "gidmap", "gpus", "group-add", "health-cmd", "health-interval",
        "health-retries", "health-start-interval", "health-start-period", "health-timeout", "hostname", "image-volume",
        "ip", "ip6", "ipc", "isolation", "label", "label-file", "link", "link-local-ip", "log-driver", "log-opt",
        "mac-address", "memory", "memory-reservation", "memory-swap", "memory-swappiness", "mount", "name", "net",
        "net-alias", "network", "network-alias", "oom-score-adj", "os", "pid", "pidfile", "pids-limit", "platform",
        "pod", "preserve-fds", "publish", "pull", "requires", "restart", "runtime", "secret", "security-opt",
        "shm-size", "stop-signal", "stop-timeout", "storage-opt", "subgidname", "subuidname", "sysctl", "systemd",
        "timeout", "tmpfs", "tz", "uidmap", "ulimit", "umask", "user", "userns", "uts", "variant", "volume",
        "volume-driver", "volumes-from", "workdir",
    ],
    operands: 1,
    is_lenient: true,
    ..prefix("docker", "diPqtT", "acehlmpuvw")
};
