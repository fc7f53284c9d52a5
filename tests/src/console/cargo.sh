#!/bin/sh
# `cargo` in a page's session: `cargo xtask` and `cargo-hookkit` (by `cargo hookkit`) are the tested xtask, and that of the
# workspace is not built.
case "$*" in
"xtask "*) CARGO_MANIFEST_DIR=$(pwd -P) && export CARGO_MANIFEST_DIR && shift ;;
"hookkit "*) shift ;;
test) exec "$REAL_CARGO" test --workspace --exclude xtask ;;
*) exec "$REAL_CARGO" "$@" ;;
esac
case "$1" in
# There is no terminal on a page.
add | remove | uninstall) exec "$TESTED_XTASK" "$@" ${NO_YES---yes} ;;
doctor | list) exec "$TESTED_XTASK" "$@" --managed "$HOME/managed" ;;
off | allow-once) [ "$TYPED" != nothing ] || exec "$TESTED_XTASK" "$@" ;;
*) exec "$TESTED_XTASK" "$@" ;;
esac
# A person at a terminal types the code, or what TYPED says.
mkfifo ~/keyboard && exec 3<> ~/keyboard
: > ~/screen
[ "$1" = off ] || set -- "$1" "'$2'"
NO_COLOR=1 script -q -e -f -c "$TESTED_XTASK $*" /dev/null < ~/keyboard > ~/screen &
until code=$(grep -o 'type [a-z]*: $' ~/screen) || ! kill -0 $! 2> /dev/null; do sleep 0.05; done
echo "${TYPED:-$code}" | sed 's/type \(.*\): /\1/' >&3
wait $!
code=$?
sed 's/\r$//; s/\(type \)[a-z]*: [a-z]*/\1hkwe: hkwe/' ~/screen
rm ~/keyboard
exit $code
