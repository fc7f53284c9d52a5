//! The terminal sequences that the client passes on.

/// Maximum length of a `terminalSequence` that the client passes on, in bytes.
pub const LIMIT: usize = 4_096;

const BELL: char = '\x07';
const ESCAPE: char = '\x1b';

/// Returns the reason why the client drops a whole sequence; `None` if the client passes it on (client 2.1.330).
///
/// If the text of a sequence has control characters, the client removes only these characters.
pub fn rejection(sequence: &str) -> Option<String> {
    if sequence.len() > LIMIT {
        return Some(format!("it has {} bytes; the limit is {LIMIT}", sequence.len()));
    }
    let mut rest = sequence;
    while !rest.is_empty() {
        match rest.strip_prefix(BELL).map_or_else(|| behind_osc(rest), Ok) {
            Ok(behind) => rest = behind,
            Err(why) => return Some(why.to_owned()),
        }
    }
    None
}

/// Returns `true` if a terminal may interpret the notification as a command.
pub fn begins_with_a_number(body: &str) -> bool {
    let is_blank = |character: char| character.is_whitespace() || "\u{180e}\u{200b}\u{feff}".contains(character);
    let body = body.trim_start_matches(is_blank);
    let unsigned = body.strip_prefix(['+', '-']).unwrap_or(body);
    unsigned.starts_with(char::is_numeric)
}

/// Returns the text after the `OSC` sequence at the beginning of `text`, or the reason why the client drops the
/// sequence.
fn behind_osc(text: &str) -> Result<&str, &'static str> {
    let osc = text.strip_prefix("\x1b]").ok_or("only bells and `OSC` sequences are allowed")?;
    let end = osc.find([BELL, ESCAPE]).ok_or("it is not terminated")?;
    let (body, rest) = osc.split_at(end);
    let rest =
        rest.strip_prefix(BELL).or_else(|| rest.strip_prefix("\x1b\\")).ok_or("it does not end with `BEL` or `ST`")?;
    let (number, body) = body.split_once(';').unwrap_or((body, ""));
    // The client parses it as a number: `02` is 2.
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.parse().ok().filter(|_| is_number);
    if !matches!(number, Some(0 | 1 | 2 | 9 | 99 | 777)) {
        return Err("the number of an `OSC` must be 0, 1, 2, 9, 99 or 777");
    }
    let body: String = body.chars().filter(|character| !character.is_control()).collect();
    if number == Some(9) && begins_with_a_number(&body) && !is_progress(&body) {
        return Err("the text of an `OSC 9` begins with a number, which makes it a command");
    }
    Ok(rest)
}

/// Returns `true` for `4;` and a digit from 0 to 4, with or without a percentage after it.
fn is_progress(body: &str) -> bool {
    let mut parts = body.split(';');
    let is_four = parts.next() == Some("4");
    let is_state = matches!(parts.next(), Some("0" | "1" | "2" | "3" | "4"));
    let is_percent = parts.next().is_none_or(|percent| {
        percent == "100" || percent.len() <= 2 && percent.bytes().all(|digit| digit.is_ascii_digit())
    });
    is_four && is_state && is_percent && parts.next().is_none()
}
