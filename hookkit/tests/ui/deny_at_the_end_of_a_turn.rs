use hookkit::prelude::*;

#[hook(Stop)]
pub fn gate() -> StopAnswer {
    StopAnswer::deny("not yet")
}

fn main() {}
