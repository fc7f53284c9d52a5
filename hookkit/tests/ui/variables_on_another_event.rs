use hookkit::prelude::*;

#[hook(Stop)]
pub fn set(file: EnvFile) -> Result<(), Error> {
    file.set("DONE", "1")
}

fn main() {}
