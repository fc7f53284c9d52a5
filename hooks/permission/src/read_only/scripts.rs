//! Checks the `awk`, `sed`, `jq` and `yq` programs in command lines.

use hookkit::shell::programs::sed;

use crate::prelude::*;

/// Returns `true` if `awk` is given a program that only reads the named files and prints.
///
/// A `>` or `|` after the first `print` may write or start something, and is not approved. Before it, `>` compares.
pub(super) fn awk(words: &[Word]) -> bool {
    const LEADS_AWAY: &[&str] = &["system", "getline", "environ", "procinfo", "symtab", "argv", "argc", "@", "\\\n"];
    let Some(&program) = awk_texts(words).as_deref().and_then(<[usize]>::last) else {
        return false;
    };
    let Some(text) = words[program].literal() else {
        return false;
    };
    let lower = text.to_lowercase();
    // In a pattern or a comment, a quote does not begin a string.
    let code = if lower.contains(['/', '\\', '#']) {
        lower.clone()
    } else {
        lower.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
    };
    let behind_print = code.find("print").map_or("", |at| &code[at..]);
    !LEADS_AWAY.iter().any(|word| lower.contains(word))
        && !behind_print.replace("||", "").contains(['>', '|'])
        && !words[program + 1..].iter().any(|word| word.is_option())
}

/// Returns the indexes of `awk`'s words that are texts: values of options, and the program, which is the last one.
pub(super) fn awk_texts(words: &[Word]) -> Option<Vec<usize>> {
    let mut texts = Vec::new();
    let mut index = 0;
    loop {
        match words.get(index)?.literal()? {
            // `-v` assigns before the program begins.
            "-F" | "-v" => {
                words.get(index + 1)?.literal()?;
                texts.push(index + 1);
                index += 2;
            }
            text if text.starts_with("-F") || text.starts_with("--field-separator=") => index += 1,
            text if text.starts_with('-') => return None,
            _ => break,
        }
    }
    texts.push(index);
    Some(texts)
}

/// Returns `true` if `sed` is given scripts that only print: they write, edit and read no file, and run nothing.
pub(super) fn sed(words: &[Word]) -> bool {
    const LONG: &str =
        "--expression --null-data --posix --quiet --regexp-extended --sandbox --separate --silent --unbuffered";
    let is_known = |word: &Word| match word.known_start().strip_prefix('-') {
        Some(letters) if !letters.starts_with('-') => consists_of("Eenrsuz", letters),
        Some(_) => lists(LONG, word.known_start()),
        None => true,
    };
    let script = sed::script(words, None);
    let prints = |step: &sed::Step| {
        step.is_plain
            && "dDgGhHnNpPx=FzqQl:btTsy{#".contains(step.name)
            && step.rest.is_none()
            && !step.flags.contains(['m', 'e', ' '])
    };
    // A script that is not literal has a `…`.
    words.iter().all(is_known) && !script.is_empty() && !script.contains('…') && sed::steps(&script).iter().all(prints)
}

/// Returns the indexes of `jq`'s words that are texts: values of options, and the program.
pub(super) fn jq_texts(words: &[Word]) -> Option<Vec<usize>> {
    let mut texts = Vec::new();
    let mut index = 0;
    loop {
        let text = words.get(index)?.literal()?;
        let values = match text {
            "--arg" | "--argjson" => 2,
            "--indent" => 1,
            // The second value is a file.
            "--rawfile" | "--slurpfile" => return None,
            _ => 0,
        };
        if !text.starts_with('-') {
            break;
        }
        texts.extend(index + 1..=index + values);
        index += 1 + values;
    }
    texts.push(index);
    Some(texts)
}
