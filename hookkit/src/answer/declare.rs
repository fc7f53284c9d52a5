//! The macros that declare answers: `answer!` declares a type, and `methods!` its methods.
//!
//! `method!` defines each method once, with its arguments and its meaning, so that a name means the same on every event.

/// Declares an answer: its events, then its methods with their docs.
///
/// The events are a list, or the trait that they implement (`on every TakesContext`).
/// Without events, `Answer` is implemented separately.
macro_rules! answer {
    ($(#[$doc:meta])* $answer:ident on $($event:ident),+; $($methods:tt)*) => {
        answer! { $(#[$doc])* $answer; $($methods)* }
        $(answer! { @impl [] $event, $answer })+
    };
    ($(#[$doc:meta])* $answer:ident on every $events:ident; $($methods:tt)*) => {
        answer! { $(#[$doc])* $answer; $($methods)* }
        answer! { @impl [E: $events] E, $answer }
    };
    ($(#[$doc:meta])* $answer:ident; $($methods:tt)*) => {
        $(#[$doc])*
        #[must_use = "an answer does nothing unless the hook returns it"]
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct $answer {
            meaning: Meaning,
        }

        impl $answer {
            methods! { $($methods)* }

            fn of(meaning: Meaning) -> Self {
                Self { meaning }
            }
        }
    };
    (@impl [$($parameter:tt)*] $event:ident, $answer:ident) => {
        impl<$($parameter)*> Answer<$event> for $answer {
            fn into_response(self, payload: &Payload<'_>) -> Result<Response, Error> {
                self.meaning.response::<$event>(payload)
            }

            fn denial(&self) -> Option<&str> {
                self.meaning.denial::<$event>()
            }
        }
    };
}

/// Declares the methods of an answer with a field `meaning` and a constructor `of`.
macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident($($argument:ident),*);)*) => {
        $(method! { [$(#[$doc])*] $name $name($($argument),*) })*
    };
}

/// Defines a method of an answer. The name is given twice, the first time for its span. A method without docs of its
/// own gets the docs given here.
macro_rules! method {
    ([$($doc:tt)*] $name:ident pass()) => {
        $($doc)*
        pub fn $name() -> Self {
            Self::of(Meaning::default())
        }
    };

    // The decisions.
    ($docs:tt $name:ident allow()) => { method! { @decision $docs $name ALLOW } };
    ($docs:tt $name:ident allow_with_reason(reason)) => { method! { @reasoned $docs $name ALLOW } };
    ($docs:tt $name:ident deny(reason)) => { method! { @reasoned $docs $name DENY } };
    ($docs:tt $name:ident deny_and_interrupt(reason)) => { method! { @reasoned $docs $name DENY, INTERRUPT } };
    ([$($doc:tt)*] $name:ident deny_and_stop(reason, stop_reason)) => {
        $($doc)*
        pub fn $name(reason: impl Into<String>, stop_reason: impl Into<String>) -> Self {
            let mut answer = Self::deny(reason);
            answer.meaning.set(&Member::STOP_REASON, Value::Whole(stop_reason.into()));
            answer
        }
    };
    ($docs:tt $name:ident ask(reason)) => { method! { @reasoned $docs $name ASK } };
    ($docs:tt $name:ident defer()) => { method! { @decision $docs $name DEFER } };
    ($docs:tt $name:ident block()) => { method! { @decision $docs $name BLOCK } };
    ($docs:tt $name:ident block(reason)) => { method! { @reasoned $docs $name BLOCK } };
    ($docs:tt $name:ident block_once(event, reason)) => { method! { @once $docs $name block(reason: String) } };
    ($docs:tt $name:ident block_and_suppress_original_prompt(reason)) => {
        method! { @reasoned $docs $name BLOCK, SUPPRESS_ORIGINAL_PROMPT }
    };
    ($docs:tt $name:ident stop(reason)) => { method! { @reasoned $docs $name STOP } };
    ([$($doc:tt)*] $name:ident context(text)) => {
        $($doc)*
        pub fn $name(text: impl Into<Text>) -> Self {
            let mut answer = Self::pass();
            answer.meaning.context = Some(text.into());
            answer
        }
    };
    ($docs:tt $name:ident context_once(event, text)) => { method! { @once $docs $name context(text: Text) } };
    ([$($doc:tt)*] $name:ident retry()) => {
        $($doc)*
        pub fn $name() -> Self {
            Self::of(Meaning::default().with(&Member::RETRY, Value::True))
        }
    };
    ([$($doc:tt)*] $name:ident accept(content)) => {
        $($doc)*
        pub fn $name(content: Json) -> Self {
            Self::of(Meaning::decided(&Decision::ACCEPT, None).with(&Member::CONTENT, Value::object(&content).into()))
        }
    };
    ($docs:tt $name:ident accept_url()) => { method! { @decision $docs $name ACCEPT } };
    ($docs:tt $name:ident decline()) => { method! { @decision $docs $name DECLINE } };
    ($docs:tt $name:ident cancel()) => { method! { @decision $docs $name CANCEL } };

    // Members that do not belong to one decision.
    ($docs:tt $name:ident with_context(text)) => { method! { @context $docs $name(text) } };
    ($docs:tt $name:ident with_plain_text(text)) => { method! { @context $docs $name(text) } };
    ($docs:tt $name:ident with_classifier_context(text)) => { method! { @text $docs $name(text) CLASSIFIER_CONTEXT } };
    ($docs:tt $name:ident with_initial_user_message(message)) => {
        method! { @text $docs $name(message) INITIAL_USER_MESSAGE }
    };
    ([] $name:ident with_system_message(message)) => {
        method! {
            [
                /// Adds a message that the user reads; the model does not (`systemMessage`).
            ]
            $name with_system_message(message)
        }
    };
    ($docs:tt $name:ident with_system_message(message)) => { method! { @text $docs $name(message) SYSTEM_MESSAGE } };
    ($docs:tt $name:ident with_session_title(title)) => { method! { @whole $docs $name(title) SESSION_TITLE } };
    ($docs:tt $name:ident with_display_content(text)) => { method! { @whole $docs $name(text) DISPLAY_CONTENT } };
    ([] $name:ident with_terminal_sequence(sequence)) => {
        method! {
            [
                /// Adds a sequence for the user's terminal (`terminalSequence`). Untested: no headless session shows it.
            ]
            $name with_terminal_sequence(sequence)
        }
    };
    ([$($doc:tt)*] $name:ident with_terminal_sequence(sequence)) => {
        $($doc)*
        pub fn $name(mut self, sequence: TerminalSequence) -> Self {
            self.meaning.set(&Member::TERMINAL_SEQUENCE, sequence.into());
            self
        }
    };
    ([] $name:ident with_suppress_output()) => {
        method! {
            @flag
            [
                /// Hides the hook's row in the transcript view of the terminal (`suppressOutput`), not the rest of the answer.
                /// Untested: no headless session shows it.
            ]
            $name SUPPRESS_OUTPUT
        }
    };
    ($docs:tt $name:ident with_reload_skills()) => { method! { @flag $docs $name RELOAD_SKILLS } };
    ([$($doc:tt)*] $name:ident with_watch_paths(paths)) => {
        $($doc)*
        pub fn $name(mut self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
            let paths: Vec<PathBuf> = paths.into_iter().map(Into::into).collect();
            self.meaning.set(&Member::WATCH_PATHS, Value::paths(&paths).into());
            self
        }
    };

    // Shapes of methods.
    (@decision [$($doc:tt)*] $name:ident $decision:ident) => {
        $($doc)*
        pub fn $name() -> Self {
            Self::of(Meaning::decided(&Decision::$decision, None))
        }
    };
    (@reasoned [$($doc:tt)*] $name:ident $decision:ident $(, $member:ident)?) => {
        $($doc)*
        pub fn $name(reason: impl Into<String>) -> Self {
            Self::of(
                Meaning::decided(&Decision::$decision, Some(reason.into()))
                    $(.with(&Member::$member, Value::True))?
            )
        }
    };
    (@once [$($doc:tt)*] $name:ident $each_time:ident($argument:ident: $type:ty)) => {
        $($doc)*
        pub fn $name(event: &impl EndOfTurn, $argument: impl Into<$type>) -> Self {
            if event.is_held() {
                Self::pass()
            } else {
                Self::$each_time($argument)
            }
        }
    };
    (@context [$($doc:tt)*] $name:ident($argument:ident)) => {
        $($doc)*
        pub fn $name(mut self, $argument: impl Into<Text>) -> Self {
            self.meaning.context = Some($argument.into());
            self
        }
    };
    (@text [$($doc:tt)*] $name:ident($argument:ident) $member:ident) => {
        $($doc)*
        pub fn $name(mut self, $argument: impl Into<Text>) -> Self {
            self.meaning.set(&Member::$member, Value::Text($argument.into()));
            self
        }
    };
    (@whole [$($doc:tt)*] $name:ident($argument:ident) $member:ident) => {
        $($doc)*
        pub fn $name(mut self, $argument: impl Into<String>) -> Self {
            self.meaning.set(&Member::$member, Value::Whole($argument.into()));
            self
        }
    };
    (@flag [$($doc:tt)*] $name:ident $member:ident) => {
        $($doc)*
        pub fn $name(mut self) -> Self {
            self.meaning.set(&Member::$member, Value::True);
            self
        }
    };
}
