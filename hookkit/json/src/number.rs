//! Numbers that may be of any kind.

use std::fmt;

use serde::de::{self, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::raw::{JsonVisitor, TOKEN};
use super::{Deserializer, Json};

/// A number as a model wrote it: one of any size, with a fraction, or below zero.
///
/// The schemas of the client's tools say "number" where a count is meant, and the client takes what fits that: a timeout of
/// `1500.5` is rounded where it is used, and a hook sees what was written.
/// The number keeps its digits, so that nothing of it is lost when it is written again. Two of them are equal if their
/// digits are: `1e3` is not `1000`.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Keeps commands short.
/// #[hook(PreToolUse)]
/// pub fn short(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
///     match call.input.timeout.as_ref().and_then(hookkit::Number::as_u64) {
///         Some(600_001..) => PreToolUseAnswer::deny("no command takes more than ten minutes"),
///         _ => PreToolUseAnswer::pass(),
///     }
/// }
///
/// # fn main() {
/// let mut bash = tool::Bash::new("make");
/// bash.timeout = Some(900_000.into());
/// assert_ne!(short(PreToolUse::new("Bash", bash)), PreToolUseAnswer::pass());
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(Digits);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Digits {
    /// Nothing but the digits of this number.
    Count(u64),
    /// Anything else that JSON's grammar takes for a number.
    Other(Box<str>),
}

impl Number {
    /// A number from its text, if that is one by JSON's grammar.
    fn parse(text: &str) -> Option<Self> {
        let text = Deserializer::new(text.as_bytes()).number()?;
        Some(Self(match text.parse() {
            Ok(count) => Digits::Count(count),
            Err(_) => Digits::Other(text.into()),
        }))
    }

    /// The number, where it is whole, not below zero, and not too large.
    pub fn as_u64(&self) -> Option<u64> {
        self.integer().filter(|number| number.is_whole)?.unsigned()
    }

    /// The number, where it is whole, and neither too large nor too small.
    pub fn as_i64(&self) -> Option<i64> {
        self.integer().filter(|number| number.is_whole)?.signed()
    }

    /// Returns the whole part, if it is a count: not below zero, and not too large.
    #[doc(hidden)]
    pub fn count(&self) -> Option<u64> {
        self.integer()?.unsigned()
    }

    fn integer(&self) -> Option<Integer> {
        match &self.0 {
            Digits::Count(count) => Some(Integer {
                size: *count,
                is_negative: false,
                is_whole: true,
            }),
            Digits::Other(text) => Integer::of(text),
        }
    }

    /// The number as JavaScript reads it: the nearest fraction, infinite where it is too large.
    ///
    /// It costs 35 KB in a hook's binary.
    pub fn as_f64(&self) -> f64 {
        match &self.0 {
            Digits::Count(count) => *count as f64,
            Digits::Other(text) => text.parse().unwrap_or(f64::NAN),
        }
    }
}

impl Default for Number {
    fn default() -> Self {
        Self::from(0)
    }
}

impl From<u64> for Number {
    fn from(count: u64) -> Self {
        Self(Digits::Count(count))
    }
}

/// Its digits.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Digits::Count(count) => count.fmt(f),
            Digits::Other(text) => f.pad(text),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({self})")
    }
}

/// Writes its own digits where the serializer is serde_json's.
impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Digits::Count(count) => serializer.serialize_u64(*count),
            Digits::Other(text) => Json(text.clone()).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(TOKEN, NumberVisitor)
    }
}

struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    /// The text of whatever value it is, as hookkit's own deserializer gives it.
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Number, E> {
        let value = Deserializer::new(text.as_bytes());
        Number::parse(text).ok_or_else(|| E::invalid_type(Unexpected::Other(value.kind()), &self))
    }

    fn visit_newtype_struct<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Number, D::Error> {
        self.visit_str(JsonVisitor.visit_newtype_struct(deserializer)?.text())
    }
}

/// The whole part of a number, exactly.
struct Integer {
    size: u64,
    is_negative: bool,
    /// `true` if nothing was cut off.
    is_whole: bool,
}

impl Integer {
    /// Of a number's text; `None` where it is too large. It takes no fractions, which would cost 35 KB in every hook.
    fn of(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (digits, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let out_of_range = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
        let exponent: i64 = exponent.parse().unwrap_or(out_of_range);
        // How many of the digits are before the point.
        let mut before = exponent.saturating_add(i64::try_from(whole.len()).ok()?);
        let mut integer = Self {
            size: 0,
            is_negative: unsigned.len() < text.len(),
            is_whole: true,
        };
        for digit in whole.bytes().chain(fraction.bytes()) {
            let digit = u64::from(digit - b'0');
            if before > 0 {
                integer.size = integer.size.checked_mul(10)?.checked_add(digit)?;
                before -= 1;
            } else {
                integer.is_whole &= digit == 0;
            }
        }
        while before > 0 && integer.size > 0 {
            integer.size = integer.size.checked_mul(10)?;
            before -= 1;
        }
        Some(integer)
    }

    fn unsigned(&self) -> Option<u64> {
        (!self.is_negative || self.size == 0).then_some(self.size)
    }

    fn signed(&self) -> Option<i64> {
        if self.is_negative {
            return 0_i64.checked_sub_unsigned(self.size);
        }
        i64::try_from(self.size).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Json::parse(text).unwrap().decode().unwrap()
    }

    #[test]
    fn a_number_is_an_integer_where_it_is_one() {
        for (text, unsigned, signed, count) in [
            ("0", Some(0), Some(0), Some(0)),
            ("-0", Some(0), Some(0), Some(0)),
            ("1500.5", None, None, Some(1500)),
            ("-0.5", None, None, Some(0)),
            ("-5", None, Some(-5), None),
            ("5.0", Some(5), Some(5), Some(5)),
            ("1e3", Some(1000), Some(1000), Some(1000)),
            ("1.25E+1", None, None, Some(12)),
            ("125e-2", None, None, Some(1)),
            ("1.5e-7", None, None, Some(0)),
            ("100e-2", Some(1), Some(1), Some(1)),
            ("0e999999999999999999999", Some(0), Some(0), Some(0)),
            ("1e999999999999999999999", None, None, None),
            ("1e-999999999999999999999", None, None, Some(0)),
            ("1e+21", None, None, None),
            ("18446744073709551615", Some(u64::MAX), None, Some(u64::MAX)),
            ("18446744073709551616", None, None, None),
            ("-9223372036854775808", None, Some(i64::MIN), None),
            ("-9223372036854775809", None, None, None),
        ] {
            let number = number(text);
            assert_eq!(number.as_u64(), unsigned, "{text}");
            assert_eq!(number.as_i64(), signed, "{text}");
            assert_eq!(number.count(), count, "{text}");
        }
        assert_eq!(number("-1.5e1").as_f64(), -15.0);
        assert_eq!(number("1e999").as_f64(), f64::INFINITY);
    }

    #[test]
    fn a_number_is_written_as_it_was() {
        for text in ["0", "-0", "1500.5", "1e+21", "1E400", "0.1", "18446744073709551616"] {
            let number = number(text);
            assert_eq!(number.to_string(), text);
            assert_eq!(serde_json::to_string(&number).unwrap(), text);
        }
        assert_eq!(number("1500"), Number::from(1500));
        assert_eq!(serde_json::from_str::<Number>("1500").unwrap(), Number::from(1500));
        assert_eq!(serde_json::from_str::<Number>("-0.5").unwrap(), number("-0.5"));
        assert_eq!(serde_json::to_value(number("-0.5")).unwrap(), serde_json::json!(-0.5));
    }

    #[test]
    fn what_is_not_a_number_is_reported() {
        let message = |text: &str| Json::parse(text).unwrap().decode::<Number>().unwrap_err().to_string();
        assert_eq!(message("\"5\""), "invalid type: a string, expected a number");
        assert_eq!(message("null"), "invalid type: null, expected a number");
        assert!(serde_json::from_str::<Number>("\"5\"").is_err());
    }
}
