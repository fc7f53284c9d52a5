//! `cargo xtask doctor`, on the packs of this repository.

use anyhow::{Context, Result};
use hookkit_tests::World;
use hookkit_tests::xtask::{repository, xtask_ok};

#[test]
fn the_hooks_of_this_repository_are_clean_where_they_are_installed() -> Result<()> {
    let world = World::new()?;
    let path = world.project.path().to_str().context("a UTF-8 path")?;
    xtask_ok(repository(), &["install", "--project", path])?;
    let said = world.ask(&[])?;
    assert_eq!((said.exit_code, said.findings()), (Some(0), vec![]), "{}", said.stderr);
    Ok(())
}
