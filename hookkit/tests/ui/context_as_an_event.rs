use hookkit::prelude::*;

#[hook(Stop)]
pub fn gate(event: AnyEvent) -> Result<(), Error> {
    event.get::<Context>().map(drop)
}

fn main() {}
