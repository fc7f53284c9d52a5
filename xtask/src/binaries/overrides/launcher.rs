//! Generates the code of a launcher, and translates rustc's errors about it.

use std::fmt::{Debug, Write as _};

use hookkit_protocol::hook::Written;
use serde::Deserialize;
use serde_json::Value;

use crate::binaries::definition::Definition;
use crate::binaries::overrides::read::{Override, Stated, TomlKey};
use crate::terminal::joined;

impl Override {
    /// Returns the launcher's code. It always includes the matcher and the `if`, which are checked against each other.
    pub(super) fn launcher(&self, hook: &Definition, config: Option<&Value>) -> String {
        let of_author = |value: Option<&String>, written: Option<Written>| {
            let value = value?.clone();
            written.map(|written| Stated { value, written })
        };
        let authors_matcher = hook.entries.first().and_then(|entry| entry.matcher.as_ref());
        let matcher = self.matcher.clone().or_else(|| of_author(authors_matcher, hook.written_matcher));
        let condition = self.condition.clone();
        let condition = condition.or_else(|| of_author(hook.declared.condition.as_ref(), hook.written_condition));
        let mut code = format!("hookkit::__private::overridden! {{\n    {},\n    [\n", hook.path_from_outside());
        // Writing to a string cannot fail.
        for (name, value) in &self.env {
            let _ = writeln!(code, "        ({name:?}, {value:?}),");
        }
        let events = joined(hook.entries.iter().map(|entry| &*entry.event), " | ");
        let _ = writeln!(code, "    ],");
        if let Some(config) = config {
            let _ = writeln!(code, "    {:?},", config.to_string());
        }
        let _ = writeln!(code, "    {events},");
        let mut line = |option: &'static str, code_of_option: String| {
            let mut place = TomlKey::of(&self.key);
            if self.options.contains(&option) {
                place = place.option(option);
            }
            let _ = writeln!(code, "    {code_of_option}, {MARK}{place}");
        };
        if let Some(option) = hook.declared.mode.option() {
            line(option, option.to_owned());
        }
        if let Some(matcher) = matcher {
            line("matcher", format!("matcher = {}", matcher.code()));
        }
        if let Some(condition) = condition {
            line("if", format!("if = {}", condition.code()));
        }
        if let Some(timeout) = &self.timeout {
            line("timeout", format!("timeout = {}", timeout.code()));
        }
        if let Some(policy) = self.on_failure {
            line("on-failure", format!("on_failure = {}", policy.word()));
        }
        if let Some(message) = &self.status_message {
            line("status-message", format!("status_message = {message:?}"));
        }
        if let Some(name) = &self.name {
            line("name", format!("name = {name:?}"));
        }
        code + "}\n"
    }
}

impl<V: Debug> Stated<V> {
    /// Returns the value as code for an attribute.
    fn code(&self) -> String {
        match self.written {
            Written::Checked => format!("{:?}", self.value),
            Written::Unchecked => format!("unchecked({:?})", self.value),
        }
    }
}

impl Definition {
    /// Returns the code of the order's launcher.
    pub(crate) fn launcher(&self) -> String {
        self.changes.launcher.clone().unwrap_or_else(|| format!("hookkit::main!({});\n", self.path_from_outside()))
    }

    /// Returns the name of the hook's binary during the build. The hook's name in the workspace is not checked yet and
    /// may not be unique.
    pub(crate) fn target_name(&self) -> String {
        match self.changes.former_name {
            None => self.declared.name.clone(),
            Some(_) => self.declared.path.replace("::", "__").replace("r#", ""),
        }
    }
}

/// The comment in a launcher that precedes the origin of a line.
const MARK: &str = "// from ";

/// A span in a message of rustc.
#[derive(Deserialize)]
pub(crate) struct Spot {
    is_primary: bool,
    text: Vec<SourceLine>,
    /// The macro expansion that contains the span. An assertion's span is in the standard library.
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    /// Span of the macro call.
    span: Spot,
}

#[derive(Deserialize)]
struct SourceLine {
    text: String,
}

/// Translates rustc's message about a launcher into an error in the workspace's Cargo.toml, if a value there causes it.
pub(crate) fn refusal(message: &str, spots: &[Spot]) -> Option<String> {
    let spot = spots.iter().find(|spot| spot.is_primary)?;
    let (_, place) = spot.line()?.rsplit_once(MARK)?;
    // rustc's prefix before an assertion's message.
    let message = message.strip_prefix("evaluation panicked: ").unwrap_or(message);
    Some(format!("{place}: {message}"))
}

impl Spot {
    /// Returns the source line outside of macro expansions.
    fn line(&self) -> Option<&str> {
        match &self.expansion {
            Some(expansion) => expansion.span.line(),
            None => self.text.first().map(|line| line.text.as_str()),
        }
    }
}
