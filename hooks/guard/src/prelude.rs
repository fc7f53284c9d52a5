//! Names that most files of this crate use.

pub(crate) use std::borrow::Cow;
pub(crate) use std::collections::BTreeMap;
pub(crate) use std::fs;
pub(crate) use std::path::{Path, PathBuf};

pub(crate) use hookkit::bounded;
pub(crate) use hookkit::prelude::*;
pub(crate) use hookkit::shell::programs::table::{begins, ends, holds, lists};
pub(crate) use hookkit::shell::programs::{Argument, Program, Role, Takes, base};
pub(crate) use hookkit::shell::{
    self, Assignment, Command, ExpansionKind, Part, Redirection, RedirectionOperator, Script, Unanalyzed, Via, Why,
    Word,
};
pub(crate) use serde::{Deserialize, Serialize};

pub(crate) use crate::effects::programs::Read;
pub(crate) use crate::folders::{Along, Folders};
pub(crate) use crate::found::{Found, joined};
pub(crate) use crate::git::Git;
pub(crate) use crate::line::Line;
pub(crate) use crate::words::{Piece, pieces, within};
