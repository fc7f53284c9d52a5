//! Formats the message for a fault in an attribute.

use hookkit_protocol::lint::Fault;

/// The hint for keeping a value unchanged.
pub(crate) const WAY_PAST: &str = "(if it is intended, write `unchecked(…)` around it)";

/// Returns the message of a fault.
pub(crate) fn message(fault: &Fault) -> String {
    if fault.may_be_intended { format!("{fault} {WAY_PAST}") } else { fault.to_string() }
}
