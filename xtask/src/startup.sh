# `cargo xtask install` writes this file, and `uninstall` removes it. Claude Code runs it as a session starts.
#
# It looks for the programs of the hooks that hookkit.lock names. A clone has none until they are built: then it says so,
# to the user and to the model. A worktree gets those of the main working tree, if both have the same hookkit.lock.
#
# Its argument is the name of a source in hookkit.toml.

cd "$CLAUDE_PROJECT_DIR/.claude" 2>/dev/null || exit 0
bin=hookkit/$1/bin

# Answers with a text, which has nothing to escape.
say() {
    printf '{"systemMessage": "%s", "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "%s"}}\n' \
        "$1" "$1"
    exit
}

if [ ! -r hookkit.lock ]; then
    say "hookkit.lock of this project is missing, which says what hooks there are. To write it, run in the project: cargo hookkit sync"
fi

# The hooks of the source whose programs are not there. The lines of hookkit.lock are indented by the depth of their keys.
missing() {
    source=
    while IFS= read -r line; do
        case $line in
        '  "'*'": {')
            source=${line#'  "'}
            source=${source%'": {'}
            ;;
        '      "'*'": [')
            hook=${line#'      "'}
            hook=${hook%'": ['}
            case $hook in *[!0-9A-Za-z_-]*) continue ;; esac
            [ "$source" != "$1" ] || [ -x "$bin/$hook" ] || printf '%s ' "$hook"
            ;;
        esac
    done <hookkit.lock
}

# No link leads out of the project.
is_own() {
    for folder in ../.claude hookkit "${bin%/bin}" "$bin"; do
        [ ! -L "$folder" ] || return 1
    done
}

hooks=$(missing "$1")
[ -n "$hooks" ] || exit 0

# The folder of git that all working trees share is the `.git` of the main one.
asked() { git rev-parse --path-format=absolute "$@" 2>/dev/null; }
shared=$(asked --git-common-dir)
main=${shared%/.git}/$(asked --show-prefix)
if [ "$shared" != "$(asked --git-dir)" ] && cmp -s hookkit.lock "$main/hookkit.lock" && is_own; then
    mkdir -p "$bin" && cp "$main/hookkit/.gitignore" hookkit/
    for hook in $hooks; do
        # Another session may be starting it.
        [ -x "$main/$bin/$hook" ] && copy=$(mktemp "$bin/.XXXXXX") &&
            cp -p "$main/$bin/$hook" "$copy" && mv -f "$copy" "$bin/$hook"
    done
    hooks=$(missing "$1")
    [ -n "$hooks" ] || exit 0
fi

say "Hooks of this project, those of $1, are not built on this machine: ${hooks% }. Nothing is checked by them, and where one blocks on failure, Claude Code refuses what it would be asked about. To build them, run in the project: cargo hookkit sync"
