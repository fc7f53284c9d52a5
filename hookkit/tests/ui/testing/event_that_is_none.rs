use hookkit::prelude::*;
use hookkit::{Hook, testing};

#[hook(Stop)]
pub fn check() {}

fn main() {
    testing::run(check::DEF, &"Stop");
}
