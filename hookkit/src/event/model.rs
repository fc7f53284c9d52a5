//! A change of the session's model.

use crate::wire::wire;

macro_rules! model_switches {
    ($($(#[$about:meta])* $event:ident;)*) => {$(
        wire! {
        $(#[$about])*
        // The cost estimate is the only fraction.
            pub struct $event without Eq {
            /// Id of the previous model.
                from_model: String,
            /// Id of the new model. The matcher is compared with its canonical name.
                to_model: String,
            /// The model as it was requested, such as `sonnet`. `None` means the default model.
                requested_model: Option<String>,
            /// Origin of the switch.
                source: ModelSwitchSource,
            /// Number of tokens in the conversation.
                context_tokens: u64,
            /// `true` if the provider has cached the conversation for the previous model.
                prompt_cache_warm: bool,
            /// Lifetime of the cached conversation.
                cache_ttl: CacheTtl,
            /// Estimated cost of caching the conversation again, in US dollars.
                estimated_cache_write_usd: f64,
            /// Source of the prices in the estimate.
                pricing: Pricing,
            }

            /// Creates a switch for tests.
            pub new $event(from_model: &str, to_model: &str);
        }
    )*};
}

model_switches! {
    /// The session is about to switch to a requested model.
    ///
    /// The client waits 30 s for these hooks. A timeout blocks the switch.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Denies expensive switches.
    /// #[hook(PreModelSwitch)]
    /// pub fn no_expensive_switch(switch: PreModelSwitch) -> Option<PreModelSwitchAnswer> {
    ///     let cost = switch.estimated_cache_write_usd;
    ///     (cost > 1.0).then(|| PreModelSwitchAnswer::deny(format!("the switch costs ${cost:.2}")))
    /// }
    /// # fn main() {}
    /// ```
    PreModelSwitch;

    /// The session switched to another model, for any reason.
    ///
    /// The client waits 30 s for these hooks. They cannot undo the switch.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Briefs the new model after an automatic switch.
    /// #[hook(PostModelSwitch)]
    /// pub fn brief_model(switch: PostModelSwitch) -> Option<PostModelSwitchAnswer> {
    ///     let is_automatic = switch.source == event::ModelSwitchSource::Auto;
    ///     is_automatic.then(|| PostModelSwitchAnswer::pass().with_context("read the plan again: another model wrote it"))
    /// }
    /// # fn main() {}
    /// ```
    PostModelSwitch;
}

wire! {
    /// The origin of a model switch.
    pub enum ModelSwitchSource {
        /// The user, with `/model NAME`.
        Command = "command",
        /// The user, with the list of models.
        Picker = "picker",
        /// The program that runs the client through its SDK.
        Sdk = "sdk",
        /// The client itself. Only in [`PostModelSwitch`].
        Auto = "auto",
        /// A resumed session that had this model. Only in [`PostModelSwitch`].
        Resume = "resume",
    }

    /// The lifetime of a cached conversation.
    pub enum CacheTtl {
        /// Five minutes.
        FiveMinutes = "5m",
        /// An hour.
        OneHour = "1h",
    }

    /// The source of prices.
    pub enum Pricing {
        /// The settings.
        Configured = "configured",
        /// The client's price list.
        Catalog = "catalog",
        /// A guess, for a model that is not in the list.
        Default = "default",
    }
}
