//! Keys of SSH, which nothing makes again.

use hookkit::shell::{Command, Via};

use super::Danger;
use super::place::Places;
use crate::words::{Arguments, Piece, Valued, has_flag};

/// The letters of `ssh-keygen` that have a value. They have no long names.
const LETTERS: &str = "CDEFIKMNOPRTVWYZabfmnrstwz";

const VALUED: &Valued = &{
    let mut valued = [(' ', ""); LETTERS.len()];
    let mut at = 0;
    while at < LETTERS.len() {
        valued[at].0 = LETTERS.as_bytes()[at] as char;
        at += 1;
    }
    valued
};

/// Returns the danger of a new key in the place of one that is there.
pub(super) fn replace(command: &Command, places: &Places) -> Option<Danger> {
    if command.program() != Some("ssh-keygen") {
        return None;
    }
    let has = |letter| has_flag(command, VALUED, letter, "\0");
    let values = |letters: &[char]| Arguments::of(command, VALUED).values_of(letters);
    // With these it shows, changes or signs something.
    let is_other = "ABHLQUcehiklpuy".chars().any(has) || !values(&['D', 'F', 'K', 'M', 'R', 'Y', 'r', 's']).is_empty();
    if is_other {
        return None;
    }
    let mut names = values(&['f']);
    if names.is_empty() {
        let of_kind = |kind: &str| vec![Piece::Text(format!("~/.ssh/id_{kind}"))];
        names.extend(["ecdsa", "ed25519", "rsa"].map(of_kind));
    }
    // It asks before it replaces one: where the name is not known, a line that answers means to.
    let is_answered = command.via.contains(&Via::Pipeline);
    let is_there = |name: &Vec<Piece>| match &name[..] {
        [Piece::Text(name)] => places.is_file(name),
        _ => is_answered,
    };
    names
        .iter()
        .any(is_there)
        .then(|| Danger::ask_of(command, "may put a new key in the place of one that is there"))
}
