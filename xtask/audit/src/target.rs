//! Receivers of an audit: a collector, a file, or stdout.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use hookkit_spool::HEAD;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use ureq::Agent;
use ureq::http::Uri;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

use crate::{Answer, message};

/// A receiver of audit lines.
pub struct Target(Kind);

enum Kind {
    /// A collector that accepts OTLP over HTTP, in JSON.
    Collector {
        /// The HTTP client.
        agent: Agent,
        /// The URL, with its path.
        url: String,
        /// Names and values of the headers.
        headers: Vec<(String, String)>,
    },
    /// A file to append to, which only this program writes.
    File(PathBuf),
    /// Standard output.
    Stdout,
}

/// Maximum delay that a receiver can request.
const LONGEST: Duration = Duration::from_secs(60);

impl Target {
    /// Parses `otlp://HOST`, a URL with its path, `file:PATH` or `stdout`. `variable` looks up the variables of OTLP
    /// exporters.
    ///
    /// # Errors
    ///
    /// Fails for any other form, and for a URL without TLS on another machine.
    pub fn parse(to: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        if to == "stdout" {
            return Ok(Self(Kind::Stdout));
        }
        if let Some(path) = to.strip_prefix("file:") {
            return Ok(Self(Kind::File(path.into())));
        }
        let url = match to.strip_prefix("otlp://") {
            Some(host) => {
                let named: Uri = format!("https://{host}").parse()?;
                let port = named.port_u16().map_or(":4318", |_| "");
                let scheme = if is_local(&named) { "http" } else { "https" };
                format!("{scheme}://{}{port}/v1/logs", host.trim_end_matches('/'))
            }
            None => to.to_owned(),
        };
        let uri: Uri = url.parse().with_context(|| format!("`{to}` is not an address"))?;
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") => {
                ensure!(is_local(&uri), "{url} has no TLS: others could read the audit in transit; write https://")
            }
            _ => bail!("`{to}` is not an address: write otlp://HOST, https://HOST/v1/logs, file:PATH or stdout"),
        }
        let mut tls = TlsConfig::builder();
        if let Some(file) = variable("OTEL_EXPORTER_OTLP_CERTIFICATE") {
            let pem = std::fs::read(&file).with_context(|| format!("reading {file}"))?;
            let certificates = parse_pem(&pem).filter_map(|item| match item {
                Ok(PemItem::Certificate(certificate)) => Some(certificate),
                _ => None,
            });
            tls = tls.root_certs(RootCerts::new_with_certs(&certificates.collect::<Vec<_>>()));
        }
        let mut agent = Agent::config_builder();
        if is_local(&uri) {
            agent = agent.proxy(None);
        }
        let agent = agent
            .tls_config(tls.build())
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(Duration::from_secs(30)))
            .build();
        Ok(Self(Kind::Collector {
            agent: agent.into(),
            url,
            headers: headers(&variable("OTEL_EXPORTER_OTLP_HEADERS").unwrap_or_default())?,
        }))
    }

    /// Sends a batch once.
    pub(crate) fn send(&self, lines: &[&[u8]]) -> Result<Answer> {
        let text = || lines.iter().flat_map(|line| [*line, b"\n"]).collect::<Vec<_>>().concat();
        match &self.0 {
            Kind::Collector { agent, url, headers } => {
                let mut request = agent.post(url).header("content-type", "application/json");
                for (name, value) in headers {
                    request = request.header(&**name, &**value);
                }
                answer(request.send(&message(lines)?[..]), url)
            }
            Kind::File(path) => {
                let named = || format!("appending to {}", path.display());
                let mut options = OpenOptions::new();
                let open = options.read(true).append(true).create(true).mode(0o600).open(path);
                let file = open.with_context(named)?;
                ensure!(
                    is_own(&file).with_context(named)?,
                    "{} does not begin with an audit line, so it was not changed; use a new file",
                    path.display()
                );
                // A killed run may have left half a line.
                hookkit_spool::whole(&file, file.metadata()?.len()).with_context(named)?;
                (&file).write_all(&text()).and_then(|()| file.sync_data()).with_context(named)?;
                Ok(Answer::Taken(0, String::new()))
            }
            Kind::Stdout => {
                io::stdout().write_all(&text()).context("stdout")?;
                Ok(Answer::Taken(0, String::new()))
            }
        }
    }
}

/// Parses the names and values of headers in a variable. Errors never quote an entry, which may be a secret.
fn headers(text: &str) -> Result<Vec<(String, String)>> {
    let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let header = |entry: &str| {
        let (name, value) = entry.split_once('=').context(
            "an entry of OTEL_EXPORTER_OTLP_HEADERS has no `=`: write NAME=VALUE,NAME=VALUE, and %2C for a comma in a value",
        )?;
        let value = percent_decode_str(value.trim()).decode_utf8();
        let value = value.context("a value in OTEL_EXPORTER_OTLP_HEADERS is not UTF-8")?;
        Ok((name.trim().to_owned(), value.into_owned()))
    };
    entries.map(header).collect()
}

/// Returns `true` for a regular file that is empty, or begins like an audit line.
fn is_own(file: &File) -> io::Result<bool> {
    let mut begin = Vec::new();
    let is_file = file.metadata()?.is_file();
    if is_file {
        file.take(HEAD.len() as u64).read_to_end(&mut begin)?;
    }
    Ok(is_file && HEAD.as_bytes().starts_with(&begin))
}

/// Returns the meaning of a response, according to the OTLP specification 1.9.
fn answer(answered: Result<ureq::http::Response<ureq::Body>, ureq::Error>, url: &str) -> Result<Answer> {
    let mut answer = match answered {
        Ok(answer) => answer,
        Err(err) => {
            return Ok(Answer::Later(anyhow::Error::new(err).context(url.to_owned()), Duration::ZERO));
        }
    };
    let status = answer.status().as_u16();
    let seconds = answer.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
    let read = answer.body_mut().with_config().limit(64 << 10).read_to_vec();
    let text = String::from_utf8_lossy(read.as_deref().unwrap_or_default());
    let said = || anyhow::anyhow!("{url} answers {status}: {}", text.chars().take(500).collect::<String>());
    match status {
        // The receiver may have accepted them.
        200..=299 if matches!(&read, Err(err) if !matches!(err, ureq::Error::BodyExceedsLimit(_))) => {
            Ok(Answer::Later(said().context("the answer is cut off"), Duration::ZERO))
        }
        200..=299 => {
            let is_empty = read.is_ok() && text.trim().is_empty();
            let mut answered = serde_json::from_str::<Value>(&text).unwrap_or_default();
            ensure!(
                is_empty || answered.is_object(),
                "`{url}` does not answer like a collector; a collector's address ends in /v1/logs"
            );
            let partial = answered["partialSuccess"].take();
            let rejected = &partial["rejectedLogRecords"];
            let rejected = rejected.as_u64().or_else(|| rejected.as_str()?.parse().ok()).unwrap_or_default();
            Ok(Answer::Taken(rejected, partial["errorMessage"].as_str().unwrap_or_default().to_owned()))
        }
        400 | 413 => Ok(Answer::Refused(said())),
        429 | 502 | 503 | 504 => {
            let least = Duration::from_secs(seconds.unwrap_or_default()).min(LONGEST);
            Ok(Answer::Later(said(), least))
        }
        _ => Err(said()),
    }
}

/// Returns `true` for an address on this machine.
fn is_local(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_on_another_machine_has_tls_and_the_headers_are_those_of_otlp() {
        let url = |to: &str| match Target::parse(to, |_| None) {
            Ok(Target(Kind::Collector { url, .. })) => url,
            Ok(_) => "no collector".to_owned(),
            Err(err) => err.to_string(),
        };
        for (to, expected) in [
            ("otlp://otel.example.com", "https://otel.example.com:4318/v1/logs"),
            ("otlp://otel.example.com:443/", "https://otel.example.com:443/v1/logs"),
            ("otlp://127.0.0.1", "http://127.0.0.1:4318/v1/logs"),
            ("otlp://[::1]:9", "http://[::1]:9/v1/logs"),
            ("https://logs.example.com/otlp/v1/logs", "https://logs.example.com/otlp/v1/logs"),
            ("http://localhost:1/v1/logs", "http://localhost:1/v1/logs"),
            ("file:/a", "no collector"),
        ] {
            assert_eq!(url(to), expected);
        }
        assert!(url("http://otel.example.com/v1/logs").contains("has no TLS"));
        assert!(url("syslog://localhost").contains("write otlp://HOST"));
        let variable = |name: &str| {
            (name == "OTEL_EXPORTER_OTLP_HEADERS").then(|| "a=1, authorization=Bearer%20x=,c=%2C%,".to_owned())
        };
        let Ok(Target(Kind::Collector { headers, .. })) = Target::parse("otlp://h", variable) else {
            panic!("no collector")
        };
        let err = super::headers("a=1,secret").map_err(|err| err.to_string()).unwrap_err();
        assert!(err.contains("has no `=`") && !err.contains("secret"), "{err}");
        let expected = [("a", "1"), ("authorization", "Bearer x="), ("c", ",%")];
        assert_eq!(headers, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
