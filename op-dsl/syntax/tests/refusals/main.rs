//! Refused items and their messages. The compile-fail tests of the workspace check the spans.

mod formula;
mod gradient;
mod module;
mod signature;

use op_dsl_syntax::function;
use proc_macro2::TokenStream;

fn messages(error: Option<syn::Error>) -> Vec<String> {
    error.into_iter().flatten().map(|e| e.to_string()).collect()
}

fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// Returns the messages for a function with these arguments of `#[op(..)]`.
fn operator(args: &str, item: &str) -> Vec<String> {
    match function(tokens(args), tokens(item)) {
        Ok(family) => messages(family.error),
        Err(e) => panic!("{e}: {item}"),
    }
}

/// Returns the messages for the items of a module.
fn family(items: &str) -> Vec<String> {
    let family = op_dsl_syntax::module(tokens(&format!("mod m {{ {items} }}")));
    messages(family.expect("a module").error)
}

#[track_caller]
fn only(found: Vec<String>, want: &str) {
    assert_eq!(found.len(), 1, "want one message about {want}: {found:?}");
    assert!(found[0].contains(want), "want {want}: {}", found[0]);
    let first = found[0].chars().next().expect("a message");
    assert!(!first.is_uppercase() && !found[0].ends_with('.'), "{}", found[0]);
}
