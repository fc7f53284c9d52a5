//! Writes the names of the events and of the wire types down, for macros of the tests: so that no test has a list of its
//! own.

use std::path::Path;
use std::{env, fs};

use hookkit_protocol::event::EVENTS;

fn main() {
    // A record that is written anew needs no build.
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={API}");
    let names: Vec<&str> = EVENTS.iter().map(|event| event.name).collect();
    let folder = env::var_os("OUT_DIR").expect("cargo gives a build script a folder");
    let text = format!("each_event! {{ {} }}\n", names.join(" "));
    fs::write(Path::new(&folder).join("events.rs"), text).expect("the folder can be written to");
    let api = fs::read_to_string(API).expect("the snapshot of the API is there");
    let types: Vec<&str> = api.lines().filter_map(wire_type).collect();
    let text = format!("each_wire_type! {{ {} }}\n", types.join(", "));
    fs::write(Path::new(&folder).join("wire_types.rs"), text).expect("the folder can be written to");
}

const API: &str = "api/hookkit.txt";

/// The type of a line of the API's snapshot, if it is read from the client's JSON and written as it, and not a word.
fn wire_type(line: &str) -> Option<&str> {
    let (name, traits) = line.strip_prefix("impl ")?.split_once(": ")?;
    let is_wire =
        ["event", "permission", "tool"].iter().any(|module| name.starts_with(&format!("hookkit::{module}::")));
    let has = |name: &str| traits.split(" + ").any(|one| one == name);
    (is_wire && has("Deserialize") && has("Serialize") && !has("Hash")).then_some(name)
}
