# Runs a part of a page's session, with none of the variables of the tests: `session.sh PART SCRIPT`.
unset CARGO_MANIFEST_DIR CARGO_TARGET_DIR CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CONFIG_DIR CLICOLOR CLICOLOR_FORCE NO_COLOR
# Pages show what most users see: files that others may read.
umask 022
unset XDG_STATE_HOME
# Without cargo around the tests it is a name, which bin/cargo would find as itself.
REAL_CARGO=$(command -v "$REAL_CARGO") && export REAL_CARGO
export PATH=$HOME/bin:$PATH TMPDIR=$HOME/tmp CARGO_HOME=${CARGO_HOME:-$REAL_HOME/.cargo} RUSTUP_HOME=${RUSTUP_HOME:-$REAL_HOME/.rustup}
export CARGO_NET_OFFLINE=true CARGO_PROFILE_DEV_DEBUG=false GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=me GIT_AUTHOR_EMAIL=me GIT_COMMITTER_NAME=me GIT_COMMITTER_EMAIL=me
export COLUMNS=100
exec 2>&1
case $1 in
home)
    mkdir bin managed tmp code
    git init --quiet code/app
    cp "$2" bin/cargo
    printf '#!/bin/sh\nexec cargo hookkit "$@"\n' > bin/cargo-hookkit
    printf '#!/bin/sh\necho "%s (Claude Code)"\n' "$CLIENT" > bin/claude
    chmod +x bin/*
    echo code/app > .folder
    ;;
set-up)
    set -e
    eval "$2"
    ;;
command | picture)
    [ "$1" = command ] || { export CLICOLOR_FORCE=1 COLUMNS=80; exec 2> /dev/null; }
    cd "$(cat ~/.folder)" || exit
    eval "$2"
    code=$?
    pwd > ~/.folder
    exit $code
    ;;
esac
