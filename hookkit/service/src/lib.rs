//! Answers Claude Code's HTTP hooks: a tower service of hookkit's hooks.
//!
//! A [`Service`] answers `POST /hooks/NAME` with the answer of the hook of this name, `GET /healthz`, and `GET
//! /metrics` in the text format of OpenMetrics. All requests except `/healthz` need a key. The service runs in any
//! server for tower (axum, hyper, Lambda); `cargo xtask new service` makes a program with axum. The hooks are the
//! functions of a pack, unchanged:
//!
//! ```
//! use hookkit::prelude::*;
//! use hookkit_service::{Keys, Service, hooks};
//!
//! /// Keeps Claude from publishing packages.
//! #[hook(PreToolUse, matcher = "Bash")]
//! pub fn deny_publish(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
//!     match call.input.command.contains("cargo publish") {
//!         true => PreToolUseAnswer::deny("the release workflow publishes: push a tag"),
//!         false => PreToolUseAnswer::pass(),
//!     }
//! }
//!
//! # fn main() -> Result<(), hookkit::Error> {
//! let address = "127.0.0.1:8787".parse().unwrap();
//! let service = Service::new(hooks![deny_publish], Keys::none(), address)?;
//! let body = br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"cargo publish"}}"#;
//! let answer = service.answer(&http::Request::post("/hooks/deny-publish").body(body).unwrap());
//! assert!(String::from_utf8_lossy(answer.body()).contains("the release workflow publishes"));
//! # Ok(())
//! # }
//! ```
//!
//! # What the client does
//!
//! Claude Code (2.1.332) accepts an answer with a status from 200 to 299. If the status is any other, if there is no
//! answer, or after the entry's `timeout` (600 seconds by default), it lets the action go ahead, unless the entry has
//! `onFailure: "block"`, which `cargo xtask install --http` writes for guards. So a hook that fails answers 200, with
//! the decision of its failure policy. Only a request that is not allowed gets another status: 401 without a key. Over
//! HTTP, the client does not call hooks on SessionStart and Setup, ignores `async`, and sends none of its variables: a
//! hook that needs them [does not compile](hooks) into a service.

mod keys;
mod metrics;
mod tower;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookkit::{Error, HookDef, service as runtime};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{Method, Request, Response, StatusCode};

pub use keys::Keys;
use metrics::Metrics;

#[doc(hidden)]
pub mod __private {
    pub use hookkit::__private::check_remote;
    pub use hookkit::{Hook, HookDef};
}

/// Lists hooks for a [`Service`], given their paths. A hook that cannot answer over HTTP does not compile.
///
/// ```compile_fail,E0080
/// use hookkit::prelude::*;
///
/// /// Greets in the folder of the session.
/// #[hook(UserPromptSubmit)]
/// pub fn greet(context: Context) -> UserPromptSubmitAnswer {
///     UserPromptSubmitAnswer::pass().with_context(context.cwd.display().to_string())
/// }
///
/// # fn main() {
/// // error: a service has no `Context`: its folders and its transcript are on the user's machine …
/// let hooks = hookkit_service::hooks![greet];
/// # }
/// ```
#[macro_export]
macro_rules! hooks {
    ($($hook:path),+ $(,)?) => {{
        const HOOKS: &[&$crate::__private::HookDef] = &[$({
            $crate::__private::check_remote(
                <$hook as $crate::__private::Hook>::DEF,
                &<$hook as $crate::__private::Hook>::SOURCE,
            );
            <$hook as $crate::__private::Hook>::DEF
        }),+];
        HOOKS
    }};
}

/// Default limit of a request's body, in bytes: 32 MiB. The client sends whole tool outputs.
const LIMIT: usize = 32 << 20;

/// A tower service that answers with hooks. Clones share their state.
#[derive(Clone)]
pub struct Service(Arc<Inner>);

struct Inner {
    hooks: &'static [&'static HookDef],
    keys: Keys,
    limit: usize,
    metrics: Metrics,
    observer: Box<dyn Fn(&Answered<'_>) + Send + Sync>,
}

/// An answer that a service gave, for its log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answered<'a> {
    /// The hook's name.
    pub hook: &'static str,
    /// Name of the key that the request was sent with.
    pub key: Option<&'a str>,
    /// The one-word decision from [`decision`](hookkit::service::decision).
    pub decision: &'a str,
    /// The line that a failed hook printed. It may quote the payload.
    pub failure: Option<&'a str>,
    /// The time that the hook took.
    pub took: Duration,
}

impl Service {
    /// Creates a service that will listen on an address.
    ///
    /// # Errors
    ///
    /// Fails if there are no keys and the address is not on the loopback interface, or if two hooks have the same name.
    pub fn new(hooks: &'static [&'static HookDef], keys: Keys, address: SocketAddr) -> Result<Self, Error> {
        if keys.is_empty() && !address.ip().is_loopback() {
            return Err(Error::msg(format_args!(
                "anyone who reaches {address} could use these hooks: give the service keys, or listen on 127.0.0.1"
            )));
        }
        for (at, hook) in hooks.iter().enumerate() {
            let name = hook.declared.name;
            if hooks[..at].iter().any(|other| other.declared.name == name) {
                return Err(Error::msg(format_args!(
                    "two hooks are called `{name}`: leave one out, or rename it with `name = \"…\"`"
                )));
            }
        }
        Ok(Self(Arc::new(Inner { hooks, keys, limit: LIMIT, metrics: Metrics::default(), observer: Box::new(|_| ()) })))
    }

    /// Sets the limit of a request's body, in bytes. A larger body is answered by the hook's failure policy.
    ///
    /// # Panics
    ///
    /// Panics if the service has been cloned.
    #[must_use]
    pub fn with_limit(mut self, bytes: usize) -> Self {
        self.inner().limit = bytes;
        self
    }

    /// Calls a function after each answer of a hook, for example to log it.
    ///
    /// # Panics
    ///
    /// Panics if the service has been cloned.
    #[must_use]
    pub fn observed(mut self, observer: impl Fn(&Answered<'_>) + Send + Sync + 'static) -> Self {
        self.inner().observer = Box::new(observer);
        self
    }

    fn inner(&mut self) -> &mut Inner {
        Arc::get_mut(&mut self.0).expect("set up a service before you clone it")
    }

    /// Answers a request whose body is in memory. It takes as long as the hook does.
    pub fn answer(&self, request: &Request<impl AsRef<[u8]>>) -> Response<Vec<u8>> {
        let asked = match self.asked(request) {
            Ok(asked) => asked,
            Err(plain) => return plain.response(),
        };
        match request.body().as_ref() {
            body if body.len() > self.0.limit => self.refuse(&asked, &self.too_large()),
            body => self.run(&asked, |hook, key| runtime::answer(hook, body, key)),
        }
    }

    /// Returns the requested hook, or the answer to a request without one. The body is not read.
    fn asked<B>(&self, request: &Request<B>) -> Result<Asked<'_>, Plain> {
        let path = request.uri().path();
        if (request.method(), path) == (&Method::GET, "/healthz") {
            return Err(Plain(StatusCode::OK, TEXT, "ok\n".to_owned()));
        }
        let header = request.headers().get(AUTHORIZATION);
        let Some(key) = self.0.keys.name_of(header) else {
            self.0.metrics.refused();
            return Err(StatusCode::UNAUTHORIZED.into());
        };
        let Some(name) = path.strip_prefix("/hooks/") else {
            return Err(match (request.method(), path) {
                (&Method::GET, "/metrics") => Plain(StatusCode::OK, metrics::CONTENT_TYPE, self.0.metrics.text()),
                _ => StatusCode::NOT_FOUND.into(),
            });
        };
        if request.method() != Method::POST {
            return Err(StatusCode::METHOD_NOT_ALLOWED.into());
        }
        let hook = self.0.hooks.iter().find(|hook| hook.declared.name == name);
        let hook = hook.ok_or(StatusCode::NOT_FOUND)?;
        Ok(Asked { hook, key })
    }

    /// Returns the answer of a hook whose request cannot be read.
    fn refuse(&self, asked: &Asked<'_>, why: &str) -> Response<Vec<u8>> {
        self.run(asked, |hook, _| Some(runtime::failed(hook, why)))
    }

    fn too_large(&self) -> String {
        format!("the payload is larger than {} bytes, the limit of the service", self.0.limit)
    }

    fn run(
        &self,
        asked: &Asked<'_>,
        answer: impl FnOnce(&'static HookDef, Option<&str>) -> Option<hookkit::Response>,
    ) -> Response<Vec<u8>> {
        let started = Instant::now();
        let Some(response) = answer(asked.hook, asked.key) else {
            // With this status, the entry's `onFailure` decides.
            return Plain(StatusCode::UNPROCESSABLE_ENTITY, TEXT, "the hook is for other events\n".to_owned())
                .response();
        };
        let took = started.elapsed();
        let decision = runtime::decision(&response);
        let answered = Answered {
            hook: asked.hook.declared.name,
            key: asked.key,
            decision: &decision,
            failure: Some(response.stderr.trim_end()).filter(|line| !line.is_empty()),
            took,
        };
        self.0.metrics.count(&answered);
        (self.0.observer)(&answered);
        // Over HTTP, an answer without JSON is a failure; from a process, it means "no opinion".
        let body = match response.stdout.is_empty() {
            true => b"{}".to_vec(),
            false => response.stdout,
        };
        typed(StatusCode::OK, "application/json", body)
    }
}

/// An authorized request for a hook.
struct Asked<'a> {
    hook: &'static HookDef,
    /// The name of the request's key; `None` if the service has no keys.
    key: Option<&'a str>,
}

/// An answer that does not come from a hook: its status, the media type, and the text.
struct Plain(StatusCode, &'static str, String);

const TEXT: &str = "text/plain; charset=utf-8";

impl From<StatusCode> for Plain {
    fn from(status: StatusCode) -> Self {
        Self(status, TEXT, String::new())
    }
}

impl Plain {
    fn response(self) -> Response<Vec<u8>> {
        let Self(status, content_type, text) = self;
        typed(status, content_type, text.into_bytes())
    }
}

fn typed(status: StatusCode, content_type: &'static str, body: Vec<u8>) -> Response<Vec<u8>> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let value = http::HeaderValue::from_static(content_type);
    response.headers_mut().insert(CONTENT_TYPE, value);
    response
}

#[cfg(test)]
#[allow(unreachable_pub, reason = "hooks are public")]
mod tests;
