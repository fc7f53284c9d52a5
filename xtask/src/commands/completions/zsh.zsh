
# The names of hooks, packs, events and tools.
functions[_cargo-hookkit_without_values]=$functions[_cargo-hookkit]
_cargo-hookkit() {
    local -a found
    if [[ $words[CURRENT] != -* ]]; then
        found=(${(f)"$(cargo-hookkit completions --values -- "${(@)words[2,CURRENT-1]}" 2>/dev/null)"})
        if (( $#found )); then
            compadd -a found
            return
        fi
    fi
    _cargo-hookkit_without_values "$@"
}
# cargo's own completion calls it for `cargo xtask`.
_cargo-xtask() { _cargo-hookkit "$@" }
