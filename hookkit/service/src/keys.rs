//! The keys that authorize requests.

use hmac_sha256::Hash;
use hookkit::Error;
use http::HeaderValue;

/// Minimum length of a key, in bytes. Random letters and digits then have 190 bits of entropy.
const SHORTEST: usize = 32;

/// The keys of a service, each with the name of its holders.
///
/// A request sends a key as `Authorization: Bearer KEY`. The client fills in the key from a variable, so that it is not
/// in any settings: `"headers": {"Authorization": "Bearer ${HOOKKIT_KEY}"}` with `"allowedEnvVars": ["HOOKKIT_KEY"]`,
/// as `cargo xtask install --http` writes it. The keys are kept as hashes, and compared in constant time.
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
    /// Creates an empty list: every request is answered. A service without keys listens only on the loopback interface.
    pub fn none() -> Self {
        Self::default()
    }

    /// Parses lines of a name, a blank and a key. Empty lines and lines with `#` are skipped. Two keys may have the
    /// same name, for example while one replaces the other.
    ///
    /// # Errors
    ///
    /// Fails if a line has no key, if a key is shorter than 32 bytes or has characters other than printable ASCII, or
    /// if there are no keys at all. No error quotes a key.
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
            return Err(Error::msg("a key occurs twice, so it does not identify a name: create a different one"));
        }
        match keys.is_empty() {
            true => Err(Error::msg("there are no keys: a line is a name, a blank and a key")),
            false => Ok(Self(keys)),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the name of the key in a header; `None` for a request with none of the keys. If the service has no keys,
    /// every request is accepted, without a name.
    pub(crate) fn name_of(&self, header: Option<&HeaderValue>) -> Option<Option<&str>> {
        if self.is_empty() {
            return Some(None);
        }
        let (scheme, key) = header?.to_str().ok()?.split_once(' ')?;
        let hash = Hash::hash(key.trim().as_bytes());
        // Each key is compared to its end.
        let found = self.0.iter().fold(None, |found, key| match differ(&key.hash, &hash) {
            0 => Some(&*key.name),
            _ => found,
        });
        found.filter(|_| scheme.eq_ignore_ascii_case("bearer")).map(Some)
    }
}

/// Returns the bits in which two hashes differ. It takes the same time for all hashes.
fn differ(one: &[u8; 32], other: &[u8; 32]) -> u8 {
    let pairs = one.iter().zip(other);
    pairs.fold(0, |bits, (one, other)| std::hint::black_box(bits | (one ^ other)))
}
