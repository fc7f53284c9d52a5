# `cargo xtask install` writes this file, and `uninstall` removes it. Claude Code runs it as a session starts.
#
# It looks for the programs of the hooks that hookkit.lock names. A clone has none until they are built, and old ones after
# a new release was pulled: then it reports that to the user and to the model, and a client that is older than min-client of
# hookkit.lock, too. A linked worktree gets the programs of the main one, if both have the same hookkit.lock and those are
# built by it.
#
# Its argument is the name of a source in hookkit.toml. Format 5: `install` does not replace a script of a higher one.

case $1 in '' | .* | *[\"\\/]* | *[[:cntrl:]]*) exit 1 ;; esac
# A session in a folder of the project starts it by a path that leads up.
claude=${0%/*}
cd -P "$claude" 2>/dev/null || exit 0
bin=hookkit/$1/bin
carriage_return=$(printf '\r')

# The report of an old client.
old=

# Answers with a text, which has nothing to escape, and with the report of an old client.
say() {
    [ -z "$old" ] || set -- "${1:+$1. }$old"
    [ -n "$1" ] || exit 0
    printf '{"systemMessage": "%s", "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "%s"}}\n' \
        "$1" "$1"
    exit
}

to_build='To build them, run in the project: cargo xtask sync, or cargo hookkit sync'
if [ ! -f hookkit.lock ] || [ ! -r hookkit.lock ]; then
    say "hookkit.lock of this project is missing, which names its hooks. $to_build"
fi
# A session does not wait for a lock that is made to be slow.
check_size() {
    [ "$1" -le "$2" ] || say "hookkit.lock of this project is too large to be looked at as a session starts. $to_build"
}
check_size "$(wc -c <hookkit.lock)" 500000

# Reads the hooks of the source, and of which commit and code they are. The lines of hookkit.lock are indented by the depth
# of their keys.
hooks= rev= code= least= source= is_named=
while IFS= read -r line; do
    # No file has a name as long, and a shell takes long for the patterns below.
    [ ${#line} -le 1000 ] || continue
    line=${line%"$carriage_return"}
    case $line in
    '  "'*'": {')
        source=${line#'  "'}
        source=${source%'": {'}
        continue
        ;;
    esac
    [ "$source" = "$1" ] || continue
    is_named=true
    value=${line%'"'*}
    value=${value##*'"'}
    case $line in
    '    "rev": '*) rev=$value ;;
    '    "code": '*) code=$value ;;
    '    "min-client": '*) least=$value ;;
    '      "'*'": [')
        hook=${line#'      "'}
        hook=${hook%'": ['}
        case $hook in *[!0-9A-Za-z_-]*) ;; *) hooks="$hooks $hook" ;; esac
        check_size ${#hooks} 20000
        ;;
    esac
done <hookkit.lock
[ -n "$is_named" ] || say "hookkit.lock of this project does not name $1, which its settings do. $to_build"

# Returns whether a text is up to three numbers.
is_version() {
    case $1 in
    '' | *[!0-9.-]* | [.-]* | *[.-] | *[.-][.-]* | *[.-]*[.-]*[.-]* | *[0-9][0-9][0-9][0-9][0-9][0-9]*) return 1 ;;
    esac
}

# Returns whether the client is older than min-client. From 2.1.120 on it names itself to programs, in AI_AGENT:
# claude-code_2-1-330_harness, and before 2.1.129 claude-code/2.1.120/harness.
is_old() (
    client=${AI_AGENT#claude-code[_/]}
    [ "$client" != "$AI_AGENT" ] || return 1
    client=${client%%[_/]*}
    is_version "$client" && is_version "$least" || return 1
    IFS=.-
    set -- $client $least
    [ $# = 6 ] || return 1
    if [ "$1" != "$4" ]; then [ "$1" -lt "$4" ]; elif [ "$2" != "$5" ]; then [ "$2" -lt "$5" ]; else [ "$3" -lt "$6" ]; fi
)

if [ -n "$least" ] && is_old; then
    old="The Claude Code of this session is older than $least, the min-client of the hooks of $1: they may not run, or not block, as they should. To update it, run: claude update"
fi

# Returns whether the programs in a folder are those of hookkit.lock.
is_current() {
    built=
    [ ! -f "$1/built" ] || IFS= read -r built <"$1/built"
    [ "$built" = "$rev $code" ]
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
    for path in "$claude" hookkit hookkit/.gitignore "hookkit/$1" "hookkit/$1/built" "$bin"; do
        [ ! -L "$path" ] || return 1
    done
}

is_program() { [ -f "$1" ] && [ -x "$1" ]; }

# Gives a file its name, in one step: another session may be starting the one that is there. A folder that a link of this
# name leads to is not entered; not every system has -T.
put() {
    mv -f -T "$1" "$2" 2>/dev/null || { [ ! -d "$2" ] && mv -f "$1" "$2"; }
}

# Puts a copy of a file in its place.
copy() {
    new=$(mktemp hookkit/.hookkit-XXXXXX) || return
    { cp -p "$1" "$new" && put "$new" "$2"; } || { rm -f "$new"; return 1; }
}

copy_all() {
    mkdir -p "$bin" || return
    if [ ! -e hookkit/.gitignore ]; then
        new=$(mktemp hookkit/.hookkit-XXXXXX) || return
        { printf '*\n' >"$new" && chmod 644 "$new" && put "$new" hookkit/.gitignore; } || { rm -f "$new"; return 1; }
    fi
    for hook in $hooks; do
        program=$main/$bin/$hook
        # One that is off there is on here.
        [ ! -f "$program.paused" ] || program=$program.paused
        is_program "$program" && copy "$program" "$bin/$hook" || return
    done
    copy "$main/hookkit/$1/built" "hookkit/$1/built"
}

are_all_there() {
    missing=
    for hook in $hooks; do
        is_program "$bin/$hook" || missing="$missing, $hook"
    done
    [ -z "$missing" ]
}

are_all_there && is_current "hookkit/$1" && say ''
main=$(main_folder)
if [ -n "$main" ] && cmp -s hookkit.lock "$main/hookkit.lock" && is_current "$main/hookkit/$1" && is_own "$1"; then
    copy_all "$1"
fi
are_all_there ||
    say "Hooks of this project, those of $1, are not built on this machine: ${missing#, }. They do not run; Claude Code denies the calls of those that have onFailure in settings.json. $to_build"
is_current "hookkit/$1" ||
    say "Hooks of this project, those of $1, are not those of hookkit.lock: they run as they were built before. $to_build"
say ''
