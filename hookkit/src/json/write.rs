/// Writes one JSON object, member by member, into a buffer.
///
/// A member that is absent is left out: the client takes one `null` for a fault and drops the whole answer
/// (client 2.1.330).
pub(crate) struct Object<'b> {
    out: &'b mut Vec<u8>,
    empty: bool,
}

impl<'b> Object<'b> {
    pub(crate) fn new(out: &'b mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    pub(crate) fn string(&mut self, key: &str, value: &str) {
        self.key(key);
        string(self.out, value);
    }

    pub(crate) fn optional_string(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.string(key, value);
        }
    }

    #[cfg(feature = "registry")]
    pub(crate) fn number(&mut self, key: &str, value: u32) {
        self.key(key);
        self.out.extend_from_slice(value.to_string().as_bytes());
    }

    /// A member that is an object itself.
    pub(crate) fn object(&mut self, key: &str) -> Object<'_> {
        self.key(key);
        Object::new(self.out)
    }

    pub(crate) fn end(self) {
        self.out.push(b'}');
    }

    fn key(&mut self, key: &str) {
        if !self.empty {
            self.out.push(b',');
        }
        self.empty = false;
        string(self.out, key);
        self.out.push(b':');
    }
}

fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut plain_from = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let short = match byte {
            b'"' | b'\\' => byte,
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0..0x20 => 0,
            _ => continue,
        };
        out.extend_from_slice(&bytes[plain_from..at]);
        plain_from = at + 1;
        if short == 0 {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            let (high, low) = (usize::from(byte >> 4), usize::from(byte & 15));
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', DIGITS[high], DIGITS[low]]);
        } else {
            out.extend_from_slice(&[b'\\', short]);
        }
    }
    out.extend_from_slice(&bytes[plain_from..]);
    out.push(b'"');
}
