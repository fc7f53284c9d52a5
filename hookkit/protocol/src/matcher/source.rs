//! Translates a regular expression, as JavaScript reads it without the flag `u`.

/// Translates an expression for the engine, which reads some syntax as if the flag `u` were set.
///
/// Without the flag, a character above U+FFFF counts as two, and so do the two escapes of its halves; `\u{2}` is the
/// letter `u` twice. Only the names of groups are read as with the flag.
pub(super) fn code_units(text: &str) -> Vec<u32> {
    let has_names = names_groups(text);
    let mut units = Vec::with_capacity(text.len());
    let mut rest = text;
    let mut is_in_class = false;
    while let Some(c) = rest.chars().next() {
        let name = match c {
            '(' if !is_in_class => name_of_group(&rest[1..]).map(|name| "(?<".len() + name.len()),
            '\\' if has_names && rest.starts_with(r"\k<") => rest.find('>'),
            _ => None,
        };
        if let Some(length) = name {
            let (name, behind) = rest.split_at(length);
            units.extend(name.chars().map(u32::from));
            rest = behind;
            continue;
        }
        let length = match c {
            '\\' if rest.starts_with(r"\u{") => {
                units.push(u32::from('u'));
                2
            }
            '\\' => match half_of_pair(rest) {
                Some(half) => {
                    units.push(half);
                    6
                }
                None => {
                    let escaped = rest[1..].chars().next().map_or(0, char::len_utf8);
                    units.extend(rest[..1 + escaped].encode_utf16().map(u32::from));
                    1 + escaped
                }
            },
            _ => {
                is_in_class = (is_in_class || c == '[') && c != ']';
                units.extend(c.encode_utf16(&mut [0; 2]).iter().copied().map(u32::from));
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    units
}

/// Returns the half of a character above U+FFFF, if `text` begins with its escape.
fn half_of_pair(text: &str) -> Option<u32> {
    let digits = text.strip_prefix(r"\u")?.get(..4)?;
    let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let unit = u32::from_str_radix(digits, 16).ok().filter(|_| is_hexadecimal)?;
    (0xd800..0xe000).contains(&unit).then_some(unit)
}

/// Returns `true` if a group of the expression has a name.
pub(super) fn names_groups(text: &str) -> bool {
    syntax(text).any(|(at, char)| char == '(' && name_of_group(&text[at + 1..]).is_some())
}

/// Returns the name of the group whose opening parenthesis is before `text`.
pub(super) fn name_of_group(text: &str) -> Option<&str> {
    let text = text.strip_prefix("?<").filter(|text| !text.starts_with(['=', '!']))?;
    text.split_once('>').map(|(name, _)| name)
}

/// Returns the characters of an expression that are syntax, with their positions. Escaped characters and those in a
/// class are not syntax.
pub(crate) fn syntax(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut in_class, mut is_escaped) = (false, false);
    text.char_indices().filter(move |(_, char)| {
        if std::mem::take(&mut is_escaped) {
            return false;
        }
        match char {
            '\\' => is_escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            _ => return !in_class,
        }
        false
    })
}
