//! The tools that help a new user.

use super::tool;
use crate::wire::wire;

tool! { ShowOnboardingRolePicker = "ShowOnboardingRolePicker" => ShowOnboardingRolePickerResponse }
tool! { OfferChromeSetup = "OfferChromeSetup" => OfferChromeSetupResponse }

wire! {
    /// Asks the user what they work as.
    pub struct ShowOnboardingRolePicker {}

    /// What [`ShowOnboardingRolePicker`] gives back.
    pub struct ShowOnboardingRolePickerResponse with defaults {
        /// What the user chose.
        role: Option<String>,
        /// Whether the user chose nothing.
        dismissed?: bool,
    }

    /// Offers the user to set up the browser.
    pub struct OfferChromeSetup {
        /// Why.
        reason: Option<String>,
    }

    /// What [`OfferChromeSetup`] gives back.
    pub struct OfferChromeSetupResponse with defaults {
        /// What came of it.
        outcome: ChromeSetup,
    }

    /// What came of the offer to set up the browser.
    pub enum ChromeSetup {
        /// The browser is connected.
        Connected = "connected",
        /// The user does not want it now.
        NotNow = "not_now",
        /// The user has not tried yet.
        NoAttemptYet = "no_attempt_yet",
    }
}
