//! The client does what is recorded of it.

use hookkit_tests::prelude::*;
use hookkit_tests::{edits, matchers, mods, rules, starts};

/// Declares a test for each table: it plays what has changed since, and compares.
macro_rules! records {
    ($($test:ident: $table:literal, $play:path;)*) => {$(
        #[test]
        fn $test() -> Result<()> {
            let client = client!(stringify!($test));
            Record::check($table, || $play(&client), stringify!($test))
        }
    )*};
}

records! {
    edits_leave_the_recorded_texts: "edits", edits::edited;
    writes_go_to_the_recorded_files: "writes", edits::written;
    searches_find_the_recorded_files: "searches", edits::found;
    matchers_select_the_recorded_tools: "matchers", matchers::matched;
    conditions_select_the_recorded_tools: "conditions", matchers::admitted;
    file_matchers_watch_and_select_the_recorded_files: "watched", matchers::watched;
    permission_rules_have_the_recorded_outcomes: "rules", rules::played;
    the_client_runs_the_recorded_hooks: "handlers", World::handlers_that_run;
    sessions_have_the_hooks_of_the_place_where_they_start: "starts", starts::started;
    sessions_with_a_mod_come_to_what_is_recorded: "mods", mods::played;
    a_mod_keeps_the_hooks_of_an_event_from_starting_as_recorded: "skipped-by-mods", mods::started;
}
