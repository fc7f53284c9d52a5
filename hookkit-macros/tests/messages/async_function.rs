use hookkit::prelude::*;

#[hook(Stop)]
pub async fn gate() {}

fn main() {}
