//! File names for sessions, projects and states.

/// Maximum length of a file name, with some space left for an extension.
const MAX_NAME: usize = 200;

/// Turns a text into a file name without dots and slashes. Different texts have different names.
///
/// Session ids are untrusted, and paths of projects contain slashes. A long name ends in a hash. Collisions are
/// harmless: an attacker who can choose a text could choose the other text itself.
pub fn file_name(text: &[u8]) -> String {
    let mut name = String::with_capacity(text.len());
    for &byte in text {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => name.push(byte.into()),
            _ => name += &format!("%{byte:02X}"),
        }
    }
    if name.is_empty() {
        name.push('%');
    } else if name.len() > MAX_NAME {
        // FNV-1a: the standard library's hash can change with any release of Rust.
        let hash = text
            .iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
        name.truncate(MAX_NAME - 18);
        name += &format!("%-{hash:016x}");
    }
    name
}
