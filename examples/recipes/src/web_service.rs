//! Call a web service.

// ANCHOR: hook
use std::time::Duration;

use hookkit::prelude::*;
use serde::{Deserialize, Serialize};
use ureq::Agent;

/// The configuration.
#[derive(Serialize, Deserialize)]
pub struct Service {
    /// Address that the hook posts the tool's input to.
    url: String,
}

impl Default for Service {
    fn default() -> Self {
        Self {
            url: "http://127.0.0.1:8377/commands".to_owned(),
        }
    }
}

/// Asks a web service about each command. An empty answer has no effect; a text is the reason to deny the command.
#[hook(PreToolUse, timeout = 5)]
pub fn ask_the_service(
    call: PreToolUse<tool::Bash>,
    service: Config<Service>,
    context: Context,
) -> Result<PreToolUseAnswer, Error> {
    // The rest is for the hook's own answer.
    let time = context.time_left().unwrap_or(Duration::from_secs(5)) * 9 / 10;
    let agent: Agent = Agent::config_builder().timeout_global(Some(time)).build().into();
    let reason = agent
        .post(&service.url)
        .content_type("application/json")
        .send(Json::encode(&call.input)?.text())
        .and_then(|mut response| response.body_mut().read_to_string())
        .map_err(|err| Error::msg(format_args!("`{}` did not answer: {err}", service.url)))?;
    Ok(match reason.trim() {
        "" => PreToolUseAnswer::pass(),
        reason => PreToolUseAnswer::deny(reason),
    })
}
// ANCHOR_END: hook

// ANCHOR: test
#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;
    use std::thread;

    use hookkit::Hook;
    use hookkit::testing::{self, Verdict};

    use super::*;

    fn run(server: &TcpListener) -> Result<Verdict, Error> {
        let url = format!("http://{}/", server.local_addr()?);
        let call = PreToolUse::new("Bash", tool::Bash::new("ls"));
        let run = || testing::run(ask_the_service::DEF, &call);
        Ok(testing::with_config(&Service { url }, run))
    }

    /// Runs the hook with a server that answers one request.
    fn answered(status: &str, body: &str) -> Result<Verdict, Error> {
        let server = TcpListener::bind("127.0.0.1:0")?;
        thread::scope(|scope| {
            let verdict = scope.spawn(|| run(&server));
            let mut client = BufReader::new(server.accept()?.0);
            let mut line = String::new();
            while client.read_line(&mut line)? > 2 {
                line.clear();
            }
            let length = body.len();
            write!(
                client.get_mut(),
                "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
            )?;
            // Reads the input, too: closing the connection earlier would reset it.
            let _ = client.fill_buf()?;
            verdict.join().expect("the hook does not panic")
        })
    }

    #[test]
    fn the_service_decides() -> Result<(), Error> {
        answered("200 OK", "")?.assert_passed();
        answered("200 OK", "not on a Friday\n")?.assert_denied("not on a Friday");
        answered("500 Internal Server Error", "")?.assert_denied("http status: 500");
        Ok(())
    }

    #[test]
    fn a_service_that_is_down_denies() -> Result<(), Error> {
        let server = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}/", server.local_addr()?);
        drop(server);
        let call = PreToolUse::new("Bash", tool::Bash::new("ls"));
        let run = || testing::run(ask_the_service::DEF, &call);
        testing::with_config(&Service { url }, run).assert_denied("did not answer");
        Ok(())
    }
}
// ANCHOR_END: test
