# `cargo xtask install` writes this file, and `uninstall` removes it. Claude Code runs it as a session starts.
#
# It looks for the programs of the hooks that hookkit.lock names. A clone has none until they are built: then it reports
# them to the user and to the model. A linked worktree gets those of the main one, if both have the same hookkit.lock.
#
# Its argument is the name of a source in hookkit.toml.

cd -P "$CLAUDE_PROJECT_DIR/.claude" 2>/dev/null || exit 0
bin=hookkit/$1/bin
carriage_return=$(printf '\r')

# Answers with a text, which has nothing to escape.
say() {
    printf '{"systemMessage": "%s", "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "%s"}}\n' \
        "$1" "$1"
    exit
}

to_build='To build them, run in the project: cargo xtask sync, or cargo hookkit sync'
if [ ! -r hookkit.lock ]; then
    say "hookkit.lock of this project is missing, which names its hooks. $to_build"
fi

# Prints the hooks of the source. The lines of hookkit.lock are indented by the depth of their keys.
hooks() {
    source=
    while IFS= read -r line; do
        line=${line%"$carriage_return"}
        case $line in
        '  "'*'": {')
            source=${line#'  "'}
            source=${source%'": {'}
            ;;
        '      "'*'": [')
            hook=${line#'      "'}
            hook=${hook%'": ['}
            case $hook in *[!0-9A-Za-z_-]*) continue ;; esac
            [ "$source" != "$1" ] || printf '%s ' "$hook"
            ;;
        esac
    done <hookkit.lock
}

# Prints the same folder of the main working tree, if this one is linked to it: then `.git` is a file, which no checkout
# can bring.
main_folder() {
    top=$PWD
    until [ -e "$top/.git" ]; do
        [ -n "$top" ] || return
        top=${top%/*}
    done
    [ -f "$top/.git" ] && IFS= read -r line <"$top/.git" || return
    git=${line#'gitdir: '}
    case $git in
    /*/.git/worktrees/*) ;;
    *?/.git/worktrees/*) git=$top/$git ;;
    *) return ;;
    esac
    printf '%s' "${git%/.git/worktrees/*}${PWD#"$top"}"
}

# No link leads out of the project.
is_own() {
    for path in "$CLAUDE_PROJECT_DIR/.claude" hookkit hookkit/.gitignore "${bin%/bin}" "$bin"; do
        [ ! -L "$path" ] || return 1
    done
}

is_program() { [ -f "$1" ] && [ -x "$1" ]; }

copy() {
    mkdir -p "$bin" || return
    if [ ! -e hookkit/.gitignore ]; then
        new=$(mktemp hookkit/.hookkit-XXXXXX) || return
        { printf '*\n' >"$new" && chmod 644 "$new" && mv -f "$new" hookkit/.gitignore; } || rm -f "$new"
    fi
    [ -f hookkit/.gitignore ] || return
    for hook in $1; do
        from=$main/$bin/$hook to=$bin/$hook
        # Each may have been built since: the newer one counts.
        is_program "$from" && { [ ! -e "$to" ] || [ "$from" -nt "$to" ]; } || continue
        # Another session may be starting the one that is there.
        new=$(mktemp hookkit/.hookkit-XXXXXX) || return
        { cp -p "$from" "$new" && mv -f "$new" "$to"; } || rm -f "$new"
    done
}

hooks=$(hooks "$1")
main=$(main_folder)
if [ -n "$main" ] && cmp -s hookkit.lock "$main/hookkit.lock" && is_own; then
    copy "$hooks"
fi

missing=
for hook in $hooks; do
    is_program "$bin/$hook" || missing="$missing, $hook"
done
[ -n "$missing" ] || exit 0
say "Hooks of this project, those of $1, are not built on this machine: ${missing#, }. They do not run, and Claude Code refuses the calls of those that block on failure. $to_build"
