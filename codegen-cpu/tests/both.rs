//! Joint tables in vectors must give the same bits as the fitter's scalar evaluation.

mod fitted;
mod levels;

use codegen_cpu::fit::{
    Bend, Centring, Design, Element, End, Function, Hints, Joint, Piece, Request, Symmetry,
};
use codegen_cpu::rt::math::both::Both;
use codegen_cpu::rt::math::table::Lut;
use codegen_cpu::rt::math::univariate::{Column, Table};
use codegen_cpu::rt::simd::{AtLevel, Isa, Level};
use codegen_cpu::rt::step::Floats;
use fearless_simd::prelude::*;
use fitted::{inputs, lasts};
use levels::levels;

/// Converts a joint table, and leaks it so that it lives as long as the program.
fn lasting<const N: usize>(joint: &Joint) -> Both<N> {
    let column =
        |of: &dyn Fn(&Piece) -> f32| Column(core::array::from_fn(|i| of(&joint.segments[i])));
    let Joint { steps, grid, .. } = joint;
    let columns = (0..=steps.degree).map(|k| column(&|piece| piece.a[k]));
    let (symmetry, degree) = (steps.symmetry, steps.degree);
    let none = lasts(Column([0.0; N]));
    Both {
        table: Table {
            design: Design {
                symmetry,
                centring: Centring::Own,
                degree,
                power: 0,
                pair: false,
                once: false,
            },
            index: grid.index,
            scale: grid.scale,
            first: grid.first,
            within: [joint.low, joint.high],
            ends: joint.ends,
            centres: lasts(column(&|piece| piece.centre)),
            high: none,
            a: columns.collect::<Vec<_>>().leak(),
        },
        slopes: steps.slope.then(|| lasts(column(&|piece| piece.slope))),
        thrice: steps.thrice,
        bend: steps.bend,
        bends: lasts(column(&|piece| piece.bend)),
    }
}

struct Values<'a, const N: usize>(&'a Both<N>, &'a [f32]);

impl<const N: usize> AtLevel for Values<'_, N>
where
    [f32; N]: Lut,
{
    /// Both values of each number that is inside the table.
    type Output = Vec<Option<[f32; 2]>>;
    fn at<S: Isa>(self, s: S) -> Self::Output {
        let Values(table, x) = self;
        let mut out = Vec::new();
        for part in x.chunks(2 * S::f32s::LEN) {
            let vector = |k: usize| {
                S::f32s::from_fn(s, |i| *part.get(k * S::f32s::LEN + i).unwrap_or(&-0.5))
            };
            let step = Floats::<S>([vector(0), vector(1)]);
            let (f, derivative) = table.values(s, step);
            let outside = table.table.outside(s, step, false);
            let inside = outside.select(Floats::splat(s, 0.0), Floats::splat(s, 1.0));
            let lanes = |x: Floats<S>| x.0.map(|v| v.as_slice().to_vec()).concat();
            let (f, derivative, inside) = (lanes(f), lanes(derivative), lanes(inside));
            // `all_inside` may be false for a NaN, and for lanes near an end.
            let all = table.table.all_inside(s, step, false);
            let [low, high] = table.table.within.map(|end| 0.9 * end.abs());
            let beside =
                |x: &f32| x.is_nan() || x.abs() >= if *x < 0.0 && low > 0.0 { low } else { high };
            let right = if all { !inside.contains(&0.0) } else { part.iter().any(beside) };
            assert!(right, "{part:?}");
            out.extend(
                (0..part.len()).map(|i| (inside[i] == 1.0).then_some([f[i], derivative[i]])),
            );
        }
        out
    }
}

fn compare<const N: usize>(name: &str, joint: &Joint)
where
    [f32; N]: Lut,
{
    // NaN may be inside or not, and numbers outside the domain have no defined result.
    let mut x = inputs([joint.low, joint.high]);
    x.retain(|x| !x.is_nan() && (joint.ends[1] != End::Unused || *x < joint.high));
    let table = lasting::<N>(joint);
    // Only levels with FMA use look-ups of this many entries.
    for level in levels().into_iter().filter(|level| level.has_fma()) {
        if (N == 32) != (level == Level::Avx512) {
            continue;
        }
        let got = level.run(Values(&table, &x)).expect("asked before");
        for (x, got) in x.iter().zip(got) {
            let want = joint.eval(*x).map(|(f, derivative)| [f, derivative]);
            let other = joint.eval(-x).map(|(f, derivative)| [f, derivative]);
            let bits = |both: Option<[f32; 2]>| both.map(|both| both.map(f32::to_bits));
            // Where a comparison selects the side, -0 is on the side of +0.
            let same = bits(got) == bits(want) || *x == 0.0 && (got == want || got == other);
            assert!(same, "{name}, {N} entries, {}: at {x:e} {got:?}, not {want:?}", level.name());
        }
        let nan = level.run(Values(&table, &[f32::NAN])).expect("asked before");
        assert!(nan[0].is_some_and(|both| both.into_iter().all(f32::is_nan)), "{name}");
        let beyond = (joint.ends[1] == End::SlowPath).then_some(joint.high);
        for vectors in beyond.into_iter().flat_map(beside_nan) {
            let all = level.run(AllInside(&table, vectors)).expect("asked before");
            assert!(!all, "{name}, {}: {vectors:?}", level.name());
        }
    }
}

/// Tests whether all lanes of four vectors are inside, where each vector repeats one number.
struct AllInside<'a, const N: usize>(&'a Both<N>, [f32; 4]);

impl<const N: usize> AtLevel for AllInside<'_, N>
where
    [f32; N]: Lut,
{
    type Output = bool;
    fn at<S: Isa>(self, s: S) -> bool {
        let step = Floats::<S, 4>(self.1.map(|x| S::f32s::splat(s, x)));
        self.0.table.all_inside(s, step, false)
    }
}

/// Vectors with `x` and a quiet or signalling NaN, which must not hide `x` from the test of its lane.
fn beside_nan(x: f32) -> impl Iterator<Item = [f32; 4]> {
    let nans =
        [0x7fc0_0000, 0xffc0_0000, 0x7f80_0001, 0xff80_0001, 0x7fbf_ffff].map(f32::from_bits);
    nans.into_iter().flat_map(move |nan| {
        let places = (0..4).flat_map(|i| (0..4).map(move |j| (i, j))).filter(|(i, j)| i != j);
        places.map(move |(i, j)| {
            let mut vectors = [-0.5; 4];
            (vectors[i], vectors[j]) = (x, nan);
            vectors
        })
    })
}

fn sigmoid(x: f64) -> f64 {
    if x < 0.0 { libm::exp(x) / (1.0 + libm::exp(x)) } else { 1.0 / (1.0 + libm::exp(-x)) }
}

fn bump(x: f64) -> f64 {
    libm::exp(-x * x)
}

/// `1 - tanh(x)^2`
fn tanh_slope(x: f64) -> f64 {
    let e = libm::exp(-2.0 * x.abs());
    4.0 * e / ((1.0 + e) * (1.0 + e))
}

/// A function in f64 whose error is no more than a few roundings.
type Oracle = fn(f64) -> f64;

#[rustfmt::skip]
const PAIRS: [(&str, Oracle, Oracle, f64); 8] = [
    ("sigmoid", sigmoid, |x| sigmoid(x) * sigmoid(-x), f64::INFINITY),
    ("silu", |x| x * sigmoid(x), |x| sigmoid(x) * (1.0 + x * sigmoid(-x)), f64::INFINITY),
    ("tanh", libm::tanh, tanh_slope, f64::INFINITY),
    ("erf", libm::erf, |x| core::f64::consts::FRAC_2_SQRT_PI * libm::exp(-x * x), f64::INFINITY),
    ("bump", bump, |x| -2.0 * x * bump(x), f64::INFINITY),
    ("x tanh(e^x)", |x| x * libm::tanh(libm::exp(x)),
        |x| libm::tanh(libm::exp(x)) + x * libm::exp(x) * tanh_slope(libm::exp(x)), f64::INFINITY),
    ("x^2 sigmoid", |x| x * x * sigmoid(x), |x| x * sigmoid(x) * (2.0 + x * sigmoid(-x)), f64::INFINITY),
    ("e^x - 1", libm::expm1, libm::exp, 0.0),
];

#[test]
fn vectors_do_what_the_fitter_says() {
    let mut steps = Vec::new();
    for (name, f, derivative, end) in PAIRS {
        let oracle = |f: Oracle| {
            move |x: &[f64]| -> Vec<(f64, f64)> {
                x.iter().map(|x| (f(*x), f(*x).abs() * 1e-15)).collect()
            }
        };
        let (f, derivative) = (oracle(f), oracle(derivative));
        let hints = Hints { domain: [f64::NEG_INFINITY, end], ..Hints::default() };
        let (f, derivative) = (Function::new(&f, hints.clone()), Function::new(&derivative, hints));
        for entries in [32, 8] {
            // Loose targets, because the accuracy of the tables is not tested here.
            let request = Request { target: 1.2, most: 3.0, ..Request::joint(entries) };
            assert_eq!(request.element, Element::F32);
            let Ok(joint) = f.fit_with(&derivative, &request) else {
                assert_eq!(entries, 8, "{name}");
                continue;
            };
            match entries {
                32 => compare::<32>(name, &joint),
                _ => compare::<8>(name, &joint),
            }
            steps.push(joint.steps);
        }
    }
    let symmetries: [fn(&Symmetry) -> bool; 5] = [
        |s| *s == Symmetry::None,
        |s| *s == Symmetry::Even,
        |s| *s == Symmetry::Odd,
        |s| matches!(s, Symmetry::Point { .. }),
        |s| matches!(s, Symmetry::Linear { .. }),
    ];
    for (k, wanted) in symmetries.into_iter().enumerate() {
        assert!(steps.iter().any(|steps| wanted(&steps.symmetry)), "symmetry {k}");
    }
    for wanted in [Bend::Plain, Bend::High, Bend::Double] {
        assert!(steps.iter().any(|steps| steps.bend == wanted), "{wanted:?}");
    }
    for (slope, thrice) in [(false, false), (false, true), (true, false), (true, true)] {
        let has = |s: &codegen_cpu::fit::Steps| (s.slope, s.thrice) == (slope, thrice);
        assert!(steps.iter().any(has), "{slope} {thrice}");
    }
}
