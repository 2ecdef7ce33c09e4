//! Formulas and the operators that they become.

use op_dsl_ir::op::{AttrKind, Gate, Kind, OpDef, Origin, Value};
use op_dsl_syntax::{Family, function, module};
use proc_macro2::TokenStream;
use quote::quote;

fn family(tokens: TokenStream) -> Family {
    let family = module(tokens).expect("a module");
    if let Some(e) = &family.error {
        panic!("{}", e.into_iter().map(|e| e.to_string()).collect::<Vec<_>>().join("\n"));
    }
    family
}

/// Returns the operator of a lone function.
fn one(args: TokenStream, item: TokenStream) -> OpDef {
    let family = function(args, item).expect("a function");
    if let Some(e) = &family.error {
        panic!("{}", e.into_iter().map(|e| e.to_string()).collect::<Vec<_>>().join("\n"));
    }
    family.ops[0].def.clone()
}

fn eval(def: &OpDef, spec: usize, streams: &[f64], scalars: &[f64]) -> Vec<f64> {
    let (traced, graph) = (&def.specs[spec].traced, &def.specs[spec].graph);
    let (a, b) = (traced.eval(streams, scalars), graph.eval(streams, scalars));
    for (a, b) in a.iter().zip(&b) {
        let same = (a - b).abs() <= 1e-12 * a.abs().max(1e-3) || a == b || a.is_nan() && b.is_nan();
        assert!(same, "traced {a}, finished {b}");
    }
    a
}

#[test]
fn the_text_of_a_formula_has_what_it_calls() {
    let family = family(quote! {
        mod m {
            #[formula]
            fn square(x: Elem) -> Elem { x * x }
            #[formula]
            fn uncalled(x: Elem) -> Elem { x + x }
            #[formula]
            fn pair(x: Elem) -> (Elem, Elem) { (square(x), square(x) * x) }
            #[op(name = "F")]
            fn f(x: Elem) -> Elem {
                #[formula]
                fn own(x: Elem) -> Elem { square(x) }
                let (a, b) = pair(own(x));
                a + b
            }
        }
    });
    let parts: Vec<&str> = family.ops[0].def.formula.split("\n\n").collect();
    assert_eq!(parts.len(), 3, "{parts:?}");
    assert!(parts[0].ends_with("a + b"), "{}", parts[0]);
    assert_eq!(parts[1], "fn square(x: Elem) -> Elem {\n    x * x\n}");
    assert!(parts[2].starts_with("fn pair(x: Elem) -> (Elem, Elem) {\n"), "{}", parts[2]);
}

#[test]
fn arithmetic_as_written() {
    let def = one(
        quote!(name = "Poly", outputs(out)),
        quote! {
            fn poly(x: Elem, y: Elem) -> Elem {
                const HALF: f64 = 1.0 / 2.0;
                let (a, b) = (x * y, -x);
                let sum = { let a = a + HALF; a * 2.0 };
                (sum - b.powi(3)) / (1.0 + abs(y)) + x.max(y) * std::f64::consts::PI
            }
        },
    );
    let (x, y) = (0.7f64, -1.3f64);
    let want = ((x * y + 0.5) * 2.0 + x.powi(3)) / (1.0 + y.abs()) + x * std::f64::consts::PI;
    assert!((eval(&def, 0, &[x, y], &[])[0] - want).abs() < 1e-12);
}

/// Constants are evaluated as in Rust: rounded to f32 at each step.
#[test]
fn a_constant_of_f32_is_the_number_it_is() {
    let family = family(quote! {
        mod m {
            const TENTH: f32 = 0.1;
            const SUM: f32 = TENTH + 0.2;
            const WIDE: f64 = 0.1;
            #[op(name = "F", outputs(a, b, c, d))]
            fn f(x: Elem) -> (Elem, Elem, Elem, Elem) {
                const HALF: f32 = SUM / 2.0;
                (x * TENTH, x * HALF, x * WIDE, x * std::f32::consts::PI)
            }
        }
    });
    let want =
        [f64::from(0.1f32), f64::from((0.1f32 + 0.2) / 2.0), 0.1, f64::from(std::f32::consts::PI)];
    assert_eq!(eval(&family.ops[0].def, 0, &[1.0], &[]), want);
}

#[test]
fn comparisons_keep_their_strictness() {
    for (condition, want) in [
        (quote!(x < 0.0), [1.0, 2.0, 2.0, 2.0]),
        (quote!(x <= 0.0), [1.0, 1.0, 2.0, 2.0]),
        (quote!(x > 0.0), [2.0, 2.0, 1.0, 2.0]),
        (quote!(x >= 0.0), [2.0, 1.0, 1.0, 2.0]),
        (quote!(x == 0.0), [2.0, 1.0, 2.0, 2.0]),
        (quote!(x != 0.0), [1.0, 2.0, 1.0, 1.0]),
        (quote!(!(x < 0.0)), [2.0, 1.0, 1.0, 1.0]),
        (quote!(x > -2.0 && x < 0.0), [1.0, 2.0, 2.0, 2.0]),
        (quote!(x < 0.0 || x == 0.0), [1.0, 1.0, 2.0, 2.0]),
    ] {
        let item = quote!(fn f(x: Elem) -> Elem { if #condition { 1.0 } else { 2.0 } });
        let text = item.to_string();
        let def = one(quote!(name = "F"), item);
        for (x, want) in [-1.0, 0.0, 1.0, f64::NAN].into_iter().zip(want) {
            assert_eq!(def.specs[0].traced.eval(&[x], &[])[0], want, "{text} at {x}");
        }
    }
}

#[test]
fn attributes_specialise_only_where_they_are_branched_on() {
    let family = family(quote! {
        mod m {
            #[derive(OpAttr)]
            enum Mode { A, #[attr(name = "bee")] B = 5, C }

            #[formula]
            fn pick(x: Elem, mode: Mode) -> Elem {
                match mode {
                    Mode::A | Mode::C => x,
                    Mode::B => exp(x),
                }
            }

            #[op(name = "Pick")]
            fn pick_op(
                x: Elem,
                #[attr(default = Mode::B, wire = "string")] mode: Mode,
                #[attr(default = true)] twice: bool,
                #[attr(default = 3)] unused: i64,
                #[attr(default = -0.5)] alpha: f32,
            ) -> Elem {
                if twice { 2.0 * pick(x, mode) } else { alpha * x }
            }
        }
    });
    let def = &family.ops[0].def;
    let when: Vec<Vec<(usize, i64)>> = def.specs.iter().map(|s| s.when.to_vec()).collect();
    let twice = |v: i64| vec![(0, v), (1, 1)];
    assert_eq!(when, [vec![(1, 0)], twice(0), twice(5), twice(6)]);
    assert_eq!(eval(def, 0, &[3.0], &[7.0, 0.25]), [0.75]);
    assert_eq!(eval(def, 3, &[3.0], &[7.0, 0.25]), [6.0]);
    assert_eq!(def.attrs[0].default, Value::Int(5));
    assert_eq!(def.attrs[3].default, Value::Float(-0.5));
    let AttrKind::Enum { wire_str: true, variants, .. } = &def.attrs[0].kind else {
        panic!("an enum by name")
    };
    assert_eq!(variants.iter().map(|v| &*v.name).collect::<Vec<_>>(), ["a", "bee", "c"]);
}

#[test]
fn a_gradient_reads_what_it_needs() {
    let family = family(quote! {
        mod m {
            #[op(name = "Gate", grad(name = "GateGrad", wrt(x)))]
            fn gate(
                #[split(along = dim, gate_left = false, interleaved)] x: Gated,
                b: Elem,
                #[attr(default = 0)] dim: Dim,
            ) -> Elem {
                #[saved]
                let s = sigmoid(x.gate);
                x.value * s + b
            }
        }
    });
    let [forward, gradient] = &family.ops[..] else { panic!("two operators") };
    assert_eq!(forward.def.output_names(), ["y", "s"]);
    assert_eq!(forward.def.split.as_ref().expect("a split").gate, Gate::Right);
    // The gradient does not read `b`, because it is only added.
    assert_eq!(gradient.def.input_names(), ["dy", "x.gate", "x.value", "s"]);
    assert_eq!(gradient.def.output_names(), ["dx.gate", "dx.value"]);
    assert_eq!(gradient.def.forward(), Some("Gate"));
    let g = eval(&gradient.def, 0, &[2.0, 0.5, 3.0, 0.25], &[]);
    assert_eq!(g[1], 2.0 * 0.25, "the saved value is read");
}

#[test]
fn several_outputs_have_several_upstream_gradients() {
    let family = family(quote! {
        mod m {
            #[op(name = "Two", outputs(sum, product), grad(name = "TwoGrad", wrt(x, z)))]
            fn two(x: Elem, z: Elem) -> (Elem, Elem) {
                (x + z, x * z)
            }
        }
    });
    let def = &family.ops[1].def;
    assert_eq!(def.input_names(), ["dy_sum", "dy_product", "x", "z"]);
    assert_eq!(def.output_names(), ["dx", "dz"]);
    assert_eq!(eval(def, 0, &[10.0, 100.0, 3.0, 5.0], &[]), [510.0, 310.0]);
}

/// A gradient keeps the dimension of the inputs that it holds, unless it is elementwise.
#[test]
fn gradients_know_what_lies_along_a_dimension() {
    let family = family(quote! {
        mod m {
            #[op(name = "Scale", grad(name = "ScaleGrad", wrt(w, x)))]
            fn scale(#[broadcast(along = 1)] w: Elem, x: Elem) -> Elem { w * x }

            #[op(name = "Terms", grad(name = "TermsGrad", wrt(w), broadcast = false))]
            fn terms(x: Elem, #[broadcast(along = 0)] w: Elem) -> Elem { w * x }
        }
    });
    let along: Vec<_> = family.ops.iter().map(|op| (op.def.along(0), op.def.along(1))).collect();
    assert_eq!(along, [(Some(1), None), (None, Some(1)), (None, Some(0)), (None, None)]);
    let derivative = |k: usize| {
        let table = family.ops.iter().map(|op| &op.def);
        op_dsl_ir::derivative::Derivative::of(&family.ops[k].def, table).map(|d| d.gradient)
    };
    assert_eq!([derivative(0), derivative(2)], [Some(1), None]);
}

#[test]
fn a_gradient_written_by_hand_is_an_operator() {
    let family = family(quote! {
        mod m {
            #[op(name = "Square")]
            fn square(x: Elem) -> Elem { x * x }

            #[op(name = "SquareGrad", grad_of = square, outputs(dx), broadcast)]
            fn square_grad(dy: Elem, x: Elem, #[unused] y: Elem) -> Elem { 2.0 * x * dy }
        }
    });
    let def = &family.ops[1].def;
    assert_eq!(def.forward(), Some("Square"));
    assert!(def.broadcast && !def.inputs[2].used);
    assert_eq!(def.inputs[0].kind, Kind::Whole);
}

/// A gradient, derived or handwritten, may rename the tensors of its forward operator.
#[test]
fn tensors_of_a_gradient_may_have_other_names() {
    let family = family(quote! {
        mod m {
            #[op(
                name = "Cube",
                grad(name = "CubeGrad", wrt(x), inputs(features = x, gradients), outputs(backprops))
            )]
            fn cube(x: Elem, #[attr(default = 1.0)] a: f32) -> Elem { a * x * x * x }

            #[op(name = "Sum", grad_of = sum, outputs(back), wrt(z))]
            fn sum_grad(#[holds(y)] result: Elem, self_: Elem, gradient: Elem) -> Elem {
                gradient + 0.0 * result + 0.0 * self_
            }

            #[op(name = "SumOf")]
            fn sum(self_: Elem, z: Elem) -> Elem { self_ + z }
        }
    });
    let [_, derived, by_hand, sum] = &family.ops[..] else { panic!("four operators") };
    assert_eq!(derived.def.input_names(), ["features", "gradients"]);
    assert_eq!(eval(&derived.def, 0, &[2.0, 10.0], &[1.0]), [120.0]);
    let of = derived.def.grad_of.as_ref().expect("a gradient");
    assert_eq!(*of.inputs, [Origin::Input(0), Origin::Upstream(0)]);
    let of = by_hand.def.grad_of.as_ref().expect("a gradient");
    assert_eq!(*of.inputs, [Origin::Output(0), Origin::Input(0), Origin::Upstream(0)]);
    assert_eq!((&*of.forward, &*of.wrt), ("SumOf", &[1][..]));
    // The `_` after a Rust keyword is part of the parameter only, not of the tensor's name.
    assert_eq!(sum.def.input_names(), ["self", "z"]);
}

/// Names in a second derivative, by default and given; a saved value stays an input.
#[test]
fn a_gradient_has_a_gradient() {
    let family = family(quote! {
        mod m {
            #[op(
                name = "Gate",
                grad(
                    name = "GateGrad", wrt(x), inputs(dy, x, s), outputs(back),
                    grad(name = "GateGradGrad", wrt(dy, x))
                )
            )]
            fn gate(
                #[split(along = dim, gate_left = false)] x: Gated,
                #[attr(default = 0)] dim: Dim,
                #[attr(default = 1.0)] a: f32,
            ) -> Elem {
                #[saved]
                let s = exp(a * x.gate);
                x.value * s
            }

            #[op(
                name = "Two", outputs(sum, product), broadcast,
                grad(
                    name = "TwoGrad", wrt(x, z), broadcast = false,
                    grad(
                        name = "TwoGradGrad", wrt(x, dy_product), inputs(x, dy_product, above, beside, z),
                        outputs(by_x, by_product)
                    )
                )
            )]
            fn two(x: Elem, z: Elem) -> (Elem, Elem) {
                (x + z, x * x * z)
            }

            #[op(name = "Square")]
            fn square(x: Elem) -> Elem { x * x }

            #[op(
                name = "SquareGrad", grad_of = square, outputs(dx),
                grad(name = "SquareGradGrad", wrt(dy, x))
            )]
            fn square_grad(dy: Elem, x: Elem) -> Elem { 2.0 * x * dy }
        }
    });
    let named = |name: &str| {
        let op = family.ops.iter().find(|op| op.def.name == name).expect("an operator");
        (&op.def, op.steps.len())
    };
    let (def, steps) = named("GateGradGrad");
    assert_eq!((def.forward(), steps), (Some("GateGrad"), 2));
    let inputs = ["dback.gate", "dback.value", "dy", "x.gate", "x.value", "s"];
    assert_eq!(def.input_names(), inputs);
    assert_eq!(def.output_names(), ["ddy", "dx.gate", "dx.value"]);
    // dx = dy value a e^(a gate), dy e^(a gate), with `s` = e^(a gate).
    let (dg, dv, dy, value, s, a) = (2.0, 3.0, 5.0, 7.0, 11.0, 0.5);
    let want = [dg * value * a * s + dv * s, dy * s * a * (dg * value * a + dv), dg * dy * a * s];
    assert_eq!(eval(def, 0, &[dg, dv, dy, 0.25, value, s], &[a]), want);

    let (def, _) = named("TwoGradGrad");
    assert_eq!(def.input_names(), ["x", "dy_product", "above", "beside", "z"]);
    assert_eq!(def.output_names(), ["by_x", "by_product"]);
    // dx = dy_sum + 2 dy_product x z, dz = dy_sum + dy_product x^2
    assert_eq!(eval(def, 0, &[2.0, 3.0, 5.0, 7.0, 11.0], &[]), [414.0, 248.0]);
    assert!(!def.broadcast && named("Two").0.broadcast);
    let of = def.grad_of.as_ref().expect("a gradient");
    assert_eq!(of.inputs[2..4], [Origin::Upstream(0), Origin::Upstream(1)]);

    let (def, steps) = named("SquareGradGrad");
    assert_eq!((def.forward(), steps), (Some("SquareGrad"), 1));
    assert_eq!(def.input_names(), ["ddx", "dy", "x"]);
    assert_eq!(eval(def, 0, &[2.0, 3.0, 5.0], &[]), [20.0, 12.0]);
}
