//! What Acme sells.

fn main() {
    println!("ACME");
}
