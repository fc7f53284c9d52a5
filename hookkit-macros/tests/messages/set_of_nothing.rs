use hookkit::prelude::*;

#[derive(ToolInput)]
pub enum Nothing {}

fn main() {}
