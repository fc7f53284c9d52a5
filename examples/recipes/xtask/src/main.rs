//! `cargo xtask install`, `list` and the other commands.

use std::process::ExitCode;

fn main() -> ExitCode {
    hookkit_xtask::main()
}
