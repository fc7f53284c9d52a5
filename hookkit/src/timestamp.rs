//! Points in time, written as text.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Error;

/// A point in time with milliseconds, written as text in UTC: `2026-01-31T12:00:00.123Z` (RFC 3339).
///
/// The client's transcripts have the same form. All texts have the same length and sort like the times, and `[..10]` is
/// the day.
///
/// ```
/// use std::time::Duration;
///
/// use hookkit::{Error, Timestamp};
///
/// let start: Timestamp = "2026-01-31T12:00:00.123Z".parse()?;
/// let end: Timestamp = "2026-01-31T13:00:01+01:00".parse()?;
/// assert_eq!(end.since(start), Duration::from_millis(877));
/// assert_eq!(&end.to_string()[..10], "2026-01-31");
/// # Ok::<(), Error>(())
/// ```
///
/// It is serialized as this text, for example in a field of a log's record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Milliseconds since 1970, at most [`LATEST`].
    milliseconds: u64,
}

/// The last millisecond of the year 9999.
const LATEST: u64 = 253_402_300_799_999;

const DAY: u64 = 86_400_000;

impl Timestamp {
    /// Returns the current time.
    pub fn now() -> Self {
        SystemTime::now().into()
    }

    /// Returns the time that has passed since an earlier time; zero if that time is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.milliseconds.saturating_sub(earlier.milliseconds))
    }
}

/// Converts a time. A time before 1970 becomes the start of 1970, and one after the year 9999 the end of that year.
impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let milliseconds = u64::try_from(since.as_millis()).unwrap_or(LATEST).min(LATEST);
        Self { milliseconds }
    }
}

impl From<Timestamp> for SystemTime {
    fn from(timestamp: Timestamp) -> Self {
        UNIX_EPOCH + Duration::from_millis(timestamp.milliseconds)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date_of(self.milliseconds / DAY);
        let rest = self.milliseconds % DAY;
        let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
        let (second, millisecond) = (rest / 1000 % 60, rest % 1000);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z")
    }
}

/// Parses a time in RFC 3339, with any offset. Digits after the milliseconds are dropped.
impl FromStr for Timestamp {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let invalid =
            || Error::msg(format_args!("`{}` is not a time such as `2026-01-31T12:00:00.123Z`", text.escape_debug()));
        parse(text.as_bytes()).ok_or_else(invalid)
    }
}

fn parse(text: &[u8]) -> Option<Timestamp> {
    let (begin, rest) = text.split_at_checked(19)?;
    let is_form = begin.iter().zip(b"dddd-dd-ddTdd:dd:dd").all(|(byte, form)| match form {
        b'd' => byte.is_ascii_digit(),
        b'T' => b"Tt ".contains(byte),
        _ => byte == form,
    });
    let at = |from: usize, to: usize| number(&begin[from..to]);
    let (year, month, day) = (at(0, 4), at(5, 7), at(8, 10));
    // A leap second repeats the last second.
    let (hour, minute, second) = (at(11, 13), at(14, 16), at(17, 19).min(59));
    let days = days_until(year, month, day);
    if !is_form || date_of(days) != (year, month, day) || hour > 23 || minute > 59 || at(17, 19) > 60 {
        return None;
    }
    let digits = rest.strip_prefix(b".").unwrap_or_default();
    let digits = &digits[..digits.iter().take_while(|byte| byte.is_ascii_digit()).count()];
    if rest.first() == Some(&b'.') && digits.is_empty() {
        return None;
    }
    let millisecond =
        (0..3).fold(0, |sum, place| sum * 10 + digits.get(place).map_or(0, |digit| u64::from(digit - b'0')));
    let zone = &rest[if digits.is_empty() { 0 } else { digits.len() + 1 }..];
    let local = days * DAY + ((hour * 60 + minute) * 60 + second) * 1000 + millisecond;
    let milliseconds = match *zone {
        [b'Z' | b'z'] => local,
        [sign @ (b'+' | b'-'), h, i, b':', m, n] if [h, i, m, n].iter().all(u8::is_ascii_digit) => {
            let offset = (number(&[h, i]) * 60 + number(&[m, n])) * 60_000;
            match sign {
                b'+' => local.checked_sub(offset)?,
                _ => local + offset,
            }
        }
        _ => return None,
    };
    (milliseconds <= LATEST).then_some(Timestamp { milliseconds })
}

/// Parses decimal digits. Other bytes are the caller's mistake and give an arbitrary number.
fn number(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |sum, digit| sum * 10 + u64::from(digit & 15))
}

/// Number of days from the first of March of the year 0 to 1970. In years that begin in March, a leap day is the last
/// day.
const MARCH_TO_1970: u64 = 719_468;

/// Number of days in 400 years.
const ERA: u64 = 146_097;

/// Returns the year, month and day of a day since 1970, in the Gregorian calendar.
fn date_of(days: u64) -> (u64, u64, u64) {
    let days = days + MARCH_TO_1970;
    let (era, day) = (days / ERA, days % ERA);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Months since March: five of them have 153 days.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, day)
}

/// Returns the number of days since 1970; 0 for an earlier date.
fn days_until(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.saturating_sub(1), month + 9) };
    let (era, of_era) = (year / 400, year % 400);
    let day = (153 * month + 2) / 5 + day.saturating_sub(1);
    (era * ERA + of_era * 365 + of_era / 4 - of_era / 100 + day).saturating_sub(MARCH_TO_1970)
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text of a time, as another implementation writes it.
    fn expected(milliseconds: u64) -> String {
        humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(milliseconds)).to_string()
    }

    #[test]
    fn times_are_written_and_read_as_others_do() {
        let mut random = fastrand::Rng::with_seed(28);
        // The days of two centuries, and every 97th of all.
        let days = (0..73_000).chain((0..LATEST / DAY).step_by(97)).map(|day| day * DAY);
        let moments = (0..50_000).map(|_| random.u64(..=LATEST));
        for milliseconds in days.chain(moments).chain([LATEST]) {
            let timestamp = Timestamp { milliseconds };
            let text = timestamp.to_string();
            assert_eq!(text, expected(milliseconds));
            assert_eq!(text.parse::<Timestamp>().unwrap(), timestamp);
        }
    }

    #[test]
    fn times_beyond_the_range_are_its_ends() {
        let text = |time: SystemTime| Timestamp::from(time).to_string();
        assert_eq!(text(UNIX_EPOCH - Duration::from_secs(1)), "1970-01-01T00:00:00.000Z");
        let found = text(UNIX_EPOCH + Duration::from_secs(1 << 40));
        assert_eq!(found, "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn other_forms_of_rfc_3339_are_read() {
        test_support::lines!("lines/timestamps.txt").check(|_, text| match text.parse::<Timestamp>() {
            Ok(timestamp) => timestamp.to_string(),
            Err(error) => {
                let expected = format!("`{text}` is not a time such as `2026-01-31T12:00:00.123Z`");
                assert_eq!(error.to_string(), expected);
                "error".into()
            }
        });
    }

    #[test]
    fn serialized_it_is_the_text() {
        let timestamp: Timestamp = serde_json::from_str("\"2026-01-31T12:00:00.123Z\"").unwrap();
        let expected = "\"2026-01-31T12:00:00.123Z\"";
        assert_eq!(serde_json::to_string(&timestamp).unwrap(), expected);
        assert!(serde_json::from_str::<Timestamp>("\"now\"").is_err());
    }
}
