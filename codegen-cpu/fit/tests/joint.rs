//! Accuracy of joint tables: both values of their models compared with the reference, at all exponents.

mod common;

use common::measure::strided;
use common::pairs::{Both, pair, pairs};
use op_dsl_fit::serialize::Serialize;
use op_dsl_fit::{Bend, Element, Function, Joint, Oracle, Refusal, Request, Symmetry};

/// Least unit of errors within a half of a zero.
const FLAT: f64 = 1.0 / (1u32 << 30) as f64;

/// Maximum error of both values in units in the last place, in 32 segments.
const BAR: f64 = 1.3;

/// Maximum error in fewer segments, which are four times as wide.
///
/// It is larger because gelu has no table there whose bound of rounding is within 1.3.
const NARROW: f64 = 1.4;

/// Maximum error of functions with double zeros.
///
/// Their squares below the least normal float are off by as much.
const DOUBLE: f64 = 1.5;

/// Returns the joint table of a pair, and the roots of both functions.
fn fitted(both: &Both, entries: usize) -> (Result<Joint, Refusal>, [Vec<f64>; 2]) {
    let (f, derivative) = (both.f.oracle(), both.derivative.oracle());
    let f = Function::new(&f, both.f.hints());
    let derivative = Function::new(&derivative, both.derivative.hints());
    let joint = f.fit_with(&derivative, &Request::joint(entries));
    (joint, [&f, &derivative].map(|f| f.roots().to_vec()))
}

/// Returns the largest errors of both values at these inputs, in units in the last place.
fn measured(
    both: &Both,
    roots: &[Vec<f64>; 2],
    joint: &Joint,
    inputs: impl Iterator<Item = f32>,
) -> [f64; 2] {
    let mut most = [0.0; 2];
    let [low, high] = both.f.domain;
    for x in inputs.filter(|x| x.is_finite() && (low..=high).contains(&f64::from(*x))) {
        let Some(got) = joint.eval(x) else { continue };
        let at = f64::from(x);
        let truths = [both.f.truth(at), both.derivative.truth(at)];
        for (k, (got, want)) in [got.0, got.1].into_iter().zip(truths).enumerate() {
            let near = roots[k].iter().any(|r| (at - r).abs() < 0.5);
            let unit = Element::F32.ulp(want).max(if near { FLAT } else { 0.0 });
            let off = (f64::from(got) - want).abs() / unit;
            if off > most[k] || off.is_nan() {
                most[k] = off;
            }
        }
    }
    most
}

/// Returns a report on all pairs with tables of a width, and those whose error is over the limit.
fn report(entries: usize, thin: usize) -> (String, Vec<String>) {
    let mut wrong = Vec::new();
    let mut report = String::from(
        "function symmetry degree slope thrice bend look-ups operations [from, to) ulp, of the derivative\n",
    );
    for both in pairs() {
        let (joint, roots) = fitted(&both, entries);
        let joint = match joint {
            Ok(joint) => joint,
            Err(why) => {
                report += &format!("{:18} {why}\n", both.f.name);
                continue;
            }
        };
        let [f, derivative] = measured(&both, &roots, &joint, strided(thin));
        let bar = if entries < 32 { NARROW } else { BAR };
        let double = if joint.steps.bend == Bend::Double { DOUBLE } else { bar };
        if !(f <= double && derivative <= bar) {
            wrong.push(format!("{} on {entries}: {f} {derivative}", both.f.name));
        }
        let symmetry = match joint.steps.symmetry {
            Symmetry::None => "none",
            Symmetry::Even => "even",
            Symmetry::Odd => "odd",
            Symmetry::Point { .. } => "point",
            Symmetry::Linear { .. } => "linear",
        };
        let bend = match joint.steps.bend {
            Bend::Plain => "-",
            Bend::High => "high",
            Bend::Double => "double",
        };
        report += &format!(
            "{:18} {symmetry:6} {:2} {:5} {:6} {bend:6} {:2} {:2} [{:6.3}, {:6.3}) {f:.3} {derivative:.3}\n",
            both.f.name,
            joint.steps.degree,
            if joint.steps.slope { "slope" } else { "-" },
            if joint.steps.thrice { "thrice" } else { "-" },
            joint.steps.look_ups(),
            joint.steps.operations(),
            joint.low,
            joint.high,
        );
    }
    (report, wrong)
}

#[test]
fn in_32_segments() {
    let (report, wrong) = report(32, 16);
    insta::assert_snapshot!(report);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn in_8_segments() {
    let (report, wrong) = report(8, 16);
    insta::assert_snapshot!(report);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The same with a hundred times as many floats, which takes minutes.
#[test]
#[ignore = "takes minutes"]
fn more_closely() {
    let mut all = Vec::new();
    for entries in [32, 8] {
        let (report, wrong) = report(entries, 0);
        println!("{entries} segments\n{report}");
        all.extend(wrong);
    }
    assert!(all.is_empty(), "{all:#?}");
}

/// A function that is not the derivative has no joint table.
#[test]
fn a_wrong_derivative_is_refused() {
    for name in ["silu", "gelu", "mish", "tanh", "elu, x<0"] {
        let both = pair(name);
        let f = both.f.oracle();
        let f = Function::new(&f, both.f.hints());
        for factor in [-1.0, 1.001, 0.999] {
            let truth = both.derivative.oracle();
            let wrong: Box<Oracle> = Box::new(move |x| {
                truth(x).into_iter().map(|(v, error)| (v * factor, error)).collect()
            });
            let wrong = Function::new(&*wrong, both.derivative.hints());
            let refusal = f.fit_with(&wrong, &Request::joint(32)).unwrap_err();
            assert!(matches!(refusal, Refusal::Derivative { .. }), "{name} by {factor}: {refusal}");
        }
    }
}

/// Every number of a table matters: a small change of one shows in at least one of both values.
#[test]
fn every_coefficient_is_seen() {
    let both = pair("silu");
    let (joint, roots) = fitted(&both, 32);
    let joint = joint.unwrap();
    for i in 0..joint.segments.len() {
        let (start, end) = (joint.grid.start(i), joint.grid.start(i + 1));
        let inputs = || (0..64).map(|q| -(start + (end - start) * (q as f64 + 0.5) / 64.0) as f32);
        let far = [start, end].map(|z| (z - f64::from(joint.segments[i].centre)).abs());
        let far = far[0].max(far[1]);
        let seen = |change: &dyn Fn(&mut op_dsl_fit::Piece)| {
            let mut wrong = joint.clone();
            change(&mut wrong.segments[i]);
            let errors = measured(&both, &roots, &wrong, inputs());
            errors[0].max(errors[1])
        };
        assert!(seen(&|_| ()) <= BAR);
        // Change of a coefficient that moves the derivative by some units at the far end.
        let middle = both.derivative.truth(-0.5 * (start + end));
        let step = 16.0 * Element::F32.ulp(middle).max(FLAT);
        for k in 1..=joint.steps.degree {
            let by = step / (k as f64 * far.powi(k as i32 - 1));
            let off = seen(&|piece| piece.a[k] = (f64::from(piece.a[k]) + by) as f32);
            assert!(off > BAR, "segment {i}, coefficient {k}: {off}");
        }
        let off = seen(&|piece| piece.a[0] = (piece.a[0] * 1.000_001) + 1e-30);
        assert!(off > BAR || i == 0, "segment {i}, value: {off}");
        let off = seen(&|piece| piece.centre += 0.01 * (end - start) as f32);
        assert!(off > BAR, "segment {i}, centre: {off}");
    }
    let both = pair("erf");
    let (joint, roots) = fitted(&both, 32);
    let mut wrong = joint.unwrap();
    wrong.segments[0].slope = wrong.segments[0].slope.next_up();
    let errors = measured(&both, &roots, &wrong, strided(64));
    assert!(errors[0] > BAR, "{errors:?}");
}

#[test]
fn zeros_keep_their_signs_and_nothing_is_said_outside() {
    for entries in [32, 8] {
        for both in pairs() {
            let (Ok(joint), _) = fitted(&both, entries) else { continue };
            for zero in [-0.0f32, 0.0] {
                let beside = if zero.is_sign_negative() { -1e-30 } else { 1e-30 };
                let Some((f, derivative)) = joint.eval(zero) else { continue };
                let want = both.f.truth(beside);
                let want =
                    if want.abs() < 1e-20 { 0f32.copysign(want as f32) } else { want as f32 };
                assert_eq!(f.to_bits(), want.to_bits(), "{} at {zero:?}: {f:?}", both.f.name);
                let want = both.derivative.truth(beside);
                let want =
                    if want.abs() < 1e-20 { 0f32.copysign(want as f32) } else { want as f32 };
                assert_eq!(derivative.to_bits(), want.to_bits(), "{}' at {zero:?}", both.f.name);
            }
            assert!(joint.eval(f32::NAN).is_some_and(|(f, slope)| f.is_nan() && slope.is_nan()));
            for x in [joint.high, f32::INFINITY, f32::MAX] {
                assert_eq!(joint.eval(x), None, "{} at {x}", both.f.name);
            }
            let last = joint.high.next_down();
            assert!(joint.eval(last).is_some() && joint.grid.holds(last), "{}", both.f.name);
            assert!(joint.grid.holds(joint.low) && joint.eval(joint.low).is_some());
        }
    }
}

#[test]
fn words_are_read_again() {
    for name in ["silu", "mish", "sigmoid", "x tanh x sigmoid x"] {
        let joint = fitted(&pair(name), 32).0.unwrap();
        let mut words = Vec::new();
        joint.write(&mut words);
        let mut rest = &words[..];
        let read = Joint::read(&mut rest).unwrap();
        assert!(rest.is_empty());
        assert_eq!(Joint { ulp: joint.ulp, ..read }, joint);
        assert_eq!(Joint::read(&mut &words[..words.len() - 1]), None);
    }
}
