use hookkit::prelude::*;

#[derive(serde::Deserialize, ToolInput)]
pub struct Shell {}

fn main() {}
