//! Findings of checks, and their conversion to an answer.

use std::borrow::Cow;
use std::fmt;

use super::{PreToolUseAnswer, Unchanged};

/// A finding of a check: a code, the problem, and the fix.
///
/// It is displayed as `[GIT001] The commit has no body. Say why the change is made.`
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Code that identifies the finding, in exceptions and docs.
    pub code: Cow<'static, str>,
    /// Description of the problem.
    pub message: String,
    /// Suggested fix.
    pub fix: Option<String>,
}

impl Finding {
    /// Creates a finding without a fix.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), fix: None }
    }

    /// Adds the fix.
    pub fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] ", self.code)?;
        sentence(f, &self.message)?;
        if let Some(fix) = &self.fix {
            f.write_str(" ")?;
            sentence(f, fix)?;
        }
        Ok(())
    }
}

impl std::error::Error for Finding {}

/// Writes a text as a sentence: capitalizes it, and adds a full stop if it has none.
fn sentence(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let text = text.trim();
    let mut rest = text.chars();
    if let Some(first) = rest.next() {
        write!(f, "{}{}", first.to_uppercase(), rest.as_str())?;
    }
    let is_ended = text.ends_with(['.', '!', '?', ':']) || text.is_empty();
    f.write_str(if is_ended { "" } else { "." })
}

/// The findings of all checks of one call; they become the answer to the call.
///
/// | findings | the call | the model reads | the user reads |
/// |---|---|---|---|
/// | errors | is denied | the errors, and the other findings as context | the errors |
/// | warnings | is left to the permission rules; with [`allow_warnings`](Self::allow_warnings) it runs | the warnings | nothing |
/// | only accepted exceptions | runs without asking the user | the exceptions and their reasons | nothing |
/// | none | is left to the permission rules | nothing | nothing |
///
/// ```
/// use hookkit::answer::{Finding, Findings};
/// use hookkit::prelude::*;
///
/// /// Checks how commits are made.
/// #[hook(PreToolUse, if = "Bash(git commit *)")]
/// pub fn commit(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
///     let mut findings = Findings::new();
///     let command = &call.input.command;
///     if command.contains("--no-verify") {
///         findings.error(Finding::new("GIT002", "the commit skips hooks").with_fix("remove `--no-verify`"));
///     }
///     if !command.contains("--signoff") {
///         findings.warning(Finding::new("GIT010", "the commit is not signed off").with_fix("add `--signoff`"));
///     }
///     findings.into_answer()
/// }
///
/// # fn main() {
/// let call = PreToolUse::new("Bash", tool::Bash::new("git commit --signoff --no-verify"));
/// let denial = "[GIT002] The commit skips hooks. Remove `--no-verify`.";
/// assert_eq!(commit(call), PreToolUseAnswer::deny(denial).with_system_message(format!("Denied:\n- {denial}")));
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    errors: Vec<Finding>,
    warnings: Vec<Finding>,
    accepted: Vec<(Finding, String)>,
    are_warnings_allowed: bool,
}

impl Findings {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding that denies the call.
    pub fn error(&mut self, finding: Finding) {
        self.errors.push(finding);
    }

    /// Adds a finding that the model reads.
    pub fn warning(&mut self, finding: Finding) {
        self.warnings.push(finding);
    }

    /// Adds a finding for which the user made an exception, with the reason. It does not deny the call.
    pub fn accepted(&mut self, finding: Finding, why: impl Into<String>) {
        self.accepted.push((finding, why.into()));
    }

    /// Lets a call with warnings but no errors run without asking the user.
    pub fn allow_warnings(&mut self) {
        self.are_warnings_allowed = true;
    }

    /// Returns the answer to the call. It does not change the call's input.
    pub fn into_answer(self) -> PreToolUseAnswer<Unchanged> {
        let accepted = self.accepted.iter().map(|(finding, why)| {
            let code = &finding.code;
            format!("[{code}] Accepted as an exception: {}", why.trim())
        });
        let warnings = self.warnings.iter().map(Finding::to_string);
        let context: Vec<String> = warnings.chain(accepted).collect();
        let answer = if !self.errors.is_empty() {
            let errors: Vec<String> = self.errors.iter().map(Finding::to_string).collect();
            let message = format!("Denied:\n- {}", errors.join("\n- "));
            PreToolUseAnswer::deny(errors.join("\n")).with_system_message(message)
        } else if context.is_empty() || !(self.warnings.is_empty() || self.are_warnings_allowed) {
            PreToolUseAnswer::pass()
        } else {
            PreToolUseAnswer::allow()
        };
        if context.is_empty() { answer } else { answer.with_context(context.join("\n")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_reads_as_sentences() {
        for (message, fix, text) in [
            ("no body", None, "[A1] No body."),
            ("`x` is gone!", Some("use `y`"), "[A1] `x` is gone! Use `y`."),
            (" Done. ", Some("ärger"), "[A1] Done. Ärger."),
        ] {
            let mut finding = Finding::new("A1", message);
            finding.fix = fix.map(str::to_owned);
            assert_eq!(finding.to_string(), text);
        }
    }

    #[test]
    fn findings_decide_the_answer() {
        let finding = || Finding::new("A1", "no body").with_fix("write one");
        let text = "[A1] No body. Write one.";
        let of = |add: fn(&mut Findings, Finding)| {
            let mut findings = Findings::new();
            add(&mut findings, finding());
            findings
        };
        let warned = of(Findings::warning);
        let accepted = of(|findings, finding| findings.accepted(finding, "the user said so"));
        let exception = "[A1] Accepted as an exception: the user said so";

        assert_eq!(Findings::new().into_answer(), PreToolUseAnswer::pass());
        let expected = PreToolUseAnswer::pass().with_context(text);
        assert_eq!(warned.clone().into_answer(), expected);
        let expected = PreToolUseAnswer::allow().with_context(exception);
        assert_eq!(accepted.clone().into_answer(), expected);

        let mut both = warned.clone();
        both.accepted = accepted.accepted;
        let lines = format!("{text}\n{exception}");
        let expected = PreToolUseAnswer::pass().with_context(lines.as_str());
        assert_eq!(both.clone().into_answer(), expected);
        let mut allowed = both.clone();
        allowed.allow_warnings();
        let expected = PreToolUseAnswer::allow().with_context(lines.as_str());
        assert_eq!(allowed.into_answer(), expected);

        both.error(finding());
        both.error(Finding::new("B2", "no title"));
        let denial = PreToolUseAnswer::deny(format!("{text}\n[B2] No title."))
            .with_system_message(format!("Denied:\n- {text}\n- [B2] No title."))
            .with_context(lines);
        assert_eq!(both.into_answer(), denial);
    }
}
