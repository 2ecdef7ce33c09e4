//! The kinds of numbers against each other.
//!
//! They are also compared with themselves in more bits, and with tables from another program.
#![allow(missing_docs)]

use op_dsl_ir::Prim;
use op_dsl_ir::prim::TABLE;
use op_dsl_truth::ball::Ball;
use op_dsl_truth::compensated::Compensated;
use op_dsl_truth::near::Near;
use op_dsl_truth::real::{Gamma, Real};
use op_dsl_truth::rules;
use op_dsl_truth::tower::Tower;

/// Number of random points for each primitive. With 300 these tests took 20 CPU seconds (Zen 4, 2026-11) and found nothing that 120 do not.
const RANDOM: usize = 120;

/// Returns points over many exponents, of either sign, and a few exact ones.
fn points() -> Vec<f64> {
    let mut seed = 1u64;
    let mut next = || {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        seed >> 32
    };
    let mut random = || {
        let exponent = (next() % 60) as i32 - 50;
        let mantissa = 1.0 + next() as f64 / 4_294_967_296.0;
        let sign = if next() % 2 == 0 { 1.0 } else { -1.0 };
        f64::from((sign * mantissa * f64::from(exponent).exp2()) as f32)
    };
    let exact = [0.0, 1.0, -1.0, 0.5, -0.75, 2.0, 3.5, -9.0, 20.0, -30.0, 88.0, -104.0];
    exact.into_iter().chain((0..RANDOM).map(|_| random())).collect()
}

/// Returns the value of a primitive's call, and its slopes.
fn call<R: Real>(prim: Prim, args: [&R; 3]) -> Vec<R> {
    let this = rules::value(prim, args);
    let slopes = rules::slopes(prim, args, &this);
    [Some(this)].into_iter().chain(slopes).flatten().collect()
}

fn balls(prim: Prim, at: [f64; 3], precision: usize) -> Vec<Ball> {
    let args = at.map(|v| Ball::exact(v, precision));
    call(prim, [&args[0], &args[1], &args[2]])
}

fn each(mut f: impl FnMut(Prim, [f64; 3])) {
    let points = points();
    for row in TABLE {
        for (i, x) in points.iter().enumerate() {
            let other = |k: usize| points[(i * 7 + k) % points.len()];
            let first = if row.prim == Prim::Select { f64::from(u8::from(*x > 0.0)) } else { *x };
            f(row.prim, [first, other(3), other(5)]);
        }
    }
}

/// The error bounds of compensated numbers hold, in f64 and in more bits.
#[test]
fn compensated_numbers_are_off_by_no_more_than_they_say() {
    fn compensated<R: Real>(prim: Prim, at: [f64; 3], number: impl Fn(f64) -> R) -> Vec<R> {
        let args = at.map(|v| Compensated::exact(v, &number));
        let all = call(prim, [&args[0], &args[1], &args[2]]);
        all.iter().map(Compensated::sum).collect()
    }
    let (mut decided, mut all) = (0, 0);
    each(|prim, at| {
        let near = compensated(prim, at, Near::exact);
        let tower = compensated(prim, at, |v| Tower::exact(v, 128));
        for ((near, tower), ball) in near.iter().zip(tower).zip(balls(prim, at, 512)) {
            let (is, want) = (near.value, ball.to_f64());
            let good = near.off.is_infinite()
                || is == want
                || is.is_nan() && want.is_nan()
                || (is - want).abs() <= near.off + 1e-15 * want.abs();
            assert!(good, "{prim:?} {at:?}: {near:?}, not {want:e}");
            let Tower::Ball(tower) = tower else { panic!("{prim:?} {at:?}: {tower:?}") };
            assert!(tower.agrees(&ball), "{prim:?} {at:?}: {tower:?}, not {ball:?}");
            let is_decided = near.off <= 1e-12 * is.abs() || near.exactly().is_some();
            (decided, all) = (decided + u32::from(is_decided), all + 1);
        }
    });
    assert!(20 * decided > 19 * all, "{decided} of {all}");
}

/// The error bounds of f64 numbers hold.
#[test]
fn f64_is_off_by_no_more_than_it_says() {
    each(|prim, at| {
        let near = call(prim, [&Near::exact(at[0]), &Near::exact(at[1]), &Near::exact(at[2])]);
        for (k, (near, ball)) in near.iter().zip(balls(prim, at, 512)).enumerate() {
            let (is, want) = (near.value, ball.to_f64());
            let good = near.off.is_infinite()
                || is == want
                || (is.is_nan() && want.is_nan())
                || (is - want).abs() <= near.off + want.abs() * f64::EPSILON;
            assert!(good, "{prim:?} {at:?} {k}: {near:?}, {want:e}");
        }
    });
}

/// f64 decides nearly all elements that occur in networks.
#[test]
fn f64_says_something() {
    let (mut all, mut known) = (0, 0);
    each(|prim, at| {
        let near = call(prim, [&Near::exact(at[0]), &Near::exact(at[1]), &Near::exact(at[2])]);
        all += near.len();
        let close = |y: &&Near| y.off <= y.value.abs() * f64::from(-40).exp2() + 1e-60;
        known += near.iter().filter(close).count();
    });
    assert!(known as f64 > 0.9 * all as f64, "{known} of {all}");
}

/// Results in few bits differ from those in many by no more than their bounds, also for inexact arguments.
#[test]
fn more_bits_stay_within_the_bound_of_few() {
    each(|prim, at| {
        for inexact in [false, true] {
            let of = |precision: usize| {
                let args = at.map(|v| {
                    let third = Ball::exact(3.0, precision);
                    let v = Ball::exact(v, precision);
                    if inexact && prim != Prim::Select {
                        v * (third.clone() / third.num(7.0))
                    } else {
                        v
                    }
                });
                call(prim, [&args[0], &args[1], &args[2]])
            };
            for (few, many) in of(96).into_iter().zip(of(400)) {
                assert!(few.agrees(&many), "{prim:?} {at:?} {inexact}: {few:?} {many:?}");
            }
        }
    });
}

/// Rounds sums and quotients on either side of ties and at them, also where f64 has no digits behind the point.
#[test]
fn inexact_numbers_are_rounded_as_exact_ones() {
    fn check<R: Real>(number: impl Fn(f64) -> R, value: impl Fn(R) -> f64) {
        let rounded = |x: R| value(rules::value(Prim::Round, [&x, &x, &x]));
        let (large, tiny) = (f64::from(53).exp2(), f64::from(-90).exp2());
        for (x, y, want) in [
            (2.5, 0.0, 2.0),
            (2.5, tiny, 3.0),
            (2.5, -tiny, 2.0),
            (-3.5, tiny, -3.0),
            (-3.5, 0.0, -4.0),
            (large, 1.5, large + 2.0),
            (large, 0.5 + tiny, large + 1.0),
            (tiny, 0.0, 0.0),
            (1.0, tiny, 1.0),
        ] {
            assert_eq!(rounded(number(x) + number(y)), want, "{x} + {y}");
        }
        for (x, y, want) in [(7.0, 3.0, 2.0), (-8.0, 3.0, -3.0), (1e6, 7.0, 142_857.0)] {
            assert_eq!(rounded(number(x) / number(y)), want, "{x} / {y}");
        }
    }
    check(|v| Ball::exact(v, 256), |y| y.to_f64());
    check(|v| Compensated::exact(v, |v| Tower::exact(v, 256)), |y| y.sum().to_f64());
    // f64 says that it does not know.
    let third = Near::exact(1.0) / Near::exact(3.0);
    let tie = third * Near::exact(1.5);
    assert!(rules::value(Prim::Round, [&tie, &tie, &tie]).off >= 0.5);
}

/// Compares slopes with differences of values.
#[test]
fn slopes_are_those_of_the_values() {
    let step = f64::from(-40).exp2();
    let others = [Prim::Select, Prim::WithGrad, Prim::Trigamma];
    for row in TABLE.iter().filter(|r| !r.prim.is_comparison() && !others.contains(&r.prim)) {
        for i in -40..40 {
            let at = [0.07 + 0.11 * f64::from(i), 1.71 - 0.05 * f64::from(i), 0.9];
            let inside = at[0] >= row.domain.0 && at[0] <= row.domain.1;
            let jumps = match row.prim {
                Prim::Round => at[0].fract().abs() == 0.5,
                Prim::Rem => (at[0] / at[1] - (at[0] / at[1]).round()).abs() < 1e-9,
                _ => false,
            };
            if !inside || at[0] == at[1] || jumps {
                continue;
            }
            let here = balls(row.prim, at, 256);
            for k in 0..row.arity {
                let value = |by: f64| {
                    let mut args = at.map(|v| Ball::exact(v, 256));
                    args[k] = args[k].clone() + Ball::exact(by, 256);
                    rules::value(row.prim, [&args[0], &args[1], &args[2]])
                };
                let twice = Ball::exact(2.0 * step, 256);
                let want = ((value(step) - value(-step)) / twice).to_f64();
                // A slope that is left out is 0.
                let got = here.get(1 + k).map_or(0.0, Ball::to_f64);
                let close = (got - want).abs() <= 1e-15 * (want.abs() + value(0.0).to_f64().abs());
                assert!(close || got == want, "{} {at:?} {k}: {got} {want}", row.name);
            }
        }
    }
}

/// Compares with values that were computed to 25 digits by another program.
#[test]
fn values_are_those_of_a_table() {
    let table = include_str!("../../../codegen-cpu/tests/data/activation_reference.csv");
    let mut judged = 0;
    for line in table.lines().skip(1) {
        let mut fields = line.split(',');
        let [name, x, want] = [(); 3].map(|()| fields.next().expect("three fields"));
        let Some(prim) = Prim::named(name) else { continue };
        let (x, want): (f64, f64) = (x.parse().expect("a number"), want.parse().expect("a number"));
        let got = balls(prim, [x; 3], 200)[0].to_f64();
        // The table's cubic coefficient is a decimal number, but in formulas it is the nearest f64.
        let relative = if name.contains("tanh") { 1e-11 } else { 2.3e-16 };
        assert!(
            (got - want).abs() <= want.abs() * relative,
            "{name}({x}) is {got:e}, not {want:e}"
        );
        judged += 1;
    }
    assert!(judged > 1000);
}

/// Tests the functions that the library lacks, on either side of where their method changes.
#[test]
fn erfc_is_one_function() {
    // Values computed by mpmath with 30 digits.
    for (x, want) in [
        (0.5, 0.479_500_122_186_953_5_f64),
        (2.0, 0.004_677_734_981_047_266),
        (4.0, 1.541_725_790_028_002e-8),
        (6.0, 2.151_973_671_249_891e-17),
        (12.0, 1.356_261_169_205_904_2e-64),
        (-3.0, 1.999_977_909_503_001_4),
    ] {
        for precision in [64, 128, 300, 1000] {
            let got = Ball::exact(x, precision).erfc().to_f64();
            assert!((got - want).abs() <= want * 4e-16, "erfc({x}) at {precision}: {got:e}");
        }
    }
}

/// Tests exponents beyond those of machine numbers.
#[test]
fn exponents_have_no_bound() {
    let x = Ball::exact(1e38, 200);
    let one = x.num(1.0);
    let is_one = |y: Ball| assert!((y.to_f64() - 1.0).abs() < 1e-15, "{y:?}");
    is_one(x.exp().ln() / x.clone());
    is_one(x.exp() / (one.clone() + x.exp()));
    is_one((x.exp() - one.clone()) * (-x.clone()).exp());
    is_one(x.exp().sqrt() * (x.clone() * x.num(-0.5)).exp());
    assert_eq!((-x.clone()).exp().to_f64(), 0.0);
    assert_eq!(x.exp().to_f64(), f64::INFINITY);
    assert_eq!(((-x.clone()).exp() + one.clone()).ln().to_f64(), 0.0);
    is_one(x.exp().atan() / x.pi() * x.num(2.0));
    assert_eq!(x.num(1e30).erfc().to_f64(), 0.0);
    assert!((x.exp() - x.exp() * x.num(0.3)).to_f64() > 0.0);
}

/// Tests numbers whose exponents cannot be stored.
#[test]
fn towers_have_the_limits_of_every_function() {
    let x = Tower::exact(1e38, 200).exp().exp();
    let (num, nothing) = (|v| x.num(v), || x.num(1.0) / x.clone());
    let is = |y: Tower, want: f64| {
        let close = (y.to_f64() - want).abs() <= 1e-15 * want.abs();
        assert!(close || y.to_f64() == want, "{y:?}, not {want}");
    };
    is(x.clone(), f64::INFINITY);
    is(-x.clone(), f64::NEG_INFINITY);
    is(nothing(), 0.0);
    assert_eq!(nothing().sign(), Some(std::cmp::Ordering::Greater));
    is(x.ln().ln(), 1e38);
    is(x.exp().exp().ln().ln() / x.clone(), 1.0);
    is((x.clone() * num(3.0) - x.clone()) / x.clone(), 2.0);
    is((x.clone() * x.clone() - x.clone()).sqrt() / x.clone(), 1.0);
    is(x.sqrt() * x.sqrt() / x.exp(), 0.0);
    is((-x.clone()).exp() * x.clone(), 0.0);
    is(nothing().expm1() * x.clone(), 1.0);
    is(nothing().log1p() * x.clone(), 1.0);
    is((x.log1p() - x.ln()) / x.ln(), 0.0);
    is(nothing().exp(), 1.0);
    is((-x.clone()).expm1(), -1.0);
    is(nothing().sin() * x.clone(), 1.0);
    is(nothing().cos(), 1.0);
    is((-x.clone()).atan(), -std::f64::consts::FRAC_PI_2);
    is((-x.clone()).erf(), -1.0);
    is(nothing().erf() * x.clone(), std::f64::consts::FRAC_2_SQRT_PI);
    is(x.erfc() * x.clone(), 0.0);
    is((-x.clone()).erfc(), 2.0);
    is(nothing().erfc(), 1.0);
    is(x.clone() * num(0.0), 0.0);
    assert!((x.clone() * num(f64::NAN)).is_nan() && (-x.clone()).ln().is_nan());
    // The sine is unknown, and so is the difference of two towers that are equal up to an error.
    assert!(x.sin().to_f64().is_nan());
    let other = (num(1e38).exp() + num(1.0)).exp();
    assert!((other - x.clone()).to_f64().is_nan());
}

/// Compares with values that mpmath computed to 30 digits, and with the error function itself.
#[test]
fn inverses_of_erf_are_those_of_a_table() {
    for (x, want) in [
        (7.174648137343064e-43, 6.3583663599629005e-43),
        (1e-05, 8.862269254759594e-6),
        (0.25, 0.2253120550121781),
        (0.4999, 0.4768250236254278),
        (0.5, 0.4769362762044699),
        (0.75, 0.8134198475976185),
        (0.99, 1.8213863677184494),
        (0.9999999403953552, 3.832506856900711),
        (0.9999999999999999, 5.8635847487551676),
    ] {
        let near = Near::exact(x).erfinv();
        assert!((near.value - want).abs() <= near.off + 2e-16 * want, "{x}: {near:?}");
        assert!(near.off <= 1e-13 * want, "{x}: {near:?}");
        // The error function of a number with an error loses as many bits as it is close to 1.
        for &bits in if x < 0.999 { &[128, 512][..] } else { &[128] } {
            let x = Ball::exact(x, bits);
            let y = x.erfinv();
            assert!(y.has_bits(bits as f64 - 50.0), "{} {bits} {y:?}", x.to_f64());
            assert!(y.erf().agrees(&x), "{} {bits}", x.to_f64());
            assert!((y.to_f64() - want).abs() <= 3e-16 * want);
        }
    }
}

/// Compares with values that mpmath computed to 30 digits, next to zeros and poles too.
#[test]
fn gamma_functions_are_those_of_a_table() {
    for (x, want) in [
        (1e-05, [11.512919692895826, -100000.57719921567, 10000000001.644909]),
        (0.25, [1.2880225246980774, -4.2274535333762655, 17.19732915450711]),
        (1.0000001192092896, [-6.880945764253472e-08, -0.5772154688101285, 1.6449337802555737]),
        (1.4616321325302124, [-0.12148629053584953, -1.203605254910667e-08, 0.9676722564619307]),
        (1.9999998807907104, [-5.0399815637755424e-08, 0.42278425821633236, 0.6449341150223497]),
        (2.000000238418579, [1.0079965877070314e-07, 0.42278448886271947, 0.644933970500001]),
        (3.5, [1.2009736023470743, 1.103156640645243, 0.3303577561002349]),
        (7.75, [8.025458396315983, 1.9817915626943456, 0.13771379144765566]),
        (30.125, [71.68035816575576, 3.388666065766909, 0.03375207042319792]),
        (10000000000.0, [220258509288.81058, 23.025850929890456, 1.00000000005e-10]),
        (1e300, [6.897755278982137e302, 690.7755278982137, 1e-300]),
        (-1e-05, [11.512931237209125, 99999.42276788563, 10000000001.644957]),
        (-0.5, [1.2655121234846454, 0.03648997397857652, 8.934802200544679]),
        (-1.4999, [0.8601173779367401, 0.7040945641611541, 9.379223997555352]),
        (-2.4570248126983643, [-1.1287842529645816e-07, 1.515602724349865, 9.716641272611417]),
        (-3.000000238418579, [13.457478203609037, 4194305.256116952, 17592186044419.008]),
        (-11.75, [-17.866927744094987, -0.6357893771884378, 19.657621376522815]),
        (-104.5, [-383.4396485905979, 4.653964129387031, 9.86008066354973]),
        (-1000000.5, [-12815524.147683937, 13.815511557963816, 9.869603401090359]),
    ] {
        for (which, want) in [Gamma::Log, Gamma::Digamma, Gamma::Trigamma].into_iter().zip(want) {
            let close = |v: f64| (v - want).abs() <= 3e-16 * want.abs();
            let near = Near::exact(x).gamma(which);
            assert!((near.value - want).abs() <= near.off + 2e-16 * want.abs(), "{x}: {near:?}");
            assert!(near.off <= 1e-12 * want.abs().max(1.0), "{which:?} {x}: {near:?}");
            for bits in [128, 512, 2048] {
                let y = Ball::exact(x, bits).gamma(which);
                assert!(y.has_bits(bits as f64 - 64.0) && close(y.to_f64()), "{which:?} {x} {y:?}");
            }
        }
    }
}

#[test]
fn gamma_functions_at_poles_and_infinities() {
    let inf = f64::INFINITY;
    for (x, want) in [
        (0.0, [inf, -inf, inf]),
        (-0.0, [inf, inf, inf]),
        (-3.0, [inf, -inf, inf]),
        (inf, [inf, inf, 0.0]),
        (-inf, [inf, -inf, inf]),
    ] {
        for (which, want) in [Gamma::Log, Gamma::Digamma, Gamma::Trigamma].into_iter().zip(want) {
            assert_eq!(Near::exact(x).gamma(which).value, want, "{which:?} {x}");
            // A ball has no negative zero.
            if x.to_bits() != (-0f64).to_bits() {
                assert_eq!(Ball::exact(x, 128).gamma(which).to_f64(), want, "{which:?} {x}");
            }
        }
    }
    assert!(Near::exact(f64::NAN).gamma(Gamma::Log).is_nan());
}

#[test]
fn inverses_of_erf_at_its_ends() {
    let at = |x: f64| Near::exact(x).erfinv().value;
    assert_eq!([at(1.0), at(-1.0), at(0.0)], [f64::INFINITY, f64::NEG_INFINITY, 0.0]);
    assert!(at(1.5).is_nan() && at(f64::NEG_INFINITY).is_nan() && at(f64::NAN).is_nan());
    assert_eq!(at(-0.5), -at(0.5));
}
