use hookkit::prelude::*;

#[hook(PostCompact)]
pub fn ring() -> TerminalAnswer {
    TerminalAnswer::terminal_sequence(TerminalSequence::bell())
}

fn main() {}
