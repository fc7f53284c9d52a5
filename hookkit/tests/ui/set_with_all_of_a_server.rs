use hookkit::prelude::*;

#[derive(serde::Deserialize, ToolInput)]
#[tool(server = "files")]
pub struct OfFiles {}

#[derive(ToolInput)]
pub enum Change {
    Edit(tool::Edit),
    Files(OfFiles),
}

fn main() {
    assert!(<Change as ToolInput>::MATCHER.is_some());
}
