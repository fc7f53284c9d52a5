//! Shows findings about a settings file for `install`, with the affected lines.

use std::collections::BTreeMap;

use anyhow::anyhow;

use crate::disk::bounded;
use crate::settings::finding::{Finding, Ignored, Refusal, Severity};
use crate::settings::place::Place;
use crate::settings::position::Position;
use crate::settings::snippet::Report;
use crate::terminal::width::columns;
use crate::terminal::{Text, counted, inform_text};

/// Maximum number of mistakes to show. Similar mistakes count as one.
const SHOWN: usize = 20;

/// Groups findings by a key, keeping their order.
pub(crate) fn alike<'f, K: Ord>(findings: &'f [Finding], key: impl Fn(&'f Finding) -> K) -> Vec<Vec<&'f Finding>> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    let mut known = BTreeMap::new();
    for finding in findings {
        let group = *known.entry(key(finding)).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(alike) => alike.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    groups
}

/// Shows a finding about settings, next to a command's result.
fn show(place: &Place, finding: Finding, text: Option<&str>, places: Vec<Position>) {
    let finding = Finding { file: Some(place.settings().to_owned()), ..finding };
    let report = Report { finding: &finding, notes: Vec::new(), text, places };
    inform_text(report.render(columns(std::io::stderr())));
}

/// Shows the parts of the settings that Claude Code would not read.
///
/// A mistake that makes Claude Code ignore the whole file is an error, unless the user forces the install.
pub(crate) fn report_findings(place: &Place, text: &str, findings: &[Finding], is_forced: bool) {
    let groups = alike(findings, |finding| [&*finding.what, &*finding.does, &*finding.fix]);
    let (groups, others) = groups.split_at(SHOWN.min(groups.len()));
    let left_out: usize = others.iter().map(Vec::len).sum();
    for group in groups {
        let places = group.iter().filter_map(|finding| finding.place).collect();
        let severity = match group[0].ignored {
            Ignored::File if !is_forced => Severity::Error,
            _ => Severity::Warning,
        };
        show(place, Finding { severity, ..group[0].clone() }, Some(text), places);
    }
    if left_out > 0 {
        let mut more = Text::new();
        more.bold(counted(left_out, "more finding")).plain("; ").command("cargo xtask doctor").plain(" shows them");
        inform_text(more);
    }
}

/// If the error is that settings are not editable, shows the reason and returns the rest of the message.
pub(crate) fn explained(place: &Place, err: anyhow::Error) -> anyhow::Error {
    let Some(refusal) = err.downcast_ref::<Refusal>() else {
        return err;
    };
    let text = bounded::read(place.settings()).unwrap_or_default();
    let finding = Finding::clone(refusal);
    let places = finding.place.into_iter().collect();
    show(place, finding, std::str::from_utf8(&text).ok(), places);
    // The outermost message.
    anyhow!("{err}")
}
