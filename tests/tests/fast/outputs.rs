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

const HEAD: &str = "\
# Outputs

What client 2.1.332 does with each part of what a hook prints, and with its exit code, by the event and by the mode of the
hook: one that the client waits for, one with `async`, and one with `asyncRewake`.

| | |
|---|---|
| acts | it acts on it |
| model | the model reads it |
| user | the user sees it |
| – | it drops it |
| * | untested: no headless session shows it; it is from the client's code |

The last column has the rows of `tests/observed` that show it, one for each mode. A part that means nothing alone is
shown with the part that it needs: a `reason` with a `decision`. The client runs an `asyncRewake` hook in the background where prompts come one
by one, as in a terminal; with `-p` and one prompt it waits for it as for any other hook.

## A question to the user

`permissionDecision: \"ask\"`, by the event and the permission mode. A call with this answer never runs without the user:
no mode and no rule that allows answers it, and where the user cannot be asked, it is a denial.

| event | permission mode | in a terminal | with `-p` |
|---|---|---|---|
| PreToolUse | `default`, `acceptEdits`, `plan` | the user is asked * | the call is denied, and the model reads the reason |
| PreToolUse | `auto` | the user is asked, whatever the classifier says * | the same |
| PreToolUse | `bypassPermissions` | the user is asked * | the same |
| PreToolUse | `dontAsk` | the call is denied * | the same |
| PreToolUse, in a subagent that runs in the background | all | the call is denied * | the same * |
| PreModelSwitch | all | the user is asked * | the switch is denied |
| PreSkillShellCommand | all | the command does not run * | the command does not run; the user and the model read the reason |

Of several hooks that deny one call, the model reads the reason of the one that ends last; of several that ask, that of the one
that ends first.
";

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
        let background = if event.may_be_async() {
            " `async` | `asyncRewake` |"
        } else {
            ""
        };
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
    let missing: Vec<String> = missing
        .map(|cell| format!("{} {:?}: {}", cell.event.name, cell.mode, cell.part))
        .collect();
    assert_eq!(missing, Vec::<String>::new(), "no row shows them");
}
