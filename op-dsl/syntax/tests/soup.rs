//! No stream of tokens makes the parser panic.

use op_dsl_syntax::{attribute_enum, function, module};
use proc_macro2::TokenStream;
use proptest::prelude::*;

/// Tokens that occur in formulas and their attributes, and some that do not.
const WORDS: &[&str] = &[
    "x", "y", "dim", "Elem", "Gated", "Dim", "bool", "f32", "gate", "value", "exp", "max", "gelu",
    "if", "else", "match", "let", "mut", "fn", "mod", "enum", "const", "for", "loop", "return",
    "as", "self", "op", "grad", "name", "wrt", "split", "along", "attr", "default", "saved",
    "true", "false", "_", "0.5", "1", "-", "+", "*", "/", "%", "<", "<=", "==", "=", "=>", "->",
    "&&", "||", "|", "!", "&", ".", "..", ",", ";", ":", "::", "#", "?", "@", "'a", "\"s\"", "'c'",
    "99999999999999999999", "1e999", "r#type", "PI", "NOPE", "E", "A", "powi", "unsafe", "async",
];

fn soup() -> impl Strategy<Value = String> {
    let word = proptest::sample::select(WORDS).prop_map(str::to_owned);
    let leaf = proptest::collection::vec(word, 0..12).prop_map(|w| w.join(" "));
    leaf.prop_recursive(4, 24, 4, |inner| {
        (proptest::collection::vec(inner, 1..4), 0..4).prop_map(|(parts, group)| {
            let parts = parts.join(" ");
            match group {
                0 => format!("( {parts} )"),
                1 => format!("{{ {parts} }}"),
                2 => format!("[ {parts} ]"),
                _ => parts,
            }
        })
    })
}

fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

/// Parses and drops the result, because only a panic is a failure.
fn read(args: &str, item: &str) {
    let _ = function(tokens(args), tokens(item));
    let _ = module(tokens(item));
    let _ = attribute_enum(tokens(item));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..Default::default() })]

    #[test]
    fn arbitrary_tokens_never_panic(args in soup(), item in soup()) {
        read(&args, &item);
    }

    #[test]
    fn arbitrary_bodies_never_panic(body in soup()) {
        read("name = \"F\", grad(name = \"G\", wrt(x))", &format!("fn f(x: Elem) -> Elem {{ {body} }}"));
    }

    #[test]
    fn arbitrary_parameters_never_panic(params in soup(), output in soup()) {
        read("name = \"F\"", &format!("fn f({params}) -> {output} {{ x }}"));
    }

    #[test]
    fn arbitrary_arguments_never_panic(args in soup()) {
        read(&format!("name = \"F\", {args}"), "fn f(x: Elem) -> Elem { x * x }");
        read(&format!("name = \"F\", grad({args})"), "fn f(x: Elem) -> Elem { x * x }");
    }

    #[test]
    fn arbitrary_module_items_never_panic(body in soup(), attr in soup(), variants in soup()) {
        let item = format!(
            "mod m {{ #[derive(OpAttr)] enum E {{ {variants} }} const C: f64 = {attr};
             #[formula] fn g(x: Elem) -> Elem {{ {body} }}
             #[op(name = \"F\")] fn f(#[split({attr})] x: Gated, #[attr({attr})] e: E) -> Elem {{ g(x.gate) }} }}"
        );
        read("", &item);
    }
}
