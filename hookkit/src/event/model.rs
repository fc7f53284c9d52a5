//! A change of the session's model.

use crate::wire::wire;

macro_rules! model_switches {
    ($($(#[$about:meta])* $event:ident;)*) => {$(
        wire! {
        $(#[$about])*
        // What the estimate has no other measure for: a hook on this event has what reads fractions.
            pub struct $event without Eq {
            /// The id of the model that the session has, or had.
                from_model: String,
            /// The id of the model that it is to have, or has. The matcher is compared with the canonical name of it.
                to_model: String,
            /// The model as it was asked for: `sonnet`, say. `None`: the default.
                requested_model: Option<String>,
            /// Cause of the switch.
                source: ModelSwitchSource,
            /// Number of tokens in the conversation.
                context_tokens: u64,
            /// `true` if the provider has the conversation in its cache for the model before.
                prompt_cache_warm: bool,
            /// Time for which the provider keeps it there.
                cache_ttl: CacheTtl,
            /// Estimated price of writing the conversation into the cache again, in US dollars.
                estimated_cache_write_usd: f64,
            /// Source of the prices of the estimate.
                pricing: Pricing,
            }

            /// A switch, for a test.
            pub new $event(from_model: &str, to_model: &str);
        }
    )*};
}

model_switches! {
    /// The session is about to take another model that was asked for.
    ///
    /// The client waits 30 s for such hooks, and refuses the switch at a timeout.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Keeps the model where a switch is dear.
    /// #[hook(PreModelSwitch)]
    /// pub fn no_dear_switch(switch: PreModelSwitch) -> Option<PreModelSwitchAnswer> {
    ///     let cost = switch.estimated_cache_write_usd;
    ///     (cost > 1.0).then(|| PreModelSwitchAnswer::deny(format!("the switch costs ${cost:.2}")))
    /// }
    /// # fn main() {}
    /// ```
    PreModelSwitch;

    /// The session has another model, for whatever cause.
    ///
    /// The client waits 30 s for such hooks. Nothing can be undone.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Reports a switch that the user did not ask for to the new model.
    /// #[hook(PostModelSwitch)]
    /// pub fn by_itself(switch: PostModelSwitch) -> Option<PostModelSwitchAnswer> {
    ///     let is_automatic = switch.source == event::ModelSwitchSource::Auto;
    ///     is_automatic.then(|| PostModelSwitchAnswer::pass().with_context("read the plan again: another model wrote it"))
    /// }
    /// # fn main() {}
    /// ```
    PostModelSwitch;
}

wire! {
    /// A cause for a switch of the model.
    pub enum ModelSwitchSource {
        /// The user, by `/model` and the model's name.
        Command = "command",
        /// The user, who picked it from the list.
        Picker = "picker",
        /// The program that runs the client by its SDK.
        Sdk = "sdk",
        /// The client itself. Only after the switch.
        Auto = "auto",
        /// A session was resumed that had it. Only after the switch.
        Resume = "resume",
    }

    /// The time for which a provider keeps a conversation in its cache.
    pub enum CacheTtl {
        /// Five minutes.
        FiveMinutes = "5m",
        /// An hour.
        OneHour = "1h",
    }

    /// A source of prices.
    pub enum Pricing {
        /// The settings.
        Configured = "configured",
        /// The client's list.
        Catalog = "catalog",
        /// A guess, for a model that is not in the list.
        Default = "default",
    }
}
