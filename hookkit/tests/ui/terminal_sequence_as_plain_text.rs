use hookkit::prelude::*;

#[hook(PostCompact)]
pub fn ring() -> TerminalAnswer {
    TerminalAnswer::pass().with_terminal_sequence(TerminalSequence::bell())
}

fn main() {}
