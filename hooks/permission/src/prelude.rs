//! Names that several files of this crate use.

pub(crate) use std::ffi::OsStr;
pub(crate) use std::path::Path;

pub(crate) use hookkit::effects::{self, Known, Operands};
pub(crate) use hookkit::shell::programs::table::{begins, lists};
pub(crate) use hookkit::shell::programs::text::{consists_of, has_only, up_to};
pub(crate) use hookkit::shell::programs::{Argument, Program, Role, Takes};
pub(crate) use hookkit::shell::{
    Assignment, Command, ExpansionKind, Part, Redirection, RedirectionOperator, Via, Word,
};
pub(crate) use hookkit::{Context, Error, bounded};
pub(crate) use serde::{Deserialize, Serialize};
