//! `doctor`'s finding about a checkout that differs from its reviewed list.

use std::path::Path;

use super::collect;
use super::list::{FILE, List};
use crate::disk::bounded::{Deadline, SECONDS};
use crate::settings::code::sessions;
use crate::settings::finding::Finding;
use crate::settings::folders::Scope;
use crate::terminal::{counted, one_line};

/// Maximum number of differences in the finding.
const NAMED: usize = 5;

/// Compares a project with its reviewed list if it has one, within a time limit.
pub(crate) fn look_in_time(project: &Path) -> Option<Finding> {
    let root = project.to_owned();
    let found = Deadline::new().within(move || look(&root));
    found.unwrap_or_else(|| Some(sessions::slow_checkout(SECONDS, FILE)))
}

fn look(project: &Path) -> Option<Finding> {
    let finding = |what: &str| sessions::not_reviewed(what).in_file(&Scope::Project, &project.join(FILE));
    let list = match List::read(project, None) {
        Ok(list) => list?,
        Err(err) => return Some(finding(&one_line(format_args!("{err:#}")))),
    };
    let found = collect::of(project);
    let differences = list.differences(&found);
    let named = differences.iter().take(NAMED).filter_map(|difference| {
        let entry = difference.entry()?;
        let place = difference.now.filter(|_| !entry.is_file()).and_then(|(_, place)| place.line);
        let line = place.map_or_else(String::new, |line| format!(":{line}"));
        let part = if entry.is_file() { "" } else { &entry.part };
        let named = format!("{} {}{line} {part}", difference.change(), entry.file);
        Some(one_line(named.trim_end()))
    });
    let mut named: Vec<String> = named.collect();
    if differences.len() > NAMED {
        named.push(format!("and {} more", differences.len() - NAMED));
    }
    let count = counted(differences.len(), "difference");
    (!named.is_empty()).then(|| finding(&format!("{count} from what was reviewed: {}", named.join(", "))))
}
