//! Hooks of this pack.

use hookkit::prelude::*;

@input@/// @unwritten@
@on_failure@#[hook(@options@)]
pub fn @name@(_event: @type@)@answers@ {
    @body@
}

#[cfg(test)]
mod tests {
@test@}
