//! The rows of `--json` as docs/book/src/json.md describes them, compared with a command's rows.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::xtask::repository;

/// The members of a row: each with the types that it may have.
type Members = BTreeMap<String, Vec<String>>;

/// The page.
pub struct Documented {
    /// The rows of each command, by their kind.
    commands: BTreeMap<String, BTreeMap<String, Members>>,
    /// The examples of each command.
    examples: Vec<(String, String)>,
}

impl Documented {
    /// Reads the page.
    ///
    /// # Errors
    ///
    /// Fails if it refers to a row that it does not have.
    pub fn read() -> Result<Self> {
        let page = fs::read_to_string(repository().join("docs/book/src/json.md"))?;
        let mut documented = Self { commands: BTreeMap::new(), examples: Vec::new() };
        for section in page.split("\n## ").skip(1) {
            let (command, section) = section.split_once('\n').context("a title")?;
            documented.commands.insert(command.to_owned(), BTreeMap::new());
            for part in section.split("\n### ").skip(1) {
                let (kind, text) = part.split_once('\n').context("a title")?;
                let members = documented.members(text).with_context(|| format!("{command}: {kind}"))?;
                let rows = documented.commands.entry(command.to_owned()).or_default();
                ensure!(rows.insert(kind.to_owned(), members).is_none(), "{command}: two {kind}");
            }
            let examples = section.split("```json\n").skip(1);
            for example in examples.filter_map(|example| example.split("```").next()) {
                documented.examples.push((command.to_owned(), example.to_owned()));
            }
        }
        Ok(documented)
    }

    /// Returns the members that a part of the page describes: in its table, and in the row that it refers to.
    fn members(&self, text: &str) -> Result<Members> {
        let mut members = Members::new();
        if let Some((before, behind)) = text.split_once("s [`")
            && before.ends_with(['a', 'A'])
        {
            let (kind, behind) = behind.split_once("` of `").context("a kind")?;
            let (command, behind) = behind.split_once("`]").context("a command")?;
            let rows = self.commands.get(command).with_context(|| format!("no {command} before"))?;
            members.clone_from(rows.get(kind).with_context(|| format!("no {kind} of {command}"))?);
            let line = behind.lines().next().unwrap_or_default();
            if let Some((_, without)) = line.split_once(" without ") {
                members.retain(|name, _| !without.contains(&format!("`{name}`")));
            }
        }
        for line in text.lines().filter(|line| line.starts_with("| `")) {
            let mut cells = line.split(" | ");
            let name = cells.next().unwrap_or_default().trim_matches(['|', ' ', '`']);
            let types = cells.next().context("a type")?.split(" or ").map(str::to_owned).collect();
            members.insert(name.to_owned(), types);
        }
        ensure!(!members.is_empty(), "no members");
        Ok(members)
    }

    /// Returns the names of the commands that the page describes.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.commands.keys().map(String::as_str)
    }

    /// Compares the examples of the page with its tables.
    ///
    /// # Errors
    ///
    /// Fails if one differs.
    pub fn check_examples(&self) -> Result<()> {
        for (command, example) in &self.examples {
            self.rows(command, example)?;
        }
        Ok(())
    }

    /// Compares the output of a command with the page, and returns its rows.
    ///
    /// # Errors
    ///
    /// Fails if something other than rows is in it, or a member that the page does not have, or if one is missing.
    pub fn rows(&self, command: &str, stdout: &str) -> Result<Vec<Value>> {
        let kinds = self.commands.get(command).with_context(|| format!("{command} is not on the page"))?;
        let mut rows = Vec::new();
        for line in stdout.lines() {
            let row: Value = serde_json::from_str(line).with_context(|| format!("{command}: {line}"))?;
            check(kinds, &row).with_context(|| format!("{command} --json: {line}"))?;
            rows.push(row);
        }
        Ok(rows)
    }
}

fn check(kinds: &BTreeMap<String, Members>, row: &Value) -> Result<()> {
    let kind = row["kind"].as_str().context("a row has a `kind`")?;
    let members = kinds.get(kind).with_context(|| format!("the page has no `{kind}`"))?;
    // The row of a missing hook has only its location.
    let is_gone = row["gone"] == true;
    for (name, value) in row.as_object().context("a row is an object")? {
        if name == "kind" || is_gone && name == "gone" {
            continue;
        }
        let types = members.get(name).with_context(|| format!("the page has no `{name}`"))?;
        let is = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "list",
            Value::Object(_) => "object",
        };
        if !types.iter().any(|known| known == is || known == "any") {
            bail!("`{name}` is {is}, and on the page {}", types.join(" or "));
        }
    }
    for (name, types) in members {
        let may_be_absent = is_gone || types.iter().any(|known| known == "absent");
        ensure!(may_be_absent || row.get(name).is_some(), "`{name}` is missing");
    }
    Ok(())
}
