use hookkit::prelude::*;

#[hook(Stop, timeout = 0)]
async fn gate<T>(_stop: Stop) -> StopAnswer {
    StopAnswer::pass()
}

fn main() {}
