//! Collects the faults of a declaration, so that the author sees all of them at once.

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

    /// Adds those faults of `others` that are new. Several events can have the same fault.
    pub(crate) fn add_new(&mut self, others: Self) {
        let is_said = |said: &Option<Error>, fault: &Error| {
            let mut said = said.clone().into_iter().flatten();
            said.any(|said| said.to_string() == fault.to_string())
        };
        for fault in others.0.into_iter().flatten() {
            if !is_said(&self.0, &fault) {
                self.push(fault);
            }
        }
    }

    pub(crate) fn into_result(self) -> syn::Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}
