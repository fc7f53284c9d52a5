use hookkit::prelude::*;

#[hook(Stop)]
pub fn look_on() -> ContextAnswer {
    ContextAnswer::context("hello")
}

fn main() {}
