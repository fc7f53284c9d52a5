//! Verdicts by the spec, without a client.
