use hookkit::prelude::*;

#[hook(SessionStart | UserPromptSubmit)]
pub fn greet() -> SessionStartAnswer {
    SessionStartAnswer::context("hello")
}

fn main() {}
