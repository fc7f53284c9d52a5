use hookkit::prelude::*;

#[hook(SessionStart)]
pub fn gate() -> SessionStartAnswer {
    SessionStartAnswer::block("not today")
}

fn main() {}
