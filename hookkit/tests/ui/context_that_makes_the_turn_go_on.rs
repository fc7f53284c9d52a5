use hookkit::prelude::*;

#[hook(Stop)]
pub fn look_on() -> ContextAnswer {
    ContextAnswer::pass().with_context("hello")
}

fn main() {}
