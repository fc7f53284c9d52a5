use hookkit::prelude::*;

pub fn outer() {
    #[hook(Stop)]
    pub fn inner() {}
    inner();
}

fn main() {}
