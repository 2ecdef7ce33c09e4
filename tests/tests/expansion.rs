//! One operator's expansion as a reader would see it, from a call of the library.

use op_dsl_expand::Purpose;
use quote::quote;

fn expansion() -> String {
    let tokens = op_dsl_expand::op(
        Purpose::Call,
        quote!(name = "Swish", grad(name = "SwishGrad", wrt(x))),
        quote! {
            /// `y = x * sigmoid(beta * x)`
            pub fn swish(x: Elem, #[attr(default = 1.0)] beta: f32) -> Elem {
                #[saved]
                let s = sigmoid(beta * x);
                if x > 20.0 { x } else { x * s }
            }
        },
    );
    let file = syn::parse2(tokens).expect("items");
    prettyplease::unparse(&file)
}

#[test]
fn is_as_it_was() {
    // Numbers of tables are cut from the snapshot, because there are too many to read.
    let mut text = expansion();
    let mut at = 0;
    while let Some(start) = text[at..].find("Column([") {
        let start = at + start + "Column([".len();
        let Some(end) = text[start..].find("])") else { break };
        text.replace_range(start..start + end, "..");
        at = start;
    }
    insta::assert_snapshot!(text);
}

/// The constant that the driver reads: interleaved parts are loaded and stored together.
#[test]
fn interleaved_parts_take_turns() {
    let of = |split| {
        let tokens = op_dsl_expand::op(
            Purpose::Call,
            quote!(name = "Gate", grad(name = "GateGrad", wrt(x))),
            quote! {
                pub fn gate(z: Elem, #split x: Gated, #[attr(default = -1)] dim: Dim) -> Elem {
                    z * x.value * sigmoid(x.gate)
                }
            },
        );
        prettyplease::unparse(&syn::parse2(tokens).expect("items"))
    };
    let interleaved = of(quote!(#[split(along = dim, interleaved)]));
    for said in [
        "const INPUT_TURNS: [bool; 3] = [false, true, false];",
        "const INPUT_TURNS: [bool; 4] = [false, false, true, false];",
        "const OUTPUT_TURNS: [bool; 2] = [true, false];",
    ] {
        assert_eq!(interleaved.matches(said).count(), 1, "{said}");
    }
    assert!(!of(quote!(#[split(along = dim)])).contains("TURNS"));
}

/// Expands `x * tanh(softplus(x))`, which loses its digits in f32.
///
/// Its gradient is a function of `x` times `dy`, so both operators have tables.
fn with_tables() -> String {
    let mish = quote!(
        pub fn mish(x: Elem) -> Elem {
            x * tanh(softplus(x))
        }
    );
    op_dsl_expand::op(Purpose::Call, quote!(name = "Mish", grad(name = "MishGrad", wrt(x))), mish)
        .to_string()
}

#[test]
fn functions_of_one_stream_have_tables() {
    let text = with_tables();
    assert_eq!(text.matches("impl math :: univariate :: Univariate").count(), 2);
    // Two functions, three element types and two widths; and the expansion is deterministic.
    assert_eq!(text.matches("Some (math :: univariate :: Table").count(), 12);
    assert!(!text.contains("unsafe"));
    assert_eq!(text, with_tables());
}

/// Operators that are only emitted have no kernels, and a wrong argument leaves them.
#[test]
fn modules_without_kernels_compile_none() {
    let of = |arguments| {
        let module = quote!(
            mod family {
                #[op(name = "Twice", dtypes(f16))]
                pub fn twice(x: Elem) -> Elem {
                    x + x
                }
            }
        );
        op_dsl_expand::operators(Purpose::Call, arguments, module).to_string()
    };
    let (all, none) = (of(quote!(kernels = true)), of(quote!(kernels = false)));
    assert!(
        all.contains("impl Body") && all.contains("DTYPES : [bool ; 3] = [true , false , false]")
    );
    assert!(!none.contains("impl Body") && none.contains("TWICE"));
    let wrong = of(quote!(kernels = 0));
    assert!(wrong.contains("compile_error") && wrong.contains("impl Body"), "{wrong}");
}

#[test]
fn is_the_same_every_time() {
    assert_eq!(expansion(), expansion());
}

#[test]
fn contains_no_unsafe_code() {
    let text = expansion();
    assert!(!text.contains("unsafe"), "{text}");
}

#[test]
fn names_everything_through_the_facade() {
    for crate_name in ["codegen_cpu", "op_dsl_ir", "fearless_simd", "half::"] {
        assert!(!expansion().contains(crate_name), "{crate_name}");
    }
}
