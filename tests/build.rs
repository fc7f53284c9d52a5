//! Writes the names of the events down, for a macro of the tests: so that no test has a list of its own.

use std::path::Path;
use std::{env, fs};

use hookkit_protocol::event::EVENTS;

fn main() {
    // A record that is written anew needs no build.
    println!("cargo::rerun-if-changed=build.rs");
    let names: Vec<&str> = EVENTS.iter().map(|event| event.name).collect();
    let folder = env::var_os("OUT_DIR").expect("cargo gives a build script a folder");
    let text = format!("each_event! {{ {} }}\n", names.join(" "));
    fs::write(Path::new(&folder).join("events.rs"), text).expect("the folder can be written to");
}
