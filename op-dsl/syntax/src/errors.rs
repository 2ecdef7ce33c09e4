//! The accumulator of errors, so that all errors of an item are reported at once.

use quote::ToTokens;
use std::cell::{Cell, RefCell};
use std::fmt::Display;

/// Accumulator of the errors found so far.
///
/// A formula is traced once per specialisation (combination of attribute values), so one mistake is met several times.
/// The address of the syntax node identifies the place of a mistake, because spans cannot be compared.
#[derive(Debug, Default)]
pub struct Errors {
    found: RefCell<Vec<(usize, String, syn::Error)>>,
    read: Cell<bool>,
}

impl Errors {
    /// Creates an empty accumulator.
    pub fn new() -> Errors {
        Errors::default()
    }

    /// Reports an error at `node`.
    ///
    /// Messages are lower case without a full stop: what is wrong and why, then what to write instead.
    pub fn at(&self, node: &impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(node, message));
    }

    /// Like [`Errors::at`], but reports the same message at the same node of the syntax tree only once.
    pub fn once(&self, node: &impl ToTokens, message: impl Display) {
        let (place, message) = (std::ptr::from_ref(node).addr(), message.to_string());
        let mut found = self.found.borrow_mut();
        if !found.iter().any(|(p, m, _)| *p == place && *m == message) {
            let error = syn::Error::new_spanned(node, &message);
            found.push((place, message, error));
        }
    }

    /// Reports an error as [`Errors::at`] and returns `None`.
    pub fn none<T>(&self, node: &impl ToTokens, message: impl Display) -> Option<T> {
        self.at(node, message);
        None
    }

    /// Reports an error as [`Errors::once`] and returns `None`.
    pub fn none_once<T>(&self, node: &impl ToTokens, message: impl Display) -> Option<T> {
        self.once(node, message);
        None
    }

    /// Adds an error that already has its span.
    pub fn push(&self, error: syn::Error) {
        self.found.borrow_mut().push((0, String::new(), error));
    }

    /// Returns whether there is no error so far.
    pub fn is_empty(&self) -> bool {
        self.found.borrow().is_empty()
    }

    /// Combines all errors into one; `None` if there are none.
    pub fn finish(self) -> Option<syn::Error> {
        self.read.set(true);
        let found = self.found.take();
        found.into_iter().map(|(_, _, e)| e).reduce(|mut all, e| {
            all.combine(e);
            all
        })
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        // An error that is never reported would turn a mistake into a wrong kernel.
        if cfg!(debug_assertions) && !self.read.get() && !std::thread::panicking() {
            assert!(self.found.borrow().is_empty(), "errors were collected but never reported");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_place_and_message_is_one_error() {
        let errors = Errors::new();
        let (a, b): (syn::Ident, syn::Ident) = (syn::parse_quote!(a), syn::parse_quote!(b));
        errors.once(&a, "wrong");
        errors.once(&a, "wrong");
        errors.once(&b, "wrong");
        assert_eq!(errors.finish().into_iter().flatten().count(), 2);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "never reported")]
    fn unread_errors_are_noticed() {
        Errors::new().push(syn::Error::new(proc_macro2::Span::call_site(), "forgotten"));
    }
}
