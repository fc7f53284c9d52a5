use hookkit::prelude::*;

#[hook(PreCompact)]
pub fn keep() -> ContextAnswer {
    ContextAnswer::pass().with_context("keep the names")
}

fn main() {}
