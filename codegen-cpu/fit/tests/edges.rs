//! Tables at zeros, infinities, ends and breakpoints, and with inaccurate oracles.

mod common;

use common::number::{Number, exact};
use common::{BF16, CASES, Case, F16, named};
use op_dsl_fit::{Element, End, Function, Hints, Oracle, Refusal, Request, Symmetry, Table};
use std::sync::LazyLock;

const WIDTHS: [usize; 3] = [32, 16, 8];

/// Returns the tables of all element types and widths.
fn tables(function: &Function) -> Vec<(Element, Table)> {
    let mut tables = Vec::new();
    for entries in WIDTHS {
        for element in [Element::F32, BF16, F16] {
            let request = Request::new(element, entries);
            tables.extend(function.fit(&request).map(|table| (element, table)));
        }
    }
    tables
}

/// Returns the tables of all cases, fitted once for all tests, because that is nearly all of their time.
fn tables_of_cases() -> impl Iterator<Item = (&'static Case, &'static [(Element, Table)])> {
    static TABLES: LazyLock<Vec<Vec<(Element, Table)>>> = LazyLock::new(|| {
        let fitted = |case: &Case| tables(&Function::new(&case.oracle(), case.hints()));
        CASES.iter().map(fitted).collect()
    });
    CASES.iter().zip(TABLES.iter().map(Vec::as_slice))
}

fn oracle(f: impl Fn(f64) -> Number) -> impl Fn(&[f64]) -> Vec<(f64, f64)> {
    move |x| x.iter().map(|&x| f(x)).map(|n| (n.value, n.error)).collect()
}

#[test]
fn zeros_are_exact_and_keep_their_signs() {
    for (case, tables) in tables_of_cases() {
        for &(element, ref table) in tables {
            for zero in [-0.0f32, 0.0] {
                let Some(got) = table.eval(zero) else { continue };
                // The sign is that of the function beside zero.
                let beside = case.truth(if zero.is_sign_negative() { -1e-30 } else { 1e-30 });
                let want = if beside.abs() < 1e-20 { 0f64.copysign(beside) } else { beside };
                let got = element.round(got as f64);
                let want = element.round(want);
                assert_eq!(got.to_bits(), want.to_bits(), "{} {element:?} at {zero:?}", case.name);
            }
        }
    }
}

#[test]
fn a_falling_function_is_minus_zero_at_zero() {
    let f = oracle(|x| -exact(x).tanh());
    let function = Function::new(&f, Hints::default());
    let signed = oracle(|x| -(exact(x).tanh() * (exact(0.1 * x).exp())));
    let signed = Function::new(&signed, Hints::default());
    assert_eq!((function.symmetry(), signed.symmetry()), (Symmetry::Odd, Symmetry::None));
    for function in [function, signed] {
        for (_, table) in tables(&function) {
            assert_eq!(table.eval(0.0).map(f32::to_bits), Some((-0f32).to_bits()));
            assert_eq!(table.eval(-0.0).map(f32::to_bits), Some(0));
        }
    }
}

#[test]
fn beyond_a_clamped_end_is_the_limit() {
    let mut clamped = 0;
    for (case, tables) in tables_of_cases() {
        for &(element, ref table) in tables {
            assert!(table.eval(f32::NAN).is_some_and(f32::is_nan));
            let sides = [(0, -1.0f32), (1, 1.0)];
            for (side, sign) in sides {
                let symmetric = table.design.symmetry != Symmetry::None;
                let end = table.ends[if symmetric { 1 } else { side }];
                let edge = if sign < 0.0 && !symmetric { -table.low } else { table.high };
                for x in [edge, 1.5 * edge, 20.0 * edge, 1e30, f32::INFINITY].map(|x| x * sign) {
                    let x = if end == End::Clamp { x } else { x * 1.000_001 };
                    match (end, table.eval(x)) {
                        (End::Clamp, Some(got)) => {
                            let got = element.round(got as f64);
                            let want = match case.limits[side] {
                                Some(limit) => element.round(limit),
                                None => element.round(x as f64),
                            };
                            assert_eq!(got, want, "{} {element:?} at {x}", case.name);
                            clamped += 1;
                        }
                        (End::Clamp, None) => panic!("{} at {x}", case.name),
                        (_, got) => assert_eq!(got, None, "{} {element:?} at {x}", case.name),
                    }
                }
            }
        }
    }
    assert!(clamped > 300, "{clamped}");
}

#[test]
fn every_float_has_a_segment_or_none() {
    for name in ["tanh", "mish'", "elu, x<0"] {
        let f = named(name).oracle();
        let function = Function::new(&f, named(name).hints());
        for (_, table) in tables(&function) {
            let ends = [table.low, table.high].into_iter().flat_map(|end| {
                let bits = end.to_bits();
                (bits.saturating_sub(2000)..bits.saturating_add(2000)).map(f32::from_bits)
            });
            let all = (0..=u32::MAX).step_by(65_521).map(f32::from_bits);
            for x in all.chain(ends).chain([-0.0, f32::from_bits(1), -f32::from_bits(1)]) {
                let within = table.design.symmetry.fold(x);
                let inside = within >= table.low && within < table.high;
                assert!(!inside || table.eval(x).is_some(), "{name} {x:e}");
                assert!(!inside || table.grid.holds(within), "{name} {x:e}");
            }
        }
    }
}

/// A smooth function with a breakpoint at 1.5.
fn corner(x: f64) -> Number {
    if x < 1.5 { exact(x).tanh() } else { exact(1.5).tanh() - 0.25 * (exact(x) - 1.5) }
}

#[test]
fn a_kink_is_a_border() {
    let f = oracle(corner);
    let hints = Hints { kinks: vec![1.5], ..Hints::default() };
    let function = Function::new(&f, hints);
    for entries in WIDTHS {
        let table = function.fit(&Request::new(Element::F32, entries)).unwrap();
        let borders: Vec<f64> = (0..entries).map(|i| table.grid.start(i)).collect();
        assert!(borders.iter().any(|b| (b - 1.5).abs() < 1e-6), "{borders:?}");
        let mut x = 1.4999f32;
        let mut worst = 0.0f64;
        while x < 1.5001 {
            let got = table.eval(x).unwrap() as f64;
            worst = worst.max((got - corner(x as f64).value).abs() / 5.96e-8);
            x = x.next_up();
        }
        assert!(worst < 1.6, "{worst}");
    }
}

#[test]
fn corners_without_a_hint_are_refused() {
    // A grid may have a border at one of them by chance, but not at two that no grid contains.
    let f = oracle(|x| if x < 0.707 { exact(x) } else { corner(x + 0.2) });
    let function = Function::new(&f, Hints::default());
    let refusal = function.fit(&Request::new(Element::F32, 32)).unwrap_err();
    assert!(matches!(refusal, Refusal::Target { .. }), "{refusal}");
}

#[test]
fn tables_end_where_the_oracle_does() {
    // 1 - tanh^2 has lost its digits at 8.25, by its own error bound.
    let f = oracle(|x| 1.0 - exact(x).tanh() * exact(x).tanh());
    let function = Function::new(&f, Hints { limits: [Some(0.0); 2], ..Hints::default() });
    assert_eq!(function.symmetry(), Symmetry::Even);
    for degree in 6..9 {
        let request = Request { degrees: degree..=degree, ..Request::new(Element::F32, 32) };
        let table = function.fit(&request).unwrap();
        assert!(table.high > 7.8 && table.high < 8.5, "{}", table.high);
        for x in [0.1f32, 1.0, 4.0, 7.5] {
            let want = named("tanh'").truth(x as f64);
            assert!((table.eval(x).unwrap() as f64 / want - 1.0).abs() < 1.2e-7, "{x}");
        }
    }
}

#[test]
fn an_oracle_without_digits_near_zero_is_refused() {
    let naive = oracle(|x| exact(x) - exact(x).tanh());
    let refusal = Function::new(&naive, Hints::default()).fit(&Request::new(Element::F32, 32));
    let refusal = refusal.unwrap_err();
    assert!(matches!(refusal, Refusal::Unsure { at } if at.abs() < 0.01), "{refusal}");
    let root: Box<Oracle> = Box::new(oracle(|x| {
        let value = x.abs().sqrt();
        Number { value, error: value * 1e-16 }
    }));
    let refusal = Function::new(&*root, Hints::default()).fit(&Request::new(Element::F32, 32));
    assert_eq!(refusal.unwrap_err(), Refusal::Zero);
}

#[test]
fn symmetry_is_found_by_value() {
    let of = |name: &str| {
        let f = named(name).oracle();
        Function::new(&f, named(name).hints()).symmetry()
    };
    assert_eq!(of("tanh"), Symmetry::Odd);
    assert_eq!(of("log cosh"), Symmetry::Even);
    assert_eq!(of("mish"), Symmetry::None);
    assert!(matches!(of("gelu'"), Symmetry::Point { sum: 1.0, .. }));
    assert!(matches!(of("softplus"), Symmetry::Linear { slope: 1.0, .. }));
    // A sigmoid of another height, and mirrored.
    let f = oracle(|x| 2.5 / (exact(x).exp() + 1.0));
    let function = Function::new(&f, Hints::default());
    assert!(matches!(function.symmetry(), Symmetry::Point { sum: 2.5, .. }));
    let table = function.fit(&Request::new(Element::F32, 32)).unwrap();
    for x in [-3.0f32, 0.0, 3.0] {
        let want = 2.5 / (libm::exp(x as f64) + 1.0);
        assert!((table.eval(x).unwrap() as f64 / want - 1.0).abs() < 1.2e-7, "{x}");
    }
}

/// Values that are multiplied before they are rounded are close to the function before rounding.
#[test]
fn factors_are_near_before_they_are_rounded() {
    let mut worst = [0.0f64; 2];
    for case in &CASES {
        let oracle = case.oracle();
        let function = Function::new(&oracle, case.hints());
        for element in [F16, BF16] {
            for (k, multiplied) in [false, true].into_iter().enumerate() {
                let request = Request { multiplied, ..Request::new(element, 8) };
                let Ok(table) = function.fit(&request) else { continue };
                for x in element.inputs().into_iter().step_by(7) {
                    let Some(got) = table.eval(x) else { continue };
                    let want = case.truth(f64::from(x));
                    let unit = element.ulp(element.round(want));
                    let off = (f64::from(got) - want).abs() / unit;
                    worst[k] = worst[k].max(off);
                }
            }
        }
    }
    assert!(worst[1] <= 0.251 && worst[0] > 0.4, "{worst:?}");
}

/// A function keeps its correct results per format, however many formats it is fitted for.
#[test]
fn any_number_of_formats_is_fitted() {
    let case = named("sigmoid");
    let f = case.oracle();
    let function = Function::new(&f, case.hints());
    for precision in 6..=11 {
        let element = Element::new(precision, (-14, 15));
        let table = function.fit(&Request::new(element, 32)).expect("a table");
        let got = element.round(table.eval(1.0).expect("inside").into());
        assert_eq!(got, element.round(case.truth(1.0)), "{precision}");
    }
}
