//! `cargo xtask`: `install`, `list` and the other commands.

fn main() -> std::process::ExitCode {
    hookkit_xtask::main()
}
