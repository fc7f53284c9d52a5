//! The facts about mods in `hookkit_protocol`, compared with what the client did.

use std::collections::BTreeMap;

use anyhow::Result;
use hookkit::protocol::mods::{SINCE, WITH_SWITCH_SINCE, skips};
use hookkit_tests::mods::{self, Played, Since};
use hookkit_tests::record::Record;

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
