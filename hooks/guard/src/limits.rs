//! The tables of what a guard does not see, in the folder `limits`, as its tests read them.

/// The lines of the second column of a table, which is the one under a heading.
pub(crate) fn lines(text: &str, heading: &str) -> Vec<String> {
    let (_, section) = text.split_once(heading).expect("the heading is there");
    let section = section.split("\n# ").next().expect("a text has a first part");
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(1);
    rows.flat_map(|row| {
        // In a table, a bar of a line has a backslash before it.
        let row = row.replace("\\|", "\0");
        let lines = row.split('|').nth(2).expect("a row has two columns").to_owned();
        lines
            .split('`')
            .skip(1)
            .step_by(2)
            .map(|line| line.replace('\0', "|"))
            .collect::<Vec<_>>()
    })
    .collect()
}

/// The heading above lines that pass.
pub(crate) const NOT_SEEN: &str = "# What it cannot see";

/// The heading above harmless lines that are stopped.
pub(crate) const HARMLESS: &str = "# What it asks about, though it is harmless";
