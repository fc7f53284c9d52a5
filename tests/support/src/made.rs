//! Invented secrets: none is in the repository, nor anything that looks like one.

/// Puts invented characters in the place of each `<class and length>`: `a` letters and digits, `h` hexadecimal, `d` digits,
/// `u` capitals and the digits of base 32.
///
/// # Panics
///
/// If a class has no length or no alphabet.
pub fn made(form: &str) -> String {
    const ALPHABETS: [(char, &[u8]); 4] = [
        ('a', b"q7Zk3XvW9bRm2TfYd8LhPc5NsGj4Bw6K"),
        ('h', b"3f9a0c7e5d1b8426"),
        ('d', b"7301946258"),
        ('u', b"Q7ZK3XVWRM2TFYDLHPC5NSGJ4BUE6AIO"),
    ];
    let mut text = String::new();
    // A small generator of our own: the same characters each time, and no two alike in a row.
    let mut state = 11_usize;
    for part in form.split('<') {
        let Some((class, rest)) = part.split_once('>') else {
            text.push_str(part);
            continue;
        };
        let (name, length) = class.split_at(1);
        let (_, alphabet) = ALPHABETS.iter().find(|(letter, _)| name.starts_with(*letter)).expect("an alphabet");
        for _ in 0..length.parse().expect("a length") {
            state = (state * 137 + 187) % 1_000_003;
            text.push(char::from(alphabet[state % alphabet.len()]));
        }
        text.push_str(rest);
    }
    text
}
