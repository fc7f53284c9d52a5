//! A workspace's changes to its hooks: `[workspace.metadata.hookkit.hooks.NAME]` in its Cargo.toml.
//!
//! When the hook's launcher is compiled, the attribute's rules check the values.

pub(crate) mod config;
pub(crate) mod launcher;
mod read;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use serde_json::Value;

use crate::binaries::definition::{Changes, Definition, find};
use crate::binaries::overrides::read::{Override, TomlKey};
use crate::terminal::{ensure_none, joined, meant};

/// All overrides of a workspace.
#[derive(Default)]
pub(crate) struct Overrides(Vec<Override>);

impl Overrides {
    /// Reads the tables by hook name.
    pub(crate) fn read(tables: &BTreeMap<String, Value>) -> Result<Self> {
        let mut faults = Vec::new();
        let overrides = tables.iter().map(|(key, table)| Override::read(key, table, &mut faults));
        let overrides = Self(overrides.collect());
        ensure_none(&faults)?;
        Ok(overrides)
    }

    /// Applies the changes. The hooks of each pack must follow one another.
    ///
    /// # Errors
    ///
    /// Fails if a table matches no hook or several, if a configuration cannot be set, or if two active hooks have the
    /// same name.
    pub(crate) fn apply(&self, hooks: &mut [Definition]) -> Result<()> {
        let mut faults = Vec::new();
        let mut changed: BTreeMap<usize, &Override> = BTreeMap::new();
        for change in &self.0 {
            let is_meant = |hook: &Definition| hook.declared.name == change.key || whole_name(hook) == change.key;
            let meant: Vec<usize> = (0..hooks.len()).filter(|index| is_meant(&hooks[*index])).collect();
            match meant[..] {
                [] => faults.push(unknown(change, hooks)),
                [index] => {
                    if let Some(other) = changed.insert(index, change) {
                        let fault = format_args!("this hook also has the table `{}`; keep one of the two", other.key);
                        faults.push(TomlKey::of(&change.key).fault(fault));
                    }
                }
                _ => {
                    let names: Vec<String> = meant.iter().map(|index| whole_name(&hooks[*index])).collect();
                    faults.push(TomlKey::of(&change.key).fault(several(&names)));
                }
            }
        }
        ensure_none(&faults)?;
        for (index, change) in changed {
            if let Err(fault) = change.apply(&mut hooks[index]) {
                faults.push(TomlKey::of(&change.key).option("config").fault(fault));
            }
        }
        ensure_none(&faults)?;
        let mut names: BTreeMap<&str, &Definition> = BTreeMap::new();
        for hook in hooks.iter().filter(|hook| !hook.changes.off) {
            if let Some(other) = names.insert(&hook.declared.name, hook) {
                bail!("{}", conflict(other, hook));
            }
        }
        Ok(())
    }
}

/// Returns the package's name and the hook's original name.
fn whole_name(hook: &Definition) -> String {
    format!("{}/{}", hook.declared.package, hook.declared.name)
}

/// Returns the message for a table that matches no hook.
fn unknown(change: &Override, hooks: &[Definition]) -> String {
    let has_package = change.key.contains('/');
    let name = |hook| {
        if has_package { whole_name(hook) } else { hook.declared.name.clone() }
    };
    let names: Vec<String> = hooks.iter().map(name).collect();
    let fix = meant(&change.key, names.iter().map(String::as_str));
    TomlKey::of(&change.key).fault(format_args!("there is no such hook here; {fix}"))
}

/// Returns the message for a table that matches several hooks.
fn several(names: &[String]) -> String {
    let is_one_package = names.iter().all(|name| name == &names[0]);
    if is_one_package {
        return format!(
            "two hooks of one package have this name; give one of them another name in its attribute: `name = \"…\"` ({})",
            names[0]
        );
    }
    let tables = joined(names.iter().map(|name| TomlKey::of(name).to_string()), " or ");
    format!("several hooks have this name; write {tables}")
}

/// Returns the message for two hooks with the same name. The pack of `other` was added later, so the message suggests
/// turning `other` off.
fn conflict(one: &Definition, other: &Definition) -> String {
    for (renamed, other) in [(one, other), (other, one)] {
        if renamed.changes.former_name.is_some() {
            let place = TomlKey::of(&renamed.changes.key).option("name");
            let fault =
                format_args!("{} is also called `{}`; write another name", other.declared.path, other.declared.name);
            return place.fault(fault);
        }
    }
    let message =
        format!("two hooks are called `{}`: {} and {}", one.declared.name, one.declared.path, other.declared.path);
    let whole = whole_name(other);
    if whole == whole_name(one) {
        return format!("{message}; rename one of the functions, or give it another `name = …`");
    }
    let name = whole.replace(['/', '_'], "-").to_lowercase();
    format!(
        "{message}\nTo turn off the one of `{}`, write into the workspace's Cargo.toml:\n{}\noff = true\n\
         To keep both, write `name = \"{name}\"` there instead of `off = true`, or rename one of the functions",
        other.declared.package,
        TomlKey::of(&whole)
    )
}

impl Override {
    /// Applies the changes that do not need the hook's code. Returns a message if the configuration cannot be set.
    fn apply(&self, hook: &mut Definition) -> Result<(), String> {
        let config = self.configured(hook)?;
        let launcher = self.launcher(hook, config.as_ref());
        hook.config = config.or(hook.config.take());
        let mut changes = Changes {
            off: self.off,
            overridden: self.options.iter().copied().filter(|option| *option != "off").collect(),
            key: self.key.clone(),
            config: self.config.clone().map(Value::Object),
            ..Changes::default()
        };
        if !changes.overridden.is_empty() {
            changes.launcher = Some(launcher);
        }
        if let Some(name) = &self.name {
            changes.former_name = Some(std::mem::replace(&mut hook.declared.name, name.clone()));
        }
        for entry in &mut hook.entries {
            if let Some(matcher) = &self.matcher {
                entry.matcher = Some(matcher.value.clone());
            }
            entry.blocks_in_settings = match self.on_failure {
                Some(policy) => entry.facts().is_some_and(|event| policy.blocks_in_settings(event)),
                None => entry.blocks_in_settings,
            };
        }
        if let Some(condition) = &self.condition {
            hook.declared.condition = Some(condition.value.clone());
        }
        hook.declared.timeout = self.timeout.as_ref().map(|timeout| timeout.value).or(hook.declared.timeout);
        hook.declared.on_failure = self.on_failure.unwrap_or(hook.declared.on_failure);
        if let Some(message) = &self.status_message {
            hook.declared.status_message = Some(message.clone());
        }
        hook.changes = changes;
        Ok(())
    }
}

/// Returns `true` if `names` contains a hook's name, or its original name if no other hook has it now. For an order,
/// the name of any of its hooks also counts.
pub(crate) fn is_among(names: &BTreeSet<String>, hook: &Definition, all: &[Definition]) -> bool {
    let was_named = |name: &String| names.contains(name) && find(all, name).is_none();
    let former = hook.changes.former_name.as_ref();
    let is_named = |hook: &Definition| names.contains(&hook.declared.name);
    hook.is_installable() && (is_named(hook) || former.is_some_and(was_named) || hook.members.iter().any(is_named))
}

/// Fails if a requested hook is off in the workspace, or runs in an order.
pub(crate) fn ensure_on(hooks: &[Definition], name: &str) -> Result<()> {
    let is_named = |hook: &&Definition| hook.declared.name == name;
    if let Some(order) = hooks.iter().filter(is_named).find_map(|hook| hook.changes.order.as_ref()) {
        bail!("`{name}` runs in the order `{order}`; request that one: --hook {order}");
    }
    let mut named = hooks.iter().filter(is_named).peekable();
    if let Some(hook) = named.peek().copied()
        && named.all(|hook| hook.changes.off)
    {
        let place = TomlKey::of(&hook.changes.key).option("off");
        bail!("{place}: the hook `{name}` is turned off; remove `off`, or do not request the hook");
    }
    Ok(())
}
