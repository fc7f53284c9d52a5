
# The names of hooks, packs, events and tools.
function __fish_cargo_hookkit_values
    set -l words (commandline -opc)
    cargo-hookkit completions --values -- $words[2..-1] 2>/dev/null
end
# `cargo hookkit` and `cargo xtask`.
function __fish_cargo_hookkit_of_cargo
    set -l words (commandline -opc) (commandline -ct)
    complete -C "cargo-hookkit "(string join ' ' -- (string escape -- $words[3..-1]))
end
complete -c cargo -n '__fish_seen_subcommand_from hookkit xtask' -f -a '(__fish_cargo_hookkit_of_cargo)'
