//! Names that several files of this crate use.

pub(crate) use std::borrow::Cow;
pub(crate) use std::cell::LazyCell;
pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::fs;
pub(crate) use std::io::ErrorKind;
pub(crate) use std::ops::Range;
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::rc::Rc;

pub(crate) use hookkit::ProjectPath;
pub(crate) use hookkit::bounded;
pub(crate) use hookkit::effects;
pub(crate) use hookkit::git::WorkTree;
pub(crate) use hookkit::prelude::*;
pub(crate) use hookkit::process::shell_word;
pub(crate) use hookkit::project::trees;
pub(crate) use hookkit::secrets::files::{FOLDER, is_public, kind_of_folder, names_secret};
pub(crate) use hookkit::shell::programs::table::{Row, Table, begins, ends, holds, lists};
pub(crate) use hookkit::shell::programs::text::{
    after_last, consists_of, has_background, has_only, letters, names_in, parts, up_to, words_between,
};
pub(crate) use hookkit::shell::programs::{Argument, Program, Role, Takes, base, family};
pub(crate) use hookkit::shell::{
    self, Assignment, Command, ExpansionKind, Part, Redirection, RedirectionOperator, Script, Unanalyzed, Via, Why,
    Word,
};
pub(crate) use hookkit::state::States;
pub(crate) use serde::de::Error as _;
pub(crate) use serde::{Deserialize, Deserializer, Serialize};
pub(crate) use serde_json::{Map, Value};

pub(crate) use crate::change::{Change, Named};
pub(crate) use crate::effects::changes::{Changed, Use};
pub(crate) use crate::effects::mentions::is_interpreter;
pub(crate) use crate::effects::programs::{Does, Read, is_shell};
pub(crate) use crate::folders::{Along, Folders};
pub(crate) use crate::found::Found::{self, Asked, Certain, Possible};
pub(crate) use crate::found::joined;
pub(crate) use crate::git::Git;
pub(crate) use crate::line::Line;
pub(crate) use crate::variables::{Variables, assigned, valued};
pub(crate) use crate::words::{
    Name, Piece, exact, fits, fitting, is_given, is_glob, literal, parted, pieces, pieces_from, readable, shell_line,
    within,
};
