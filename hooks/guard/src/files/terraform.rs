//! Outputs of Terraform, among which secrets are: their names say which.

use hookkit::shell::{Command, Word};

pub(super) fn is(program: &str) -> bool {
    matches!(program, "terraform" | "terragrunt" | "tofu")
}

/// Returns `true` for a `terraform output` that prints an output with the name of a secret, or all with their values; and for
/// one that prints the state.
pub(super) fn prints_secret(words: &[Word]) -> bool {
    let is_option = |word: &&Word| word.known_start().starts_with('-');
    let is_json = |word: &&str| matches!(*word, "-json" | "--json");
    let mut operands = words.iter().filter(|word| !is_option(word)).map(Word::known_start);
    match operands.next() {
        Some("output") => match operands.next() {
            // The value of an option may be among them.
            Some(name) => is_secret(name) || operands.any(is_secret),
            // In other forms, those that are marked are hidden.
            None => words.iter().filter_map(Word::literal).any(|word| is_json(&word)),
        },
        Some("state") => operands.next() == Some("pull"),
        _ => false,
    }
}

/// Returns `true` for a filter of `jq` that takes one output from what `terraform output -json` prints, if its name is not that
/// of a secret: `.vpc_id.value`.
pub(super) fn takes_harmless(filter: &str, of: &Command) -> bool {
    let is_path = |c: char| c.is_ascii_alphanumeric() || "_.[]".contains(c);
    of.program().is_some_and(is)
        && of
            .arguments()
            .iter()
            .filter(|word| !word.known_start().starts_with('-'))
            .count()
            == 1
        && of.has_argument("output")
        && filter.chars().all(is_path)
        && filter
            .strip_prefix('.')
            .is_some_and(|path| path.starts_with(|c: char| c.is_ascii_alphabetic()))
        && !is_secret(filter)
}

/// Returns `true` for the name of a secret, and not of where one is.
fn is_secret(name: &str) -> bool {
    const SECRETS: [&str; 6] = ["credential", "key", "kubeconfig", "passw", "secret", "token"];
    const OTHERS: [&str; 5] = ["_arn", "_id", "_name", "_path", "_version"];
    let name = name.to_lowercase();
    let plain = name.strip_suffix(".value").unwrap_or(&name);
    SECRETS.iter().any(|part| plain.contains(part))
        && !OTHERS.iter().any(|end| plain.ends_with(end))
        && !plain.contains("public")
}
