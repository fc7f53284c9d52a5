//! Findings in a settings file, as `install` shows them: with their lines.

use anyhow::anyhow;

use crate::disk::bounded;
use crate::settings::finding::{Finding, Ignored, Refusal};
use crate::settings::place::Place;
use crate::terminal::snippet::{Report, Severity};
use crate::terminal::text::Text;
use crate::terminal::width::columns;
use crate::terminal::{counted, inform_text, shown};

/// The most mistakes that are shown, those that are alike as one.
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

fn at(finding: &Finding) -> Option<(usize, usize)> {
    finding.place.map(|place| (place.line, place.column))
}

/// Shows what Claude Code would not read of the settings.
///
/// A mistake that costs the whole file is an error, unless the user goes on nevertheless.
pub(crate) fn report_findings(place: &Place, text: &str, findings: &[Finding], is_forced: bool) {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    let is_alike = |group: &Vec<&Finding>, finding: &Finding| {
        (&group[0].what, group[0].ignored, &group[0].fix) == (&finding.what, finding.ignored, &finding.fix)
    };
    let mut left_out = 0;
    for finding in findings {
        match groups.iter().position(|group| is_alike(group, finding)) {
            Some(group) => groups[group].push(finding),
            None if groups.len() == SHOWN => left_out += 1,
            None => groups.push(vec![finding]),
        }
    }
    for group in &groups {
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
        more.bold(counted(left_out, "more finding"))
            .plain("; ")
            .command("cargo xtask doctor")
            .plain(" shows them");
        inform_text(more);
    }
}

/// Shows why settings cannot be edited, where that is the error, and returns what remains to be said.
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
