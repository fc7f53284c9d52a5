//! `cargo-hookkit`: the same as a team's own `cargo xtask`, for users without a clone of a workspace.

use std::process::ExitCode;

fn main() -> ExitCode {
    hookkit_xtask::main()
}
