use hookkit::prelude::*;

#[hook(PermissionRequest, matcher = "Edit|Write")]
pub fn change(_request: PermissionRequest) -> Result<PermissionRequestAnswer<tool::Write>, Error> {
    Ok(PermissionRequestAnswer::pass())
}

fn main() {}
