//! The keys that requests come with.

use hmac_sha256::Hash;
use hookkit::Error;
use http::HeaderValue;

/// The least length of a key, in bytes: of random letters and digits, these are 190 bits.
const SHORTEST: usize = 32;

/// The keys of a service, each with the name of those who have it.
///
/// A request has one as `Authorization: Bearer KEY`. The client fills it in from a variable, so that it is in no
/// settings: `"headers": {"Authorization": "Bearer ${HOOKKIT_KEY}"}` with `"allowedEnvVars": ["HOOKKIT_KEY"]`, as
/// `cargo xtask install --http` writes it. The keys are kept as hashes, and are compared in the same time whatever differs.
///
/// ```
/// use hookkit_service::Keys;
///
/// let keys = Keys::parse("# name, blank, key\nlaptops 0123456789abcdef0123456789abcdef\n");
/// assert!(keys.is_ok());
/// assert!(Keys::parse("laptops short").is_err());
/// ```
#[derive(Default)]
pub struct Keys(Vec<Key>);

struct Key {
    name: String,
    hash: [u8; 32],
}

impl Keys {
    /// No keys: every request is answered. A service without keys listens on the loopback interface alone.
    pub fn none() -> Self {
        Self::default()
    }

    /// Reads lines of a name, a blank and a key; empty lines and those with `#` are skipped. Two keys may have one name, while
    /// one replaces the other.
    ///
    /// # Errors
    ///
    /// When a line has no key, or a key is shorter than 32 bytes or is not of printable ASCII characters, and when there is
    /// none at all. No error quotes a key.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let lines = text.lines().map(str::trim).zip(1..);
        let lines = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
        let key = |(line, number): (&str, u32)| {
            let (name, key) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let key = key.trim_start();
            match key.len() >= SHORTEST && key.bytes().all(|byte| byte.is_ascii_graphic()) {
                true => Ok(Key { name: name.to_owned(), hash: Hash::hash(key.as_bytes()) }),
                false => Err(Error::msg(format_args!(
                    "line {number} of the keys has no key of at least {SHORTEST} letters and digits after a name; \
                     `openssl rand -hex 32` makes one"
                ))),
            }
        };
        let keys: Vec<Key> = lines.map(key).collect::<Result<_, _>>()?;
        let is_twice = |(at, key): (usize, &Key)| keys[..at].iter().any(|other| other.hash == key.hash);
        if keys.iter().enumerate().any(is_twice) {
            return Err(Error::msg("a key is there twice, so that it proves no name: make another one"));
        }
        match keys.is_empty() {
            true => Err(Error::msg("there is no key: a line is a name, a blank and a key")),
            false => Ok(Self(keys)),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the name of the key in a header; `None` for a request that has none of the keys. Without keys, each request is
    /// let in, under no name.
    pub(crate) fn name_of(&self, header: Option<&HeaderValue>) -> Option<Option<&str>> {
        if self.is_empty() {
            return Some(None);
        }
        let (scheme, key) = header?.to_str().ok()?.split_once(' ')?;
        let hash = Hash::hash(key.trim().as_bytes());
        // All are compared, each to its end.
        let found = self.0.iter().fold(None, |found, key| match differ(&key.hash, &hash) {
            0 => Some(&*key.name),
            _ => found,
        });
        found.filter(|_| scheme.eq_ignore_ascii_case("bearer")).map(Some)
    }
}

/// Returns the bits in which two hashes differ.
fn differ(one: &[u8; 32], other: &[u8; 32]) -> u8 {
    let pairs = one.iter().zip(other);
    pairs.fold(0, |bits, (one, other)| std::hint::black_box(bits | (one ^ other)))
}
