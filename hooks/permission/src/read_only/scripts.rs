//! Programs for `awk`, `sed`, `jq` and `yq`, on their command lines.

use hookkit::shell::Word;
use hookkit::shell::programs::table::lists;

use super::programs::by_roles;

/// Returns `true` if `awk` is given a program that reads the files that are named, and prints.
///
/// A `>` or `|` behind the first `print` may write or start something, and is left; before it, it compares.
pub(super) fn awk(words: &[Word]) -> bool {
    const LEADS_AWAY: &[&str] = &[
        "system", "getline", "environ", "procinfo", "symtab", "argv", "argc", "@", "\\\n",
    ];
    let Some(&program) = awk_texts(words).as_deref().and_then(<[usize]>::last) else {
        return false;
    };
    let Some(text) = words[program].literal() else {
        return false;
    };
    let lower = text.to_lowercase();
    // In a pattern or a comment a quote begins no text.
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

/// The indexes of the words of `awk` that are texts: values of options, and the program, which is the last one.
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

/// Returns `true` if `sed` is given scripts that print: no file is written, edited in its place or read by them, and nothing
/// is run.
pub(super) fn sed(words: &[Word]) -> bool {
    const LONG: &str =
        "--expression --null-data --posix --quiet --regexp-extended --sandbox --separate --silent --unbuffered";
    let is_known = |word: &Word| match word.known_start().strip_prefix('-') {
        Some(letters) if !letters.starts_with('-') => letters.bytes().all(|letter| b"Eenrsuz".contains(&letter)),
        Some(_) => lists(LONG, word.known_start()),
        None => true,
    };
    let scripts = by_roles("sed", words).unwrap_or_default();
    words.iter().all(is_known)
        && !scripts.is_empty()
        && scripts
            .iter()
            .all(|&script| words[script].literal().is_some_and(prints))
}

/// Returns `true` if each command of a script of `sed` is one of those that edit the text that is printed.
fn prints(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '}', '{']);
        if rest.is_empty() {
            return true;
        }
        let Some(behind) = command(rest) else {
            return false;
        };
        rest = behind;
    }
}

/// Returns the text after the command that a script begins with; `None` if the command is not known to be harmless.
fn command(script: &str) -> Option<&str> {
    let mut rest = address(script)?;
    if let Some(second) = rest.strip_prefix(',') {
        rest = address(second.trim_start_matches([' ', '+', '~']))?;
    }
    let rest = rest.trim_start_matches([' ', '!']);
    let name = rest.chars().next()?;
    let behind = &rest[name.len_utf8()..];
    match name {
        '{' => Some(behind),
        _ if "dDgGhHnNpPx=Fz".contains(name) => ended(behind),
        'q' | 'Q' | 'l' => ended(behind.trim_start_matches(|char: char| char == ' ' || char.is_ascii_digit())),
        // Some versions take the rest of the line for a label, which runs nothing.
        ':' | 'b' | 't' | 'T' => {
            ended(behind.trim_start_matches(|char: char| char == ' ' || char.is_ascii_alphanumeric() || char == '_'))
        }
        's' | 'y' => {
            let delimiter = behind
                .chars()
                .next()
                .filter(|char| !char.is_alphanumeric() && !"\\\n; {}".contains(*char))?;
            let pattern = &behind[delimiter.len_utf8()..];
            let replacement = past(pattern, delimiter)?;
            let flags = past_replacement(replacement, delimiter)?;
            ended(
                flags.trim_start_matches(|char: char| name == 's' && ("gpiIM".contains(char) || char.is_ascii_digit())),
            )
        }
        _ => None,
    }
}

/// Returns the text after an address, or all of it without one.
fn address(script: &str) -> Option<&str> {
    if let Some(pattern) = script.strip_prefix('/') {
        return Some(past(pattern, '/')?.trim_start_matches(['I', 'M']));
    }
    Some(match script.strip_prefix('$') {
        Some(rest) => rest,
        None => script.trim_start_matches(|char: char| char.is_ascii_digit() || char == '~'),
    })
}

/// Returns the text after the delimiter that ends a pattern. In brackets some versions take it for a character, and
/// some do not.
fn past(pattern: &str, delimiter: char) -> Option<&str> {
    let mut chars = pattern.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        match char {
            '\n' => return None,
            '\\' => drop(chars.next()),
            _ if char == delimiter => return Some(&pattern[at + char.len_utf8()..]),
            '[' => {
                let inside = &pattern[at + 1..];
                let skipped = inside.len() - inside.strip_prefix('^').unwrap_or(inside).len();
                // A `]` that is first is one of the characters.
                let first = inside[skipped..].chars().next()?.len_utf8();
                // `[:space:]` is a class in them.
                let characters = inside.replace("[:", "::").replace(":]", "::");
                let length = skipped + first + characters[skipped + first..].find(']')?;
                if characters[..length].contains([delimiter, '\\', '[', '\n']) {
                    return None;
                }
                while chars.peek().is_some_and(|(next, _)| *next <= at + 1 + length) {
                    chars.next();
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the text after the delimiter that ends a replacement.
fn past_replacement(text: &str, delimiter: char) -> Option<&str> {
    let mut is_escaped = false;
    let end = text.find(|char| {
        let is_end = char == delimiter && !is_escaped;
        is_escaped = char == '\\' && !is_escaped;
        is_end
    })?;
    (!text[..end].contains('\n')).then(|| &text[end + delimiter.len_utf8()..])
}

/// Returns the text from the end of a command, if the command ends here.
fn ended(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', '\t']);
    (rest.is_empty() || rest.starts_with([';', '\n', '}'])).then_some(rest)
}

/// The indexes of the words of `jq` that are texts: values of options, and the program.
pub(super) fn jq_texts(words: &[Word]) -> Option<Vec<usize>> {
    let mut texts = Vec::new();
    let mut index = 0;
    loop {
        let text = words.get(index)?.literal()?;
        let values = match text {
            "--arg" | "--argjson" => 2,
            "--indent" => 1,
            // The second one is a file.
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
