//! The cost of a conversation, at prices that the hook's author or user provides.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Usage;
use crate::Error;

/// Prices of a model's tokens: for a million of each kind, in a currency of the author's choice.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// Tokens of requests, except for the cache.
    pub input: f64,
    /// Tokens of replies.
    pub output: f64,
    /// Request tokens read from the cache.
    pub cache_read: f64,
    /// Request tokens written to the cache for five minutes.
    pub cache_write: f64,
    /// Request tokens written to the cache for an hour.
    pub cache_write_1h: f64,
}

/// The prices of models by name. hookkit comes without prices: they change, and depend on the contract.
///
/// ```
/// use hookkit::prelude::*;
/// use hookkit::transcript::Prices;
///
/// /// Shows the cost of the session so far.
/// #[hook(Stop)]
/// pub fn cost(context: Context, prices: Config<Prices>) -> Result<StopAnswer, Error> {
///     let cost = prices.cost(&context.transcript()?.usage_by_model()?)?;
///     Ok(StopAnswer::pass().with_system_message(format!("${cost:.2} so far")))
/// }
///
/// # fn main() -> Result<(), Error> {
/// let prices = Json::parse(
///     r#"{"model-a": {"input": 1, "output": 5, "cache_read": 0.1, "cache_write": 1.25, "cache_write_1h": 2}}"#,
/// )?;
/// let answer = cost(Context::default(), Config(prices.decode()?))?;
/// assert_eq!(answer, StopAnswer::pass().with_system_message("$0.00 so far"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Prices(pub BTreeMap<String, Price>);

impl Prices {
    /// Returns the price of a model. A name in the table also covers its dated versions, such as `NAME-20260131`, and
    /// variants in brackets, such as `NAME[1m]`.
    pub fn of(&self, model: &str) -> Option<&Price> {
        let is_version = |rest: &str| {
            let date = rest.strip_prefix(['-', '@']).and_then(|rest| rest.split_at_checked(8));
            let rest = match date {
                Some((date, rest)) if date.bytes().all(|byte| byte.is_ascii_digit()) => rest,
                _ => rest,
            };
            rest.is_empty() || rest.starts_with('[')
        };
        let exact = self.0.get(model);
        exact.or_else(|| {
            let of_name = |(name, _): &(&String, &Price)| model.strip_prefix(&***name).is_some_and(is_version);
            Some(self.0.iter().rfind(of_name)?.1)
        })
    }

    /// Returns the cost of the tokens of [`usage_by_model`](super::Transcript::usage_by_model).
    ///
    /// # Errors
    ///
    /// Fails if the table has no price for a model.
    pub fn cost(&self, usage: &BTreeMap<String, Usage>) -> Result<f64, Error> {
        usage.iter().try_fold(0.0, |sum, (model, usage)| match self.of(model) {
            Some(price) => Ok(sum + usage.cost(price)),
            None => Err(Error::msg(format_args!(
                "there is no price for the model `{}`: add the model to the table of prices",
                model.escape_debug()
            ))),
        })
    }
}

impl Usage {
    /// Returns the cost of the tokens at these prices.
    pub fn cost(&self, price: &Price) -> f64 {
        let for_an_hour = self.cache_creation.ephemeral_1h_input_tokens;
        let rest = self.cache_creation_input_tokens.saturating_sub(for_an_hour);
        let parts = [
            (self.input_tokens, price.input),
            (self.output_tokens, price.output),
            (self.cache_read_input_tokens, price.cache_read),
            (rest, price.cache_write),
            (for_an_hour, price.cache_write_1h),
        ];
        #[expect(clippy::cast_precision_loss, reason = "no session has 2^53 tokens")]
        let cost = |(tokens, price): (u64, f64)| tokens as f64 * price / 1e6;
        parts.into_iter().map(cost).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prices(names: &[&str]) -> Prices {
        let price = |output: f64| Price { input: 1.0, output, cache_read: 0.5, cache_write: 2.0, cache_write_1h: 4.0 };
        let named = |(index, name): (u32, &&str)| ((*name).to_owned(), price(f64::from(index)));
        Prices((0..).zip(names).map(named).collect())
    }

    #[test]
    fn a_name_is_that_of_its_versions_and_of_no_other_model() {
        const NAMES: [&str; 3] = ["m-4", "m-4-5", "m-4-20260131"];
        let prices = prices(&NAMES);
        test_support::lines!("lines/prices.txt").check(|_, model| match prices.of(model) {
            Some(price) => NAMES[price.output as usize].into(),
            None => "none".into(),
        });
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        let mut usage = Usage {
            input_tokens: 1_000_000,
            output_tokens: 2_000_000,
            cache_read_input_tokens: 3_000_000,
            cache_creation_input_tokens: 4_000_000,
            ..Usage::default()
        };
        let prices = prices(&["", "m"]);
        let by_model = |usage| BTreeMap::from([("m".to_owned(), usage)]);
        assert_eq!(prices.cost(&by_model(usage)).unwrap(), 1.0 + 2.0 + 1.5 + 8.0);
        usage.cache_creation.ephemeral_1h_input_tokens = 1_000_000;
        assert_eq!(prices.cost(&by_model(usage)).unwrap(), 1.0 + 2.0 + 1.5 + 6.0 + 4.0);
        let unknown = BTreeMap::from([("n\n".to_owned(), usage)]);
        let expected = "there is no price for the model `n\\n`: add the model to the table of prices";
        assert_eq!(prices.cost(&unknown).unwrap_err().to_string(), expected);
    }
}
