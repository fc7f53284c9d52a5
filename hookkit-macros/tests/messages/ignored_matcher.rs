use hookkit::prelude::*;

#[hook(Stop, matcher = "Bash")]
pub fn gate(_stop: Stop) -> StopAnswer {
    StopAnswer::pass()
}

fn main() {}
