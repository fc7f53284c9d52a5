//! Acme's product.

fn main() {
    println!("ACME");
}
