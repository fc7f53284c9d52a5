use hookkit::prelude::*;

pub struct Gate;

impl Gate {
    #[hook(Stop)]
    pub fn gate(&self) {}
}

fn main() {}
