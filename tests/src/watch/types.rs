//! The types of tools that are published with a client: `sdk-tools.d.ts`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Change, Difference};

/// The members of each type.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Types(BTreeMap<String, BTreeSet<String>>);

impl Types {
    /// The name of the table.
    pub const TABLE: &str = "types";

    /// Reads the types in a text that a formatter has written: members of a type are indented alike.
    pub fn read(text: &str) -> Self {
        let mut types = BTreeMap::new();
        for part in text.split("\nexport ").skip(1) {
            let declared = part.strip_prefix("interface ").or_else(|| part.strip_prefix("type "));
            let Some((name, body)) = declared.and_then(|rest| rest.split_once([' ', '='])) else {
                continue;
            };
            let members = || body.lines().filter_map(member);
            let indent = members().map(|(indent, _)| indent).min();
            let names = members().filter(|(at, _)| Some(*at) == indent);
            types.insert(name.to_owned(), names.map(|(_, name)| name.to_owned()).collect());
        }
        Self(types)
    }

    /// Compares the types of another version with these of ours.
    pub fn compare(&self, ours: &Self) -> Vec<Difference> {
        const FILE: &str = "hookkit/src/tool";
        let none = BTreeSet::new();
        let mut differences = Vec::new();
        for name in self.0.keys().chain(ours.0.keys()).collect::<BTreeSet<_>>() {
            let (now, then) = (self.0.get(name), ours.0.get(name));
            let mut differs = |kind, members: Vec<&String>| {
                if !members.is_empty() {
                    let members: Vec<String> = members.iter().map(|member| format!("`{member}`")).collect();
                    differences.push(Difference::new(kind, format!("{} in the type {name}", members.join(", ")), FILE));
                }
            };
            match (now, then) {
                (None, Some(_)) => differences.push(Difference::new(Change::Gone, format!("the type {name}"), FILE)),
                (Some(_), None) => differences.push(Difference::new(Change::New, format!("the type {name}"), FILE)),
                _ => {
                    let (now, then) = (now.unwrap_or(&none), then.unwrap_or(&none));
                    differs(Change::Gone, then.difference(now).collect());
                    differs(Change::New, now.difference(then).collect());
                }
            }
        }
        differences
    }
}

/// Returns the name of the member that a line declares, with the number of blanks before it.
fn member(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches(' ');
    let (name, _) = rest.split_once(':')?;
    let name = name.strip_suffix('?').unwrap_or(name);
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some((line.len() - rest.len(), name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = "export type All =\n  | A;\nexport interface A {\n  /**\n   * note: of it\n   */\n  one: string;\n  two?: {\n    inner: 1;\n  };\n}\n\
        export type B =\n  | {\n      left: 1;\n    }\n  | {\n      right: 2;\n    };\n";

    #[test]
    fn members_of_a_type_are_read_and_compared() {
        let ours = Types::read(&format!("\n{OURS}"));
        assert_eq!(ours.0["A"], ["one", "two"].map(Into::into).into());
        assert_eq!(ours.0["B"], ["left", "right"].map(Into::into).into());
        let theirs = Types::read(&format!("\n{}", OURS.replace("two?:", "three:").replace("B =", "C =")));
        let lines: Vec<String> = theirs.compare(&ours).iter().map(Difference::to_string).collect();
        let wanted = [
            "gone: `two` in the type A (hookkit/src/tool)",
            "new: `three` in the type A (hookkit/src/tool)",
            "gone: the type B (hookkit/src/tool)",
            "new: the type C (hookkit/src/tool)",
        ];
        assert_eq!(lines, wanted);
    }
}
