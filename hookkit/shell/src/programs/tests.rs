use super::*;

/// Returns all items of the table, with their names and commands.
fn items() -> Vec<((&'static str, &'static str), Program)> {
    let lines = include_str!("table.txt").lines();
    let of_names = lines.filter(|line| !line.starts_with(['#', ' ']) && !line.is_empty());
    let items = of_names.flat_map(|line| line.split(", ").map(|item| item.split_once(' ').unwrap_or((item, ""))));
    let names = items.flat_map(|(names, commands)| names.split('/').map(move |name| (name, commands)));
    let found = |(name, commands): (&'static str, &'static str)| {
        let rows: Vec<Row> = match commands.split([' ', '|']).next() {
            None | Some("") => TABLE.rows(name).collect(),
            Some(word) => TABLE.rows_of_command(name, word).collect(),
        };
        let is_it = |row: &Row| row.commands == commands;
        let row = rows.into_iter().find(is_it).unwrap_or_else(|| panic!("{name} {commands} is not found"));
        ((name, commands), Program::from(row))
    };
    names.map(found).collect()
}

#[test]
fn each_token_of_a_usage_is_known() {
    for (name, row) in items() {
        for token in row.usage.split_ascii_whitespace() {
            let role = match token.strip_prefix('-') {
                _ if matches!(token, "NAME=VALUE" | "-*") => continue,
                Some(_) => token.split_once([':', '=']).map_or("", |(_, role)| role),
                None => token,
            };
            assert!(role.is_empty() || Role::of(role).is_some(), "{name:?}: {token}");
        }
        let last = row.usage.split_ascii_whitespace().next_back().and_then(Role::of);
        assert!(last.is_some(), "the usage of {name:?} does not end in an operand");
    }
}

#[test]
fn an_option_is_said_once_in_a_row() {
    for (name, row) in items() {
        let mut names = Vec::new();
        for (options, _) in row.options() {
            match options.strip_prefix("--") {
                Some(_) => names.push(options.to_owned()),
                None => names.extend(options[1..].chars().filter(|c| *c != '*').map(String::from)),
            }
        }
        names.sort();
        let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
        assert!(twice.is_none(), "{name:?}: {twice:?}");
    }
}

#[test]
fn a_program_is_in_one_row() {
    let mut names: Vec<_> = items().iter().map(|(name, _)| *name).collect();
    assert!(names.len() > 300, "{}", names.len());
    names.sort();
    let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
    assert!(twice.is_none(), "{twice:?}");
}
