#!/bin/sh
# A hook that is off for a while. `cargo xtask off` or `allow-once` wrote this in the place of the hook's program, which is
# next to it as NAME.paused. The program gets its place back at the time below (in seconds since 1970), by `cargo xtask on`,
# and by `install`; that of `allow-once` also when its command was let through.

until=@UNTIL@
# What lets a call through once: the beginning of `tool_input`, as Claude Code writes it. Empty: every call goes through.
allowed=@ALLOWED@
# Answers, around the number of minutes that are left. Empty: the hook's events have none.
off=@OFF@ minutes=@MINUTES@
once=@ONCE@

# In a function of zsh, `$0` is the function's name.
own=$0
program=$own.paused

# Puts the program back, and runs it on what this process was given.
run() {
    mv -f "$program" "$own" 2>/dev/null
    [ ! -x "$program" ] || exec "$program" "$@"
    # Another process was the first to put it back, unless this file is still there.
    case $(head -c 4 "$own" 2>/dev/null) in
    '#!/b' | '')
        echo "hookkit: $program is missing, the program of a hook that was off for a while; run: cargo xtask install" >&2
        exit 2
        ;;
    esac
    exec "$own" "$@"
}

# Returns whether the time is not over. A clock that went wrong does not make it longer than `off` can.
is_on_time() {
    now=$(date +%s 2>/dev/null) || return
    case $now in '' | *[!0-9]*) return 1 ;; esac
    [ "$now" -lt "$until" ] && [ "$until" -le $((now + 43200)) ]
}

[ -x "$program" ] && is_on_time || run "$@"

if [ -z "$allowed" ]; then
    cat >/dev/null
    [ -z "$off" ] || printf '%s%s%s\n' "$off" $(((until - now + 59) / 60)) "$minutes"
    exit 0
fi

# A quotation mark within a string has a backslash before it. So the first `"tool_input":` is the member of the call itself:
# before it are members of the client alone. What follows is compared byte for byte, up to the end of the command. The rest
# is left out, since some shells take minutes to look for a text in megabytes.
payload=$(cat && echo .)
payload=${payload%.}
head=$(printf '%s' "$payload" 2>/dev/null | head -c @HEAD@)
before=${head%%'"tool_input":'*}
case $before in
*'"hook_event_name":"PreToolUse","tool_name":"Bash",')
    case $head in
    "$before$allowed"*)
        # The program first. Of two calls at a time, one can put it back.
        if mv -f "$program" "$own" 2>/dev/null; then
            printf '%s\n' "$once"
            exit 0
        fi
        ;;
    esac
    ;;
esac
printf '%s' "$payload" 2>/dev/null | {
    if [ -x "$program" ]; then
        "$program" "$@"
        code=$?
        # Another process put it back in this instant.
        [ "$code" -eq 127 ] && [ ! -e "$program" ] || exit "$code"
    fi
    run "$@"
}
