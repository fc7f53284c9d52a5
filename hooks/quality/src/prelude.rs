//! Names that several files of this crate use.

pub(crate) use std::collections::HashSet;
pub(crate) use std::ffi::OsStr;
pub(crate) use std::fs;
pub(crate) use std::ops::Range;
pub(crate) use std::path::{Path, PathBuf};

pub(crate) use hookkit::ProjectPath;
pub(crate) use hookkit::config_file::ConfigFile;
pub(crate) use hookkit::prelude::*;
pub(crate) use hookkit::process::{Command, Output};
pub(crate) use hookkit::project::trees;
pub(crate) use hookkit::shell::Word;
pub(crate) use hookkit::shell::programs::table::{begins, lists};
pub(crate) use hookkit::tool::TextChange;
pub(crate) use serde_json::Value;
pub(crate) use toml::de::DeTable;

pub(crate) use crate::complaint::{complaint, head};
pub(crate) use crate::source::{SourceText, after_words, anywhere};
pub(crate) use crate::suppressions::Texts;
pub(crate) use crate::suppressions::language::Language;
pub(crate) use crate::{configured, program};
