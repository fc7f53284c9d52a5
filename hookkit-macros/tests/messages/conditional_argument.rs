use hookkit::prelude::*;

#[hook(Stop)]
pub fn hold(#[cfg(unix)] _stop: Stop) {}

fn main() {}
