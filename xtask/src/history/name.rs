//! Names of hooks, from their commands in transcripts.

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::LazyLock;

use crate::disk::state;
use crate::settings::record::Record;
use crate::terminal::joined;

/// Returns the name of a hook installed or packaged by hookkit; `None` for any other command.
///
/// Installed hooks are `…/hookkit/WORKSPACE/bin/HOOK`, packaged ones `…/bin/hookkit HOOK`.
pub(crate) fn of_hookkit(command: &str) -> Option<&str> {
    let program = command.trim().trim_matches(['"', '\'']);
    if let Some((program, hook)) = program.rsplit_once(' ')
        && program.trim_matches(['"', '\'']).ends_with("/bin/hookkit")
    {
        return Some(hook.trim_matches(['"', '\'']));
    }
    let mut names = Path::new(program).components().rev();
    let mut name = || match names.next()? {
        Component::Normal(name) => name.to_str(),
        _ => None,
    };
    let (hook, bin, _workspace, hookkit) = (name()?, name()?, name()?, name()?);
    (bin == "bin" && hookkit == "hookkit").then_some(hook)
}

/// Returns the command of a hook that a transcript identifies by its status message, if `install` has recorded this
/// message (client 2.1.332).
pub(crate) fn resolved(event: &str, named: String) -> String {
    static NOTED: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
        state::records::<Record>(None)
            .iter()
            .flat_map(|record| record.inserted.groups())
            .filter_map(|(event, group)| {
                let text = |key| group["hooks"][0][key].as_str();
                Some((format!("{event} {}", text("statusMessage")?), text("command")?.to_owned()))
            })
            .collect()
    });
    NOTED.get(&format!("{event} {named}")).cloned().unwrap_or(named)
}

/// Returns a hook's display name: the name of a hookkit hook, or the command on one line.
pub(crate) fn shown(command: Option<&str>) -> String {
    match command {
        None => "(not recorded)".to_owned(),
        Some(command) => match of_hookkit(command) {
            Some(hook) => hook.to_owned(),
            None => joined(command.split_whitespace(), " "),
        },
    }
}

/// Returns `true` if a hook's name or command contains this text.
pub(crate) fn has(command: &str, asked: &str) -> bool {
    command.contains(asked) || shown(Some(command)).contains(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_of_hookkits_has_its_name_and_any_other_its_command() {
        test_support::lines!("lines/names.txt").check(|_, command| of_hookkit(command).unwrap_or_default().to_owned());
        assert_eq!(shown(Some("jq .\n  | cat")), "jq . | cat");
        assert_eq!(shown(None), "(not recorded)");
    }
}
