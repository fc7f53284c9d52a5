//! Tools that help new users.

use super::tool;
use crate::wire::wire;

tool! { ShowOnboardingRolePicker = "ShowOnboardingRolePicker" => ShowOnboardingRolePickerResponse }
tool! { OfferChromeSetup = "OfferChromeSetup" => OfferChromeSetupResponse }

wire! {
    /// Input of `ShowOnboardingRolePicker`, which asks the user for their role.
    pub struct ShowOnboardingRolePicker {}

    /// Response of [`ShowOnboardingRolePicker`].
    pub struct ShowOnboardingRolePickerResponse with defaults {
        /// Role that the user chose.
        role: Option<String>,
        /// `true` if the user chose nothing.
        dismissed?: bool,
    }

    /// Input of `OfferChromeSetup`, which offers to set up the browser for the user.
    pub struct OfferChromeSetup {
        /// Reason for the offer.
        reason: Option<String>,
    }

    /// Response of [`OfferChromeSetup`].
    pub struct OfferChromeSetupResponse with defaults {
        /// Outcome of the offer.
        outcome: ChromeSetup,
    }

    /// Outcome of the offer to set up the browser.
    pub enum ChromeSetup {
        /// The browser is connected.
        Connected = "connected",
        /// The user declined for now.
        NotNow = "not_now",
        /// The user has not tried yet.
        NoAttemptYet = "no_attempt_yet",
    }
}
