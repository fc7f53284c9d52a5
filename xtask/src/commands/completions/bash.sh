
# The names of hooks, packs, events and tools.
[[ $(complete -p cargo_hookkit) =~ -F\ ([^ ]+) ]] && _cargo_hookkit_without_values="${BASH_REMATCH[1]}"
_cargo_hookkit_with_values() {
    local current="${COMP_WORDS[COMP_CWORD]}" value
    COMPREPLY=()
    if [[ $current != -* ]]; then
        [[ $current == "=" ]] && current=
        while IFS= read -r value; do
            [[ $value == "$current"* ]] && COMPREPLY+=("$value")
        done < <(cargo-hookkit completions --values -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
        [[ ${#COMPREPLY[@]} -gt 0 ]] && return 0
    fi
    "$_cargo_hookkit_without_values" "$@"
}
complete -F _cargo_hookkit_with_values -o bashdefault -o default cargo-hookkit
