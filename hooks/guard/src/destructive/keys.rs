//! SSH keys, which cannot be made again.

use super::{Places, ask};
use crate::prelude::*;

/// Returns the danger of a new key that replaces an existing one.
pub(super) fn replace(command: &Command, places: &Places) -> Option<Found> {
    if !command.is("ssh-keygen") {
        return None;
    }
    let read = Read::of(command)?;
    // With these options it shows, changes or signs something.
    let others = "A B H L Q U c e h i k l p u y D F K M R Y r s";
    if read.has(others) {
        return None;
    }
    let mut names = read.values_of("f");
    if names.is_empty() {
        let of_kind = |kind: &str| vec![Piece::Text(format!("~/.ssh/id_{kind}"))];
        names.extend(["ecdsa", "ed25519", "rsa"].map(of_kind));
    }
    // `ssh-keygen` asks before it replaces a key. A line that also answers may replace one.
    let is_answered = command.is_in_pipeline();
    let is_there = |name: &Name| literal(name).map_or(is_answered, |name| places.is_file(name));
    if names.iter().any(is_there) { ask(command, "may replace an existing key") } else { None }
}
