//! Names of other crates that most files of this one use.

pub(crate) use std::path::{Path, PathBuf};

pub(crate) use hookkit::bounded;
pub(crate) use hookkit::prelude::*;
pub(crate) use hookkit::shell::programs::table::lists;
pub(crate) use hookkit::shell::programs::{Argument, Program, Role, Takes};
pub(crate) use hookkit::shell::{
    self, Assignment, Command, ExpansionKind, Part, Redirection, RedirectionOperator, Script, Unanalyzed, Via, Why,
    Word,
};
