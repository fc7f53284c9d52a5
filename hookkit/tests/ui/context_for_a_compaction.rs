use hookkit::prelude::*;

#[hook(PreCompact)]
pub fn keep() -> ContextAnswer {
    ContextAnswer::context("keep the names")
}

fn main() {}
