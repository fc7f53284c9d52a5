//! Names that most commands use, as in cargo's own `command_prelude`.

pub(super) use std::collections::{BTreeMap, BTreeSet};
pub(super) use std::path::{Path, PathBuf};

pub(super) use anyhow::{Context, Result, bail, ensure};
pub(super) use clap::Args;
pub(super) use serde_json::{Value, json};

pub(super) use crate::terminal::{
    DONE, Done, ERROR, Format, PLAIN, Text, WARNING, counted, inform, listed, one_line, quoted, row, shown,
};
