//! The first versions of the client with mods.

use std::path::Path;

use anyhow::{Context, Result};
use hookkit::protocol::mods::SWITCH;
use semver::Version;
use serde::{Deserialize, Serialize};

use super::cases;
use crate::client::Fetched;
use crate::record;
use crate::watch::First;

/// The first versions of the client that load a mod.
#[derive(Debug, Serialize, Deserialize)]
pub struct Since {
    /// The first one that the variable turns mods on in.
    pub variable: First,
    /// The first one in any session.
    pub always: First,
}

impl Since {
    /// Plays published versions, which are in order, to find them.
    ///
    /// # Errors
    ///
    /// If a version cannot be fetched, or a session fails.
    pub fn of(published: &[Version]) -> Result<Self> {
        let first = |variable: Option<&str>| -> Result<First> {
            let (mut without, mut with) = (0, published.len() - 1);
            while with - without > 1 {
                let middle = usize::midpoint(without, with);
                let version = published[middle].to_string();
                match is_loaded(&Fetched::new(&version)?.program, variable).context(version)? {
                    true => with = middle,
                    false => without = middle,
                }
            }
            Ok(First {
                before: Some(published[without].to_string()),
                first: published[with].to_string(),
                is_seen: true,
            })
        };
        let variable = first(Some(SWITCH))?;
        let always = first(None)?;
        Ok(Self { variable, always })
    }

    /// Reads the record.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn recorded() -> Result<Self> {
        record::read("all", Self::TABLE)
    }

    /// Writes the record.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn record(&self) -> Result<()> {
        record::write("all", Self::TABLE, self)
    }

    const TABLE: &str = "mods-since";
}

/// Returns `true` if a client loads a mod.
fn is_loaded(client: &Path, variable: Option<&str>) -> Result<bool> {
    let mut cases = cases()?.into_iter();
    let mut case = cases.find(|case| case.key == "answers: {} without next").context("the row")?;
    case.there.env = variable.map(|name| (name.to_owned(), "1".to_owned())).into_iter().collect();
    let played = case.play(client)?.context("no managed settings")?;
    Ok(!played.mods.is_empty())
}
