//! The facts about mods in `hookkit_protocol`, compared with what the client did.

use hookkit::protocol::mods::{SINCE, WITH_SWITCH_SINCE, skips};
use hookkit_tests::mods::{self, Played, Since};
use hookkit_tests::prelude::*;

#[test]
fn the_hooks_of_an_event_are_skipped_as_recorded() -> Result<()> {
    let started: BTreeMap<String, bool> = Record::read("skipped-by-mods")?.rows;
    assert!(started.len() > 30, "{}", started.len());
    for (event, is_started) in started {
        assert_eq!(skips("classic.*", &event), !is_started, "{event}");
    }
    Ok(())
}

#[test]
fn the_first_versions_with_mods_are_as_recorded() -> Result<()> {
    let since = Since::recorded()?;
    assert_eq!([since.variable.first, since.always.first], [WITH_SWITCH_SINCE, SINCE]);
    Ok(())
}

#[test]
fn every_session_with_a_mod_is_recorded() -> Result<()> {
    let cases = mods::cases()?;
    let gaps = Record::<Played>::read("mods")?.gaps(cases.iter().map(|case| &*case.key));
    assert!(gaps.is_empty(), "{gaps:?}");
    Ok(())
}

#[test]
fn the_table_of_the_book_is_as_recorded() -> Result<()> {
    let page = fs::read_to_string(repository().join("docs/book/src/mods.md"))?;
    let rows: Vec<Vec<&str>> = page.lines().map(|line| line.split('|').map(str::trim).collect()).collect();
    let of = |cell: &[String; 3]| {
        let row = rows.iter().find(|row| row.get(1..3) == Some(&[&*cell[0], &*cell[1]]))?;
        let head = rows.iter().find(|row| row.get(1) == Some(&"guard in"))?;
        row.get(head.iter().position(|name| *name == cell[2])?)
    };
    let played = Record::<Played>::read("mods")?.rows;
    let cells = mods::cells();
    assert_eq!(cells.len(), 36);
    for cell in cells {
        let Played { mods, hooks, ran, .. } = &played[&cell.join(", ")];
        let expected = match (hooks.contains("guard") && !ran, mods.is_empty()) {
            // Such a guard is a managed setting.
            (true, false) if cell[0] == "managed settings" && cell[2] == "no managed settings" => "–",
            (true, false) => "holds",
            (true, true) => "left out",
            (false, _) => "skipped",
        };
        assert_eq!(of(&cell), Some(&expected), "{cell:?}");
    }
    Ok(())
}
