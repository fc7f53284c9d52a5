//! Installs the client that the tests run, and prints where it is.

#![expect(clippy::print_stdout, reason = "here stdout belongs to people")]

fn main() -> anyhow::Result<()> {
    println!("{}", hookkit_tests::client::install()?.display());
    Ok(())
}
