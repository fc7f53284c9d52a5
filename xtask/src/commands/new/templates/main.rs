//! `cargo xtask install`, `list` and their kin.

fn main() -> std::process::ExitCode {
    hookkit_xtask::main()
}
