//! The names that most tests of the tiers use: `use hookkit_tests::prelude::*`.

pub use std::collections::{BTreeMap, BTreeSet};
pub use std::fs;
pub use std::os::unix::fs::{PermissionsExt, symlink};
pub use std::path::{Path, PathBuf};
pub use std::process::{Command, Output, Stdio};
pub use std::thread;
pub use std::time::Duration;

pub use anyhow::{Context, Result, bail, ensure};
pub use serde_json::{Value, json};
pub use test_support::lines::Lines;
pub use test_support::{Has, lines};

pub use crate::documented::Documented;
pub use crate::record::Record;
pub use crate::workspace::{Stage, fixture, unoptimized};
pub use crate::xtask::{
    Ends, call_with, command, installed, payload, refused, repository, rows, run_hook, run_installed, text, xtask,
    xtask_ok,
};
pub use crate::{Outcome, Project, Session, Turn, World, client, files, parallel, skip, workspace};
