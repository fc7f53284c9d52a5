//! Programs by how much they show of the files that they are given.

/// Programs that use no more of a file than its name, its size or its mode, or that never show what they read.
pub(in crate::effects) const ONLY_NAMES: &[&str] = &[
    ":", "[", "[[", "alias", "apksigner", "basename", "break", "cd", "chdir", "chgrp", "chmod", "chown", "continue",
    "declare", "dir", "dirname", "du", "echo", "exa", "exit", "export", "eza", "false", "fd", "fdfind", "file", "for",
    "hash", "help", "history", "jarsigner", "jobs", "keytool", "kill", "let", "local", "locate", "ls", "lsd", "mkcert",
    "mkdir", "plocate", "popd", "printf", "pushd", "pwd", "read", "readlink", "readonly", "realpath", "return",
    "rmdir", "select", "set", "shift", "shopt", "sleep", "ssh-add", "ssh-keygen", "stat", "test", "touch", "trap",
    "tree", "true", "type", "typeset", "umask", "unalias", "unset", "vdir", "wait", "whereis", "which",
];

/// Programs that print no more of what they read than its size or its checksum.
pub(in crate::effects) const MEASURES: &[&str] = &[
    "b2sum", "cksum", "md5", "md5sum", "sha1sum", "sha256sum", "sha512sum", "shasum", "wc",
];

/// Programs that print or compare what they read, and take no names from it.
pub(in crate::effects) const SHOWS: &[&str] = &[
    "cat", "cmp", "colordiff", "comm", "cut", "diff", "diff3", "head", "join", "nl", "paste", "sdiff", "tail", "uniq",
];
