//! Chooses the hooks to install: the requested ones, the installed ones, and those in the project's own file.

use crate::binaries::definition::{Definition, find, named, names};
use crate::binaries::overrides;
use crate::commands::prelude::*;
use crate::settings::place::Place;
use crate::settings::site::Site;
use crate::settings::{scope, sources};
use crate::terminal::meant;

/// The hooks to install.
pub(super) struct Choice {
    /// The hooks listed in the project's own file; `None` if the project uses all hooks, or has no such file.
    pub(super) chosen: Option<BTreeSet<String>>,
    wanted: BTreeSet<String>,
}

impl Choice {
    /// Returns the team's choice for the project, plus the requested hooks, minus the hooks in `without`. In the user's
    /// own settings, installed hooks stay.
    pub(super) fn new(
        asked: Option<&BTreeSet<String>>,
        without: &[String],
        all: &[Definition],
        site: &Site,
    ) -> Result<Self> {
        if without.is_empty() {
            return Self::of_all(asked, all, site);
        }
        let (place, before) = (&site.state.place, site.state.hooks());
        for name in without {
            overrides::ensure_on(all, name)?;
            ensure!(before.contains(&named(all, name)?.declared.name), "`{name}` is not installed in {place}");
        }
        // In the user's own settings, the installed hooks are the choice.
        let none = BTreeSet::new();
        let choice = Self::of_all(asked.or((!place.is_shared()).then_some(&none)), all, site)?;
        let chosen = choice.of(all).into_iter().filter(Definition::is_installable).map(|hook| hook.declared.name);
        let wanted: BTreeSet<String> = chosen.filter(|name| !without.contains(name)).collect();
        ensure!(!wanted.is_empty(), "no hook would stay; remove all: cargo xtask uninstall{}", scope::options(place));
        Ok(Self { chosen: place.is_shared().then(|| wanted.clone()), wanted })
    }

    /// Returns the choice before hooks are taken out of it.
    fn of_all(asked: Option<&BTreeSet<String>>, all: &[Definition], site: &Site) -> Result<Self> {
        let every = || names(all).map(str::to_owned).collect::<BTreeSet<_>>();
        let before = site.state.hooks();
        if !site.state.place.is_shared() {
            let asked = asked.cloned().unwrap_or_else(every);
            return Ok(Self { chosen: None, wanted: &asked | &before });
        }
        let mut chosen = match (asked, site.identity.source()) {
            (None, known) => known.and_then(|source| source.hooks.clone()),
            (Some(asked), None) => Some(asked | &(&before & &every())),
            (Some(asked), Some(source)) => match &source.hooks {
                Some(hooks) => Some(hooks | asked),
                None => {
                    let hooks = asked | &before;
                    let is_new = |hook: &&Definition| hook.is_installable() && !hooks.contains(&hook.declared.name);
                    let more: Vec<&str> = names(all.iter().filter(is_new)).collect();
                    ensure!(
                        more.is_empty(),
                        "this project has all hooks, so this command would add {}, too\nTo add all: cargo xtask \
                         install{}\nTo choose, write `hooks = {:?}` below [sources.{}] in {}, and install again",
                        listed(more),
                        scope::options(&site.state.place),
                        Vec::from_iter(&hooks),
                        site.state.place.workspace,
                        sources::file(&site.state.place)
                    );
                    None
                }
            },
        };
        if let Some(chosen) = &mut chosen {
            *chosen = known_by_now(chosen, all, &site.state.place)?;
        }
        Ok(Self { wanted: chosen.clone().unwrap_or_else(every), chosen })
    }

    pub(super) fn of(&self, all: &[Definition]) -> Vec<Definition> {
        all.iter().filter(|hook| overrides::is_among(&self.wanted, hook, all)).cloned().collect()
    }
}

/// Returns the current names of the chosen hooks. A hook may have been renamed; a hook that is off in the workspace is
/// left out.
///
/// # Errors
///
/// Fails if a chosen hook does not exist.
fn known_by_now(chosen: &BTreeSet<String>, all: &[Definition], place: &Place) -> Result<BTreeSet<String>> {
    let mut known = BTreeSet::new();
    for name in chosen {
        let former = || all.iter().find(|hook| hook.changes.former_name.as_ref() == Some(name));
        let hook = find(all, name).or_else(former).with_context(|| {
            format!(
                "{} chooses `{}`, but there is no such hook; {}\nRename it in `hooks` there, or remove it",
                sources::file(place),
                one_line(name),
                meant(name, names(all))
            )
        })?;
        match &hook.changes.order {
            Some(order) => {
                inform!("note: `{name}` runs in the order `{order}`, which is chosen instead");
                known.insert(order.clone());
            }
            None if hook.changes.off => {
                inform!("note: `{name}` is off in this workspace, so it is no longer chosen")
            }
            None => drop(known.insert(hook.declared.name.clone())),
        }
    }
    Ok(known)
}
