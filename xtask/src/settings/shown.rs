//! Findings in a settings file, as `install` shows them: with their lines.

use std::collections::BTreeMap;

use anyhow::anyhow;

use crate::disk::bounded;
use crate::settings::finding::{Finding, Ignored, Refusal};
use crate::settings::place::Place;
use crate::terminal::snippet::{Report, Severity};
use crate::terminal::width::columns;
use crate::terminal::{Text, counted, inform_text, shown};

/// Maximum number of mistakes that are shown; similar ones count as one.
const SHOWN: usize = 20;

/// Returns the report of a finding, without its place.
pub(crate) fn as_report(finding: &Finding) -> Report<'_> {
    Report {
        severity: finding.severity,
        code: Some(finding.code.name),
        what: &finding.what,
        does: &finding.does,
        fix: &finding.fix,
        file: finding.file.as_deref().map(shown),
        ..Report::default()
    }
}

/// Returns findings in their order, grouped by a key.
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

fn at(finding: &Finding) -> Option<(usize, usize)> {
    finding.place.map(|place| (place.line, place.column))
}

/// Shows the parts of the settings that Claude Code would not read.
///
/// A mistake that makes it ignore the whole file is an error, unless the user goes on nevertheless.
pub(crate) fn report_findings(place: &Place, text: &str, findings: &[Finding], is_forced: bool) {
    let groups = alike(findings, |finding| [&*finding.what, &*finding.does, &*finding.fix]);
    let (groups, others) = groups.split_at(SHOWN.min(groups.len()));
    let left_out: usize = others.iter().map(Vec::len).sum();
    for group in groups {
        let report = Report {
            severity: match group[0].ignored {
                Ignored::File if !is_forced => Severity::Error,
                _ => Severity::Warning,
            },
            file: Some(shown(place.settings())),
            text: Some(text),
            places: group.iter().filter_map(|finding| at(finding)).collect(),
            ..as_report(group[0])
        };
        inform_text(report.render(columns(std::io::stderr())));
    }
    if left_out > 0 {
        let mut more = Text::new();
        more.bold(counted(left_out, "more finding")).plain("; ").command("cargo xtask doctor").plain(" shows them");
        inform_text(more);
    }
}

/// Shows why settings cannot be edited, if that is the error, and returns the rest of the message.
pub(crate) fn explained(place: &Place, err: anyhow::Error) -> anyhow::Error {
    let Some(refusal) = err.downcast_ref::<Refusal>() else {
        return err;
    };
    let text = bounded::read(place.settings()).unwrap_or_default();
    let report = Report {
        file: Some(shown(place.settings())),
        text: std::str::from_utf8(&text).ok(),
        places: at(refusal).into_iter().collect(),
        ..as_report(refusal)
    };
    inform_text(report.render(columns(std::io::stderr())));
    // The outermost message.
    anyhow!("{err}")
}
