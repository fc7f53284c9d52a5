//! `cargo xtask install`, `list` and their kin.

use std::process::ExitCode;

fn main() -> ExitCode {
    hookkit_xtask::main()
}
