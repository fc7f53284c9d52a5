//! Runs a program on its own stdin, and prints how much memory that took at its peak, in bytes.

use std::env;
use std::io;
use std::process::{Command, Stdio};

use wait4::Wait4;

fn main() -> io::Result<()> {
    let program = env::args_os().nth(1).ok_or(io::ErrorKind::InvalidInput)?;
    let used = Command::new(program)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?
        .wait4()?;
    println!("{}", used.rusage.maxrss);
    Ok(())
}
