//! `cargo-hookkit`: the same program as a team's `cargo xtask`, for users without a clone of a workspace.

use std::process::ExitCode;

fn main() -> ExitCode {
    hookkit_xtask::main()
}
