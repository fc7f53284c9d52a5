#!/bin/sh
# Runs the hook that the first argument names, in the program for this system.
# Written by `cargo xtask package`; on Windows, Claude Code starts NAME.exe instead.
case $0 in
*/*) folder=${0%/*} ;;
*) folder=. ;;
esac

# The first two need no other process. Linux has this file since 6.1; the program for macOS is for all processors.
if read -r machine 2>/dev/null </proc/sys/kernel/arch; then
    program=NAME-linux-$machine
elif [ -d /System/Library/CoreServices ]; then
    program=NAME-macos
else
    system=$(uname -sm)
    case $system in
    "Linux "*) program=NAME-linux-${system#Linux } ;;
    *) program="NAME for $system" ;;
    esac
fi

# A shell takes an empty file for a script that succeeds.
[ -x "$folder/$program" ] && [ -s "$folder/$program" ] && exec "$folder/$program" "$@"

if [ -x "$folder/$program" ]; then
    echo "$folder/$program is empty, so the hook $1 did not run" >&2
elif [ -e "$folder/$program" ]; then
    echo "$folder/$program is not executable, so the hook $1 did not run" >&2
else
    echo "the plugin NAME has no program for this system ($program), so the hook $1 did not run" >&2
fi
# Claude Code denies the action if one of these fails: `onFailure` in hooks/hooks.json.
case $1 in
GUARDS) exit 1 ;;
esac
exit 0
