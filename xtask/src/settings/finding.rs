//! A finding: a mistake, and its effect, fix and position.

use std::error::Error;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use crate::settings::folders::Scope;
use crate::settings::position::Position;
use crate::terminal::{joined, one_line};

/// The kind of a finding. People search for it, and programs compare it.
pub(crate) type Code = &'static Row;

/// A finding code and its text.
#[derive(Debug, PartialEq)]
pub(crate) struct Row {
    /// Subject, which is the title of a section on the page.
    pub(crate) subject: &'static str,
    /// The code as printed, in kebab case.
    pub(crate) name: &'static str,
    /// Mistake.
    pub(crate) mistake: &'static str,
    /// Consequence in Claude Code.
    pub(crate) effect: &'static str,
    pub(crate) fix: &'static str,
    /// Names of the findings with this code.
    #[cfg(test)]
    pub(crate) findings: &'static [&'static str],
}

impl Row {
    /// Returns a sentence about the mistake and its effect.
    pub(crate) fn cause(&self) -> String {
        [self.mistake, self.effect].join(" ").trim_end().to_owned()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    /// A part of a file that is not read.
    Error,
    /// A part that does not do what it seems to.
    Warning,
    /// A fact, not a fault.
    Note,
}

/// A part of a file, a hook or anything else that differs from the author's expectation. The functions in
/// [`code`](crate::settings::code) create findings.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    pub(crate) code: Code,
    pub(crate) severity: Severity,
    /// Mistake, as a clause.
    pub(crate) what: String,
    /// Consequence in Claude Code, as a clause.
    pub(crate) does: String,
    /// Fix, as a clause. Empty if `what` already contains it.
    pub(crate) fix: String,
    /// Part of the file that Claude Code ignores because of the finding.
    pub(crate) ignored: Ignored,
    /// Scope of the file.
    pub(crate) scope: Option<Scope>,
    pub(crate) file: Option<PathBuf>,
    pub(crate) place: Option<Position>,
    /// Byte range of the mistake in the file. If there is an `edit`, the range of the hook that it changes.
    pub(crate) range: Range<usize>,
    /// Edit that fixes the finding, if there is an unambiguous one.
    pub(crate) edit: Option<Edit>,
    /// Second position of the mistake.
    pub(crate) other: Option<(PathBuf, Position)>,
    /// Name of the finding in the table. A test uses it to check that each finding has a fix that works.
    #[cfg(test)]
    pub(crate) name: &'static str,
}

/// The part of a file that Claude Code ignores because of a mistake.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Ignored {
    /// Nothing that rules about text can detect.
    Nothing,
    /// The whole file: permissions, environment and all hooks.
    File,
    /// The whole plugin: commands, skills and all hooks.
    Plugin,
    /// Everything below `hooks`.
    Hooks,
    /// One event's hooks.
    Event,
    /// A matcher with its hooks.
    Group,
    /// One hook.
    Handler,
    /// Nothing in this file, but all hooks in all files.
    EveryHook,
}

/// An edit that fixes a finding.
///
/// Two edits of a hook may set the same key, so the rules run again after each edit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Edit {
    /// Sets a key of the hook to this value.
    Set { key: &'static str, value: serde_json::Value },
    /// Removes a key of the hook.
    Remove { key: String },
    /// Renames a key of the hook.
    Rename { from: String, to: String },
    /// Removes the group's matcher.
    RemoveMatcher,
    /// Removes the hook, and its group if that is then empty.
    RemoveHook,
    /// Makes a file executable for all users who may read it.
    MakeExecutable(PathBuf),
    /// Removes write access to a file or folder for everyone but its owner and group.
    Protect(PathBuf),
}

/// Returns the name of a code from that of its constant: `not-json` from `NOT_JSON`.
pub(super) const fn kebab<const N: usize>(constant: &str) -> [u8; N] {
    let (mut kebab, mut at) = ([b'-'; N], 0);
    while at < N {
        if constant.as_bytes()[at] != b'_' {
            kebab[at] = constant.as_bytes()[at].to_ascii_lowercase();
        }
        at += 1;
    }
    kebab
}

/// Declares the codes for subjects, with their findings. A finding that no rule reports is dead code, which the lints
/// reject.
macro_rules! codes {
    ($($subject:literal { $($code:ident $mistake:literal $effect:literal => $fix:literal {
        $($severity:ident $finding:ident($($argument:ident),* $(; $($part:ident),*)?) $($what:literal)? $(does $does:literal)? $(fix $own:literal)?;)*
    })* })*) => {
        /// All codes, in the page's order.
        pub(super) const CODES: &[$crate::settings::finding::Code] = &[$($($code,)*)*];
        $($(
            pub(crate) const $code: $crate::settings::finding::Code = &$crate::settings::finding::Row {
                subject: $subject,
                name: {
                    const NAME: [u8; stringify!($code).len()] = $crate::settings::finding::kebab(stringify!($code));
                    match str::from_utf8(&NAME) {
                        Ok(name) => name,
                        Err(_) => stringify!($code),
                    }
                },
                mistake: $mistake,
                effect: $effect,
                fix: $fix,
                #[cfg(test)]
                findings: &[$(stringify!($finding),)*],
            };
            $(
                pub(crate) fn $finding($($argument: impl std::fmt::Display,)* $($($part: impl Into<String>),*)?) -> $crate::settings::finding::Finding {
                    $crate::settings::finding::Finding {
                        $($($part: $part.into(),)*)?
                        $(what: format!($what),)?
                        $(does: format!($does),)?
                        $(fix: format!($own),)?
                        #[cfg(test)]
                        name: stringify!($finding),
                        ..$crate::settings::finding::Finding::new($code, $crate::settings::finding::Severity::$severity)
                    }
                }
            )*
        )*)*
    };
}
pub(super) use codes;

impl Finding {
    /// Returns a finding with the texts of its code.
    pub(super) fn new(code: Code, severity: Severity) -> Self {
        Self {
            code,
            severity,
            what: clause(code.mistake),
            does: clause(code.effect),
            fix: clause(code.fix),
            ignored: Ignored::Nothing,
            scope: None,
            file: None,
            place: None,
            range: 0..0,
            edit: None,
            other: None,
            #[cfg(test)]
            name: "",
        }
    }

    /// Sets the part that Claude Code ignores because of the finding.
    pub(crate) fn ignoring(self, ignored: Ignored) -> Self {
        Self { does: ignored.effect().to_owned(), ignored, ..self }
    }

    pub(crate) fn fixed_by(self, edit: impl Into<Option<Edit>>) -> Self {
        Self { edit: edit.into(), ..self }
    }

    pub(crate) fn setting(self, key: &'static str, value: impl Into<serde_json::Value>) -> Self {
        self.fixed_by(Edit::Set { key, value: value.into() })
    }

    pub(crate) fn removing(self, key: impl Into<String>) -> Self {
        self.fixed_by(Edit::Remove { key: key.into() })
    }

    pub(crate) fn error(self) -> Self {
        Self { severity: Severity::Error, ..self }
    }

    /// Returns `true` if the finding is a fact, not a mistake.
    pub(crate) fn is_note(&self) -> bool {
        self.severity == Severity::Note
    }

    /// Returns `true` if the finding makes Claude Code ignore the whole file or plugin.
    pub(crate) fn is_of_file(&self) -> bool {
        matches!(self.ignored, Ignored::File | Ignored::Plugin)
    }

    /// Returns the finding for another agent's file, without the effects, which apply only to Claude Code.
    pub(crate) fn of_another_agent(mut self: Box<Self>) -> Box<Self> {
        self.does.clear();
        self.fix = joined(self.fix.split("; ").filter(|part| !part.contains("Claude Code")), "; ");
        self
    }

    /// Returns the finding on one line, without its effect.
    pub(crate) fn without_effect(&self) -> String {
        Self { does: String::new(), ..self.clone() }.to_string()
    }
}

/// Returns a sentence from the page as a clause.
fn clause(sentence: &str) -> String {
    let mut clause = sentence.strip_suffix('.').unwrap_or(sentence).to_owned();
    let is_name = clause.starts_with("Claude") || clause[1.min(clause.len())..].starts_with(char::is_uppercase);
    if let Some(first) = clause.get_mut(..1).filter(|_| !is_name) {
        first.make_ascii_lowercase();
    }
    clause
}

/// A reason for not editing a text: it is unclear where the entries belong.
pub(crate) type Refusal = Box<Finding>;

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.map_or_else(String::new, |place| format!("{place}: "));
        let colon = if self.does.is_empty() { "" } else { ": " };
        let Self { what, does, fix, .. } = self;
        f.write_str(&one_line(format_args!("{place}{what}{colon}{does}; {fix}")))
    }
}

impl Error for Finding {}

impl Ignored {
    pub(crate) fn effect(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::File => "Claude Code ignores the whole file because of it",
            Self::Plugin => "Claude Code ignores the whole plugin because of it",
            Self::Hooks => "Claude Code ignores all of `hooks`",
            Self::Event => "Claude Code ignores this key",
            Self::Group => "Claude Code ignores this matcher and its hooks",
            Self::Handler => "Claude Code ignores this hook",
            Self::EveryHook => "Claude Code runs no hook of any settings file",
        }
    }
}
