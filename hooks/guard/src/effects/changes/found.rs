//! The files that `find` comes to.

use hookkit::shell::{Command, Word};

use crate::words::{Piece, pieces, within};

/// Returns the files that `find` may come to: below each folder that it starts in, by the names that its tests know.
pub(crate) fn found(command: &Command) -> Vec<Vec<Piece>> {
    /// More are not looked at.
    const MOST: usize = 50;
    const NAMES: &[&str] = &["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename"];
    let arguments = command.arguments();
    let is_start = |word: &&Word| !word.known_start().starts_with(['-', '(', '!']);
    let starts = arguments
        .iter()
        .skip_while(|word| matches!(word.literal(), Some("-H" | "-L" | "-P")));
    let mut starts: Vec<_> = starts.take_while(is_start).map(pieces).collect();
    if starts.is_empty() {
        starts.push(vec![Piece::from(".")]);
    }
    let names = arguments.windows(2).enumerate().filter_map(|(at, pair)| {
        let is_not = at > 0 && matches!(arguments[at - 1].literal(), Some("!" | "-not"));
        let name = pair[1].literal()?.rsplit('/').next()?;
        (NAMES.contains(&pair[0].literal()?) && !is_not && !name.contains(['*', '?', '['])).then_some(name)
    });
    let slash = || Piece::from("/");
    let mut rests = vec![vec![slash(), Piece::Unknown]];
    for name in names {
        let name = Piece::Text(format!("/{name}"));
        rests.extend([
            vec![name.clone()],
            vec![slash(), Piece::Braces, name.clone()],
            vec![slash(), Piece::Unknown, name],
        ]);
    }
    let paths = starts
        .iter()
        .flat_map(|start| rests.iter().map(|rest| within(start, "", rest.clone())));
    paths.take(MOST).collect()
}
