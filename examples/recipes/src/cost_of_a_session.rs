//! The cost of a session.

// ANCHOR: hook
use std::collections::BTreeMap;
use std::path::Path;

use hookkit::Timestamp;
use hookkit::log::Log;
use hookkit::prelude::*;
use hookkit::transcript::{Prices, Row, Transcript, Usage};
use serde::Serialize;

#[derive(Serialize)]
struct Record<'s> {
    time: Timestamp,
    seconds: Option<u64>,
    session: &'s str,
    project: &'s Path,
    cost: f64,
    tokens: BTreeMap<String, Usage>,
}

/// Logs the cost of a session at its end, in `~/.claude/costs.jsonl`.
#[hook(SessionEnd)]
pub fn log_cost(context: Context, environment: Environment, prices: Config<Prices>) -> Result<(), Error> {
    let (transcript, time) = (context.transcript()?, Timestamp::now());
    let tokens = transcript.usage_by_model()?;
    let home = environment.home().ok_or("there is no home folder: set `HOME`")?;
    Log::at(home.join(".claude/costs.jsonl")).append(&Record {
        time,
        seconds: begin(&transcript)?.map(|begin| time.since(begin).as_secs()),
        session: &context.session_id,
        project: &context.project_dir,
        cost: prices.cost(&tokens)?,
        tokens,
    })
}

/// Returns the time of the first prompt.
fn begin(transcript: &Transcript) -> Result<Option<Timestamp>, Error> {
    match transcript.rows().only(&["user"]).next().transpose()? {
        Some(Row::User(user)) => Ok(user.timestamp.parse().ok()),
        _ => Ok(None),
    }
}
// ANCHOR_END: hook

// ANCHOR: test
#[cfg(test)]
mod tests {
    use std::fs;

    use hookkit::Hook;
    use hookkit::testing;
    use hookkit::transcript::Price;

    use super::*;

    #[test]
    fn each_model_has_its_price() -> Result<(), Error> {
        let home = tempfile::tempdir()?;
        let mut context = Context::default();
        context.transcript_path = home.path().join("transcript");
        let reply = |id: &str, model: &str| {
            format!(
                r#"{{"type":"assistant","message":{{"id":"{id}","model":"{model}","usage":{{"output_tokens":2000000}}}}}}"#
            )
        };
        let prompt = r#"{"type":"user","timestamp":"2026-01-31T12:00:00Z","message":{"content":"go"}}"#.to_owned();
        let rows = [prompt, reply("1", "large-20260131"), reply("2", "small"), reply("3", "small")];
        fs::write(&context.transcript_path, rows.join("\n") + "\n")?;
        let price = |output| Price {
            input: 1.0,
            output,
            cache_read: 0.1,
            cache_write: 1.25,
            cache_write_1h: 2.0,
        };
        let mut prices = Prices([("large".to_owned(), price(15.0))].into());
        let run = |prices: &Prices| {
            testing::with_variables([("HOME", home.path())], || {
                testing::with_config(prices, || {
                    testing::run_in(&context, log_cost::DEF, &SessionEnd::new("other"))
                })
            })
        };
        run(&prices).assert_user_sees("there is no price for the model `small`");
        prices.0.insert("small".to_owned(), price(0.5));
        run(&prices).assert_passed();
        let log = fs::read_to_string(home.path().join(".claude/costs.jsonl"))?;
        assert!(log.contains(r#""cost":32.0,"tokens":{"large-20260131":{"#), "{log}");
        assert!(log.contains(r#""seconds":"#) && !log.contains(r#""seconds":null"#), "{log}");
        Ok(())
    }
}
// ANCHOR_END: test
