use hookkit::prelude::*;

#[hook(Stop)]
pub fn hold(lines: Config<u32>, words: Config<String>) {
    let _ = (lines, words);
}

fn main() {}
