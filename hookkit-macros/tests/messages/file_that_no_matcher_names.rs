use hookkit::prelude::*;

#[hook(FileChanged)]
pub fn rules(_change: FileChanged) -> FileChangedAnswer {
    FileChangedAnswer::pass()
}

fn main() {}
