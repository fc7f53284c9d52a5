//! The chapters of the book that have Rust code. Their blocks are compiled, and their tests run, as doc tests.

/// Declares a module for each chapter.
macro_rules! chapters {
    ($($name:ident)*) => {
        $(
            #[doc = include_str!(concat!("../../docs/book/src/", stringify!($name), ".md"))]
            mod $name {}
        )*
    };
}

chapters! {
    introduction start write answers matchers test failures configure service
}
