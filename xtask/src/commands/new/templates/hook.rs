//! Hooks of this pack.

use hookkit::prelude::*;

/// @unwritten@
@on_failure@#[hook(@event@@matcher@)]
pub fn @name@(_event: @type@)@answers@ {
    @body@
}

#[cfg(test)]
mod tests {
    use hookkit::{Hook, testing};

    use super::@name@;

    const RECORDED: &[u8] = include_bytes!("../tests/payloads/@name@.json");

    #[test]
    fn an_ordinary_event_passes() {
        testing::run_recorded(@name@::DEF, RECORDED).assert_passed();
@refused@    }
}
