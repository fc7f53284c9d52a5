//! Faults of a declaration, collected: an author sees all of them at once.

use proc_macro2::Span;
use syn::Error;

#[derive(Default)]
pub(crate) struct Faults(Option<Error>);

impl Faults {
    pub(crate) fn add(&mut self, span: Span, message: impl std::fmt::Display) {
        self.push(Error::new(span, message));
    }

    pub(crate) fn push(&mut self, fault: Error) {
        match &mut self.0 {
            Some(all) => all.combine(fault),
            None => self.0 = Some(fault),
        }
    }

    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|fault| self.push(fault)).ok()
    }

    pub(crate) fn into_result(self) -> syn::Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}
