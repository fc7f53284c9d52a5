//! The tools that help a new user.

use serde::{Deserialize, Serialize};

use super::{is_false, or_default, tool};
use crate::open::open_enum;

tool! { ShowOnboardingRolePicker = "ShowOnboardingRolePicker" => ShowOnboardingRolePickerResponse }
tool! { OfferChromeSetup = "OfferChromeSetup" => OfferChromeSetupResponse }

/// Asks the user what they work as.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShowOnboardingRolePicker {}

/// What [`ShowOnboardingRolePicker`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ShowOnboardingRolePickerResponse {
    /// What the user chose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Whether the user chose nothing.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub dismissed: bool,
}

/// Offers the user to set up the browser.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OfferChromeSetup {
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What [`OfferChromeSetup`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct OfferChromeSetupResponse {
    /// What came of it.
    pub outcome: ChromeSetup,
}

open_enum! {
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
