//! xtask, as the tests run it: cargo builds the binaries of a package together with its tests, and no other package's.

use std::process::ExitCode;

fn main() -> ExitCode {
    hookkit_xtask::main()
}
