//! `hookkit-audit FOLDER TO`: ships the audit in a folder. `cargo-hookkit audit ship` builds and starts this program.
//!
//! Exit codes: 0 all lines shipped, 1 shipped with warnings, 2 not shipped.

use std::env;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use hookkit_audit::{Patience, Shipped, Target, ship};

fn main() -> ExitCode {
    let mut shipped = Shipped::default();
    let done = run(&mut shipped);
    // Also reports lines that were shipped before an error.
    if done.is_ok() || shipped != Shipped::default() {
        eprintln!("{shipped}");
    }
    match done {
        Ok(()) => ExitCode::from(u8::from(!shipped.is_clean())),
        Err(err) => {
            eprintln!("error: {err:#}");
            ExitCode::from(2)
        }
    }
}

fn run(shipped: &mut Shipped) -> Result<()> {
    let mut arguments = env::args().skip(1);
    let (folder, to) = arguments.next().zip(arguments.next()).context("usage: hookkit-audit FOLDER TO")?;
    let target = Target::parse(&to, |name| env::var(name).ok())?;
    ship(Path::new(&folder), &target, Patience::default(), shipped)
}
