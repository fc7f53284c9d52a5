//! The book's page of findings, generated from the table of codes and the examples in `tests/fixtures/doctor`.
//!
//! `SNAPSHOTS=overwrite cargo test -p hookkit-xtask page` rewrites it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use crate::diagnose::fixes::{World, expected, fixture};
use crate::diagnose::look;
use crate::diagnose::report::Report;
use crate::settings::code::{PAGE, all};
use crate::settings::finding::Row;

const HEAD: &str = include_str!("../../lines/page-of-findings.txt");

const TAIL: &str = "
*This page is written by a test of hookkit, from the table of codes; the examples are real output.*
";

/// Width of the examples, in columns.
const COLUMNS: usize = 80;

/// Returns `doctor`'s output for each code on a fixture: the one named after the code, or the one with the shortest
/// report.
fn examples() -> BTreeMap<&'static str, String> {
    let mut examples = BTreeMap::new();
    for (name, expected) in expected() {
        let world = World::new(&fixture(&name), &expected);
        let mut session = world.session();
        let mut report = Report { findings: look::look(&session, &world.surroundings, &[]), ..Report::default() };
        let [found] = &mut report.findings[..] else { continue };
        // A temporary folder has a different name each time.
        let folder = world.folder.path().display().to_string();
        let named = |text: &str| text.replace(&folder, "/home/me");
        for text in [&mut found.what, &mut found.does, &mut found.fix] {
            *text = named(text);
        }
        let shown = |path: &Path| match named(&path.display().to_string()) {
            path if path.starts_with("/home/me/user/") => "~/.claude/settings.json".into(),
            path => path.trim_start_matches("/home/me/app/").into(),
        };
        let places = found.file.iter_mut().chain(found.other.iter_mut().map(|other| &mut other.0));
        let sources = session.sources.iter_mut().map(|source| &mut source.path);
        places.chain(sources).for_each(|path| *path = shown(path));
        let code = found.code.name;
        let text = report.text(&session, Some(COLUMNS)).render(Some(COLUMNS));
        let text = anstream::adapter::strip_str(&text).to_string();
        let found = (name != code, text.len(), text);
        let best = examples.remove(code).map_or(found.clone(), |best| found.min(best));
        examples.insert(code, best);
    }
    examples.into_iter().map(|(code, (.., text))| (code, text)).collect()
}

#[test]
fn the_page_of_findings_has_all_codes() {
    let examples = examples();
    let (mut table, mut sections) = (String::new(), String::new());
    let codes: Vec<_> = all().collect();
    for of_subject in codes.chunk_by(|row, next| row.subject == next.subject) {
        let subject = of_subject[0].subject;
        let anchor = subject.to_lowercase().replace(' ', "-");
        let links = of_subject.iter().map(|row| format!("[{0}](#{0})", row.name));
        let links = links.collect::<Vec<_>>().join(", ");
        table += &format!("| [{subject}](#{anchor}) | {links} |\n");
        sections += &format!("\n## {subject}\n");
        for code @ Row { name, fix, .. } in of_subject {
            let cause = code.cause().replace(". ", ".\n");
            write!(sections, "\n### {name}\n\n{cause}\n\n**Fix:** {fix}\n").expect("a string can be written to");
            if let Some(example) = examples.get(name) {
                sections += &format!("\n```text\n{}\n```\n", example.trim_end());
            }
        }
    }
    let page = format!("{HEAD}\n| subject | codes |\n|---|---|\n{table}{sections}{TAIL}");
    let path = Path::new("..").join(PAGE);
    if env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
        fs::write(&path, &page).expect("the page can be written");
    }
    let committed = fs::read_to_string(&path).expect("the page");
    assert!(committed == page, "rewrite {PAGE}: SNAPSHOTS=overwrite");
}
