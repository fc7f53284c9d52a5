//! Numbers of any size and form.

use std::fmt;

use serde::de::{self, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::raw::{JsonVisitor, TOKEN};
use super::{Deserializer, Json};

/// A number as a model wrote it: of any size, with a fraction, or negative.
///
/// The schemas of the client's tools say "number" where they mean a count. The client accepts any number: it rounds a
/// timeout of `1500.5` when it uses the timeout, but a hook reads the original.
/// A number keeps its digits, so nothing is lost when it is written again. Two numbers are equal if their digits are:
/// `1e3` is not `1000`.
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
    /// The plain digits of this number.
    Count(u64),
    /// Any other number of JSON's grammar.
    Other(Box<str>),
}

impl Number {
    /// Parses a number of JSON's grammar.
    fn parse(text: &str) -> Option<Self> {
        let text = Deserializer::new(text.as_bytes()).number()?;
        Some(Self(match text.parse() {
            Ok(count) => Digits::Count(count),
            Err(_) => Digits::Other(text.into()),
        }))
    }

    /// Returns the number if it is whole and fits in `u64`.
    pub fn as_u64(&self) -> Option<u64> {
        self.integer().filter(|number| number.is_whole)?.unsigned()
    }

    /// Returns the number if it is whole and fits in `i64`.
    pub fn as_i64(&self) -> Option<i64> {
        self.integer().filter(|number| number.is_whole)?.signed()
    }

    /// Returns the whole part if it fits in `u64`.
    #[doc(hidden)]
    pub fn count(&self) -> Option<u64> {
        self.integer()?.unsigned()
    }

    fn integer(&self) -> Option<Integer> {
        match &self.0 {
            Digits::Count(count) => Some(Integer { size: *count, is_negative: false, is_whole: true }),
            Digits::Other(text) => Integer::of(text),
        }
    }

    /// Returns the number as JavaScript reads it: the nearest float, or infinity if it is too large.
    ///
    /// Using it adds 35 KB to a hook's binary.
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

/// Writes the digits of the number.
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

/// Writes the number's own digits if the serializer is serde_json's.
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

    /// Parses the text of the value, which comes from hookkit's own deserializer.
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Number, E> {
        let value = Deserializer::new(text.as_bytes());
        Number::parse(text).ok_or_else(|| E::invalid_type(Unexpected::Other(value.kind()), &self))
    }

    fn visit_newtype_struct<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Number, D::Error> {
        self.visit_str(JsonVisitor.visit_newtype_struct(deserializer)?.text())
    }
}

/// The whole part of a number, without rounding.
struct Integer {
    size: u64,
    is_negative: bool,
    /// `true` if the number has no fraction.
    is_whole: bool,
}

impl Integer {
    /// Parses the whole part of a number; `None` if it is too large.
    ///
    /// It does not use floats, which would add 35 KB to every hook.
    fn of(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (digits, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let out_of_range = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
        let exponent: i64 = exponent.parse().unwrap_or(out_of_range);
        // Number of digits before the decimal point.
        let mut before = exponent.saturating_add(i64::try_from(whole.len()).ok()?);
        let mut integer = Self { size: 0, is_negative: unsigned.len() < text.len(), is_whole: true };
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
    fn a_whole_number_is_an_integer() {
        let shown = |number: Option<String>| number.unwrap_or_else(|| "-".into());
        test_support::lines!("lines/numbers.txt").check(|_, text| {
            let number = number(text);
            let [unsigned, count] =
                [number.as_u64(), number.count()].map(|number| shown(number.map(|number| number.to_string())));
            let signed = shown(number.as_i64().map(|number| number.to_string()));
            format!("{unsigned}\t{signed}\t{count}")
        });
        assert_eq!(number("-1.5e1").as_f64(), -15.0);
        assert_eq!(number("1e999").as_f64(), f64::INFINITY);
    }

    #[test]
    fn a_number_keeps_its_digits() {
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
    fn a_value_that_is_not_a_number_is_an_error() {
        let message = |text: &str| Json::parse(text).unwrap().decode::<Number>().unwrap_err().to_string();
        assert_eq!(message("\"5\""), "invalid type: a string, expected a number");
        assert_eq!(message("null"), "invalid type: null, expected a number");
        assert!(serde_json::from_str::<Number>("\"5\"").is_err());
    }
}
