use hookkit::prelude::*;

#[hook(SessionStart | UserPromptSubmit)]
pub fn greet() -> SessionStartAnswer {
    SessionStartAnswer::pass().with_context("hello")
}

fn main() {}
