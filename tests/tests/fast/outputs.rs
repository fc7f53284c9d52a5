//! `docs/book/src/outputs.md` shows the effect of each part of a hook's output, and the docs of each method of an answer agree
//! with it.
//!
//! `SNAPSHOTS=overwrite cargo test -p hookkit-tests --test fast outputs` writes it anew.

use std::fmt::Write;

use anyhow::Result;
use hookkit::Mode;
use hookkit::protocol::event::EVENTS;
use hookkit::testing::UNSEEN_EVENTS;
use hookkit_tests::verdict::{Cell, MODES, Part, cells, rows};

const HEAD: &str = include_str!("../../fixtures/pages/outputs.txt");

const TAIL: &str = "
*This page is written by a test of hookkit. `testing::Verdict` and `cargo xtask run` read the same facts.*
";

fn cell<'c>(cells: &'c [Cell], event: &str, part: &Part, mode: Mode) -> Option<&'c Cell> {
    let mut cells = cells.iter();
    cells.find(|cell| cell.event.name == event && cell.part == *part && cell.mode == mode)
}

#[test]
fn the_page_of_outputs_is_what_the_client_does() -> Result<()> {
    let cells = cells(&rows());
    let mut page = HEAD.to_owned();
    for event in EVENTS {
        let name = event.name;
        let background = if event.may_be_async() { " `async` | `asyncRewake` |" } else { "" };
        let rule = "---|".repeat(if event.may_be_async() { 5 } else { 3 });
        writeln!(page, "\n## {name}\n\n| | awaited |{background} rows |\n|{rule}")?;
        for part in Part::of(event) {
            let mut shown = Vec::new();
            write!(page, "| {part} |")?;
            for mode in MODES {
                let Some(cell) = cell(&cells, name, &part, mode) else {
                    continue;
                };
                let mark = if cell.row.is_some() { "" } else { " *" };
                write!(page, " {}{mark} |", cell.outcome)?;
                shown.extend(cell.row.iter().filter_map(|key| key.split('-').nth(1)));
            }
            writeln!(page, " {} |", shown.join(" "))?;
        }
    }
    page += TAIL;
    hookkit_tests::snapshot("docs/book/src/outputs.md", &page)
}

#[test]
fn every_cell_was_played_that_can_be() {
    let unplayed = cells(&rows()).into_iter().filter(|cell| cell.row.is_none());
    let missing = unplayed.filter(|cell| cell.outcome.is_seen && !UNSEEN_EVENTS.contains(&cell.event.name));
    let missing: Vec<String> =
        missing.map(|cell| format!("{} {:?}: {}", cell.event.name, cell.mode, cell.part)).collect();
    assert_eq!(missing, Vec::<String>::new(), "no row shows them");
}
