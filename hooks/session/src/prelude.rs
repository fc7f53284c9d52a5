//! Names that several files of this crate use.

pub(crate) use std::collections::BTreeMap;
pub(crate) use std::ffi::OsStr;
pub(crate) use std::fs::File;
pub(crate) use std::io::{self, ErrorKind};
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::time::{Duration, SystemTime};

pub(crate) use hookkit::prelude::*;
pub(crate) use hookkit::process::Command;
pub(crate) use hookkit::state::States;
pub(crate) use hookkit::{Timestamp, bounded};
pub(crate) use serde::{Deserialize, Serialize};

pub(crate) use crate::program::installed;
pub(crate) use crate::text::is_plain;
