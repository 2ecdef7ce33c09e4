//! What is refused, and how. Spans are held by the compile-fail tests of the workspace.

use op_dsl_syntax::{attribute_enum, function, module};
use proc_macro2::TokenStream;
use quote::quote;

fn messages(error: Option<syn::Error>) -> Vec<String> {
    error.into_iter().flatten().map(|e| e.to_string()).collect()
}

/// Messages for a body of `fn f(x: Elem) -> Elem`.
fn body(tokens: TokenStream) -> Vec<String> {
    let item = quote!(fn f(x: Elem) -> Elem { #tokens });
    match function(quote!(name = "F"), item.clone()) {
        Ok(family) => messages(family.error),
        Err(e) => panic!("{e}: {item}"),
    }
}

#[track_caller]
fn only(found: Vec<String>, want: &str) {
    assert_eq!(found.len(), 1, "want one message about {want}: {found:?}");
    assert!(found[0].contains(want), "want {want}: {}", found[0]);
    let first = found[0].chars().next().expect("a message");
    assert!(!first.is_uppercase() && !found[0].ends_with('.'), "{}", found[0]);
}

#[test]
fn expressions_that_are_no_formula() {
    for (tokens, want) in [
        (quote!(for i in 0..3 { x; } x), "loops are not elementwise"),
        (quote!(while true { } x), "loops are not elementwise"),
        (quote!(loop {}), "loops are not elementwise"),
        (quote!((|v: Elem| v)(x)), "only functions with a plain name"),
        (quote!(let f = |v: Elem| v; x), "closures have no graph"),
        (quote!(let mut y = x; y), "do not change"),
        (quote!(let y = x; y = 2.0 * y; y), "do not change"),
        (quote!(let y = x; y += 1.0; y), "do not change"),
        (quote!(&x + 1.0), "without `&`"),
        (quote!(*x + 1.0), "without `*`"),
        (quote!(x as f32), "remove the cast"),
        (quote!(x[0]), "no neighbours to index"),
        (quote!(return x;), "every element takes the same path"),
        (quote!(println!("{}", 1); x), "a macro cannot be seen through"),
        (quote!(frobnicate(x)), "no function `frobnicate` is known; write a `#[formula]"),
        (quote!(sigmiod(x)), "did you mean `sigmoid`?"),
        (quote!(x.sigmiod()), "did you mean `sigmoid`?"),
        (quote!(f64::exp(x)), "only functions with a plain name"),
        (quote!(max(x)), "`max` takes 2 arguments and is given 1"),
        (quote!(x % 2.0), "remainder"),
        (quote!(y + x), "no value `y` is in sight"),
        (quote!(NOPE * x), "no constant `NOPE` is in sight"),
        (quote!(x.powi(x)), "the exponent must be seen here"),
        (quote!(x.powi(100)), "beyond 64"),
        (
            quote!(if x > 0.0 {
                x
            }),
            "write the `else` branch",
        ),
        (quote!(if x { x } else { x }), "a condition is needed"),
        (
            quote!(match x {
                _ => x,
            }),
            "`match` is on an attribute",
        ),
        (quote!(x.gate), "only a `Gated` has parts"),
        (
            quote!({
                #[saved]
                let y = x;
                y
            }),
            "move the `let` to the top",
        ),
        (quote!(x; x), "goes nowhere"),
        (quote!(let y = x;), "ends with its value"),
        (quote!((x, x)), "the signature has 1 output and this is 2"),
        (quote!(x * "two"), "numbers only"),
        (quote!(x * 0.5f32), "remove the suffix"),
        (quote!(unsafe { x }), "remove `unsafe`"),
        (quote!(x * (1.0 / 0.0)), "not finite"),
        (quote! { struct G; x }, "move the item out"),
    ] {
        only(body(tokens), want);
    }
}

#[test]
fn all_mistakes_at_once() {
    let found = body(quote!(let y = nope(x); let z = y * NOPE; for i in 0..2 {} x[0] + z));
    assert_eq!(found.len(), 4, "{found:?}");
}

#[test]
fn a_mistake_in_a_shared_formula_is_said_once() {
    let family = module(quote! {
        mod m {
            #[derive(OpAttr)]
            enum Mode { A, B }
            #[formula]
            fn bad(x: Elem) -> Elem { x[0] }
            #[op(name = "One")]
            fn one(x: Elem, #[attr(default = Mode::A)] mode: Mode) -> Elem {
                match mode { Mode::A => bad(x), Mode::B => bad(x) + bad(2.0 * x) }
            }
            #[op(name = "Two")]
            fn two(x: Elem) -> Elem { bad(x) }
        }
    });
    only(messages(family.expect("a module").error), "no neighbours");
}

#[test]
fn signatures() {
    let of = |args: TokenStream, item: TokenStream| {
        messages(function(args, item).expect("a function").error)
    };
    let named = || quote!(name = "F");
    for (args, item, want) in [
        (
            quote!(),
            quote!(
                fn f(x: Elem) -> Elem {
                    x
                }
            ),
            "has no name",
        ),
        (
            quote!(name = "lower"),
            quote!(
                fn f(x: Elem) -> Elem {
                    x
                }
            ),
            "write a capital",
        ),
        (
            quote!(name = "F", name = "G"),
            quote!(
                fn f(x: Elem) -> Elem {
                    x
                }
            ),
            "given twice",
        ),
        (
            quote!(name = "F", speed = 2),
            quote!(
                fn f(x: Elem) -> Elem {
                    x
                }
            ),
            "unknown argument",
        ),
        (
            quote!(name = "F", dtypes(f64)),
            quote!(
                fn f(x: Elem) -> Elem {
                    x
                }
            ),
            "unknown element type",
        ),
        (
            quote!(name = "F", outputs(a, b)),
            quote!(
                fn f(x: Elem) -> Elem {
                    x
                }
            ),
            "names 2 of 1",
        ),
        (
            quote!(name = "F", outputs(x)),
            quote!(
                fn f(x: Elem) -> Elem {
                    x
                }
            ),
            "two tensors are called",
        ),
        (
            named(),
            quote!(
                fn f() -> Elem {
                    1.0
                }
            ),
            "needs a tensor",
        ),
        (
            named(),
            quote!(
                fn f(x: Elem) {
                    x
                }
            ),
            "write `-> Elem`",
        ),
        (
            named(),
            quote!(
                fn f(x: Elem) -> f64 {
                    x
                }
            ),
            "an output is an `Elem`",
        ),
        (
            named(),
            quote!(
                fn f(x: Vec<f32>) -> Elem {
                    1.0
                }
            ),
            "a tensor is `Elem` or `Gated`",
        ),
        (
            named(),
            quote!(
                fn f(x: Elm) -> Elem {
                    x
                }
            ),
            "did you mean `Elem`?",
        ),
        (
            named(),
            quote!(
                fn f(x: Elem, n: bool) -> Elem {
                    x
                }
            ),
            "has no default",
        ),
        (
            named(),
            quote!(
                fn f(x: Elem, #[attr(default = 1)] n: bool) -> Elem {
                    x
                }
            ),
            "`true` or `false`",
        ),
        (
            named(),
            quote!(
                fn f(x: Elem, z: Elem) -> Elem {
                    x
                }
            ),
            "does not read `z`",
        ),
        (
            named(),
            quote!(
                fn f(#[unused] x: Elem) -> Elem {
                    x
                }
            ),
            "remove `#[unused]`",
        ),
        (
            named(),
            quote!(
                fn f(x: Gated) -> Elem {
                    x.gate
                }
            ),
            "needs its split",
        ),
        (
            named(),
            quote!(
                fn f(#[split(along = d)] x: Gated) -> Elem {
                    x.gate
                }
            ),
            "no parameter `d: Dim`",
        ),
        (
            named(),
            quote!(
                fn f(#[split(along = d)] x: Elem) -> Elem {
                    x
                }
            ),
            "only a gated tensor is split",
        ),
        (
            named(),
            quote!(
                async fn f(x: Elem) -> Elem {
                    x
                }
            ),
            "remove `async`",
        ),
        (
            named(),
            quote!(
                unsafe fn f(x: Elem) -> Elem {
                    x
                }
            ),
            "remove `unsafe`",
        ),
        (
            named(),
            quote!(
                fn f<T>(x: Elem) -> Elem {
                    x
                }
            ),
            "is not generic",
        ),
        (
            named(),
            quote!(
                fn f(&self, x: Elem) -> Elem {
                    x
                }
            ),
            "is not a method",
        ),
        (
            named(),
            quote!(
                fn f((x, y): Elem, z: Elem) -> Elem {
                    z
                }
            ),
            "one plain name",
        ),
        (
            named(),
            quote!(
                fn f(x: Elem) -> Gated {
                    Gated { gate: x, value: x }
                }
            ),
            "there is none",
        ),
        (
            quote!(name = "F", grad(name = "G")),
            quote!(
                fn f(x: Elem) -> Elem {
                    x
                }
            ),
            "write `wrt(x)`",
        ),
        (
            quote!(name = "F", grad(name = "G", wrt(z))),
            quote!(
                fn f(x: Elem) -> Elem {
                    x
                }
            ),
            "`z` is no input",
        ),
        (
            quote!(name = "F", grad(name = "G", wrt(x), inputs(x))),
            quote!(
                fn f(x: Elem) -> Elem {
                    x * x
                }
            ),
            "upstream gradients: 0",
        ),
        (
            quote!(name = "F", grad(name = "G", wrt(x), inputs(dy))),
            quote!(
                fn f(x: Elem) -> Elem {
                    x * x
                }
            ),
            "reads `x`, which is not among its inputs",
        ),
        (
            quote!(name = "F", grad(name = "F", wrt(x))),
            quote!(
                fn f(x: Elem) -> Elem {
                    x * x
                }
            ),
            "another operator is called `F`",
        ),
        (
            quote!(name = "F", grad_of = g),
            quote!(
                fn f(x: Elem) -> Elem {
                    x * x
                }
            ),
            "no operator is called `g`",
        ),
    ] {
        only(of(args, item), want);
    }
}

#[test]
fn enums() {
    let of = |item| messages(attribute_enum(item).err());
    only(
        of(quote!(
            enum E {
                A(i64),
            }
        )),
        "remove the fields",
    );
    only(
        of(quote!(
            enum E {
                A = 1,
                B = 1,
            }
        )),
        "has the wire value 1 already",
    );
    only(
        of(quote!(
            enum E {
                A,
                #[attr(name = "a")]
                B,
            }
        )),
        "has the name \"a\" already",
    );
    only(
        of(quote!(
            enum E {}
        )),
        "needs at least one value",
    );
    only(
        of(quote!(
            enum E<T> {
                A,
            }
        )),
        "has no parameters",
    );
    only(
        of(quote!(
            struct E;
        )),
        "derive `OpAttr` on an enum",
    );
}

#[test]
fn matches() {
    let of = |arms: TokenStream| {
        let family = module(quote! {
            mod m {
                #[derive(OpAttr)]
                enum Mode { A, B }
                #[op(name = "F")]
                fn f(x: Elem, #[attr(default = Mode::A)] mode: Mode) -> Elem {
                    match mode { #arms }
                }
            }
        });
        messages(family.expect("a module").error)
    };
    assert_eq!(of(quote!(Mode::A => x, _ => 2.0 * x)), Vec::<String>::new());
    only(of(quote!(Mode::A => x)), "has no arm");
    only(of(quote!(Mode::A => x, other => x)), "would fit every value");
    only(of(quote!(Mode::A if true => x, _ => x)), "picked by its value alone");
    only(of(quote!(Mode::C => x, _ => x)), "no value of the attribute");
}

#[test]
fn modules() {
    let error = module(quote!(
        mod m;
    ))
    .err();
    only(messages(error), "write the module inline");
    only(
        messages(
            module(quote!(
                fn f() {}
            ))
            .err(),
        ),
        "a family is a module",
    );
    let endless = module(quote! {
        mod m {
            #[formula]
            fn f(x: Elem) -> Elem { f(x) }
        }
    });
    only(messages(endless.expect("a module").error), "calls itself");
}
