//! What the hooks of this file are for.

use hookkit::prelude::*;

/// What it does, where it stays silent, and what it cannot see: whoever installs it reads this.
#[hook(@event@@matcher@)]
pub fn @name@(_event: @type@)@answers@ {
    @body@
}

#[cfg(test)]
mod tests {
    use hookkit::{Hook, Payload, Response, respond};

    use super::@name@;

    const RECORDED: &[u8] = include_bytes!("../tests/payloads/@name@.json");

    #[test]
    fn an_ordinary_event_gets_no_opinion() {
        let payload = Payload::parse(RECORDED).expect("it is JSON");
        assert_eq!(respond(@name@::DEF, &payload), Response::default());
    }
}
