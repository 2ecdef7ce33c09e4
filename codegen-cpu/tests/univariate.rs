//! Fitted tables in vectors must give the same bits as the fitter's scalar evaluation.

mod fitted;
mod levels;

use codegen_cpu::fit::{Element, Function, Hints, Index, Request, Symmetry, Table as Fitted};
use codegen_cpu::rt::elem::El;
use codegen_cpu::rt::math::double_float::DoubleFloat;
use codegen_cpu::rt::math::table::Lut;
use codegen_cpu::rt::math::tail::{Curve, Tail};
use codegen_cpu::rt::math::univariate::{Column, Table};
use codegen_cpu::rt::simd::{AtLevel, Isa, Level};
use codegen_cpu::rt::step::Floats;
use core::marker::PhantomData;
use fearless_simd::prelude::*;
use fitted::{inputs, lasts};
use half::f16;
use levels::levels;
use op_dsl_ir::DType;

/// Converts a table, and leaks its columns so that they live as long as the program.
fn lasting<const N: usize>(fitted: &Fitted) -> Table<N> {
    let column = |of: &dyn Fn(usize) -> f32| Column(core::array::from_fn(of));
    let segments = &fitted.segments;
    let columns = (0..=fitted.design.degree - fitted.design.pair as usize)
        .map(|k| column(&|i| segments[i].a[k]));
    Table {
        design: fitted.design,
        index: fitted.grid.index,
        scale: fitted.grid.scale,
        first: fitted.grid.first,
        within: [fitted.low, fitted.high],
        ends: fitted.ends,
        centres: lasts(column(&|i| segments[i].centre)),
        high: lasts(column(&|i| segments[i].high)),
        a: columns.collect::<Vec<_>>().leak(),
    }
}

struct Values<'a, const N: usize>(&'a Table<N>, &'a [f32]);

impl<const N: usize> AtLevel for Values<'_, N>
where
    [f32; N]: Lut,
{
    /// Value of each number that is inside the table.
    type Output = Vec<Option<f32>>;
    fn at<S: Isa>(self, s: S) -> Vec<Option<f32>> {
        let Values(table, x) = self;
        let mut out = Vec::new();
        for part in x.chunks(2 * S::f32s::LEN) {
            let vector =
                |k: usize| S::f32s::from_fn(s, |i| *part.get(k * S::f32s::LEN + i).unwrap_or(&0.5));
            let step = Floats::<S>([vector(0), vector(1)]);
            let (y, outside) = (table.value(s, step, None), table.outside(s, step, false));
            let inside = outside.select(Floats::splat(s, 0.0), Floats::splat(s, 1.0));
            let lanes = y.0.iter().flat_map(|v| v.as_slice().to_vec());
            let known = inside.0.iter().flat_map(|v| v.as_slice().to_vec());
            out.extend(
                lanes.zip(known).map(|(y, inside)| (inside == 1.0).then_some(y)).take(part.len()),
            );
        }
        out
    }
}

fn compare<const N: usize>(name: &str, fitted: &Fitted)
where
    [f32; N]: Lut,
{
    let x = inputs([fitted.low, fitted.high]);
    let table = lasting::<N>(fitted);
    // Only levels with FMA use look-ups of this many entries.
    for level in levels().into_iter().filter(|level| level.has_fma()) {
        if (N == 32) != (level == Level::Avx512) {
            continue;
        }
        let got = level.run(Values(&table, &x)).expect("asked before");
        for (x, got) in x.iter().zip(got) {
            let want = fitted.eval(*x);
            let same = match (got, want) {
                // Where a comparison selects the side, -0 is on the side of +0.
                (Some(got), Some(want)) => {
                    let beside = fitted.eval(-x).is_some_and(|other| got == other);
                    let alike = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
                    alike || *x == 0.0 && (got == want || beside)
                }
                (got, want) => got.is_some() == want.is_some(),
            };
            assert!(same, "{name}, {N} entries, {}: at {x:e} {got:?}, not {want:?}", level.name());
        }
    }
}

/// A function in f64 whose error is no more than a few roundings.
type Oracle = fn(f64) -> f64;

fn sigmoid(x: f64) -> f64 {
    if x < 0.0 { libm::exp(x) / (1.0 + libm::exp(x)) } else { 1.0 / (1.0 + libm::exp(-x)) }
}

#[rustfmt::skip]
const FUNCTIONS: [(&str, Oracle, &[f64]); 6] = [
    ("sigmoid", sigmoid, &[]),
    ("silu", |x| x * sigmoid(x), &[]),
    ("tanh", libm::tanh, &[]),
    ("bump", |x| libm::exp(-x * x), &[]),
    ("x tanh(e^x)", |x| x * libm::tanh(libm::exp(x)), &[]),
    ("elu", |x| if x > 0.0 { x } else { libm::expm1(x) }, &[0.0]),
];

#[test]
fn vectors_do_what_the_fitter_says() {
    let (mut symmetries, mut once) = (Vec::new(), 0);
    for (name, f, kinks) in FUNCTIONS {
        let oracle = |x: &[f64]| -> Vec<(f64, f64)> {
            x.iter().map(|x| (f(*x), f(*x).abs() * 1e-15)).collect()
        };
        let hints = Hints { kinks: kinks.to_vec(), ..Hints::default() };
        let function = Function::new(&oracle, hints);
        let element = |dtype: DType| Element::new(dtype.row().precision, dtype.row().exponents);
        let plain = DType::by_precision().map(|dtype| (element(dtype), false));
        for (element, multiplied) in plain.into_iter().chain([(Element::F32, true)]) {
            let fit = |entries, index| {
                let request = Request { index, multiplied, ..Request::new(element, entries) };
                function.fit(&request).unwrap_or_else(|why| panic!("{name}: {why}"))
            };
            let (wide, narrow) = (fit(32, Index::Down), fit(8, Index::Product));
            compare::<32>(name, &wide);
            compare::<8>(name, &narrow);
            symmetries.push(wide.design.symmetry);
            once += usize::from(wide.design.once) + usize::from(narrow.design.once);
        }
    }
    assert!(once >= 4, "{once} tables round once on either side");
    let has = |wanted: fn(&Symmetry) -> bool| symmetries.iter().any(wanted);
    assert!(
        has(|s| *s == Symmetry::Even)
            && has(|s| *s == Symmetry::Odd)
            && has(|s| *s == Symmetry::None)
    );
    assert!(
        has(|s| matches!(s, Symmetry::Point { .. }))
            && has(|s| matches!(s, Symmetry::Linear { .. }))
    );
}

/// Evaluates a table at `x + low` in double-float.
struct Twos<'a, const N: usize>(&'a Table<N>, &'a [(f32, f32)]);

impl<const N: usize> AtLevel for Twos<'_, N>
where
    [f32; N]: Lut,
{
    type Output = Vec<f64>;
    fn at<S: Isa>(self, s: S) -> Vec<f64> {
        let Twos(table, x) = self;
        let mut out = Vec::new();
        for part in x.chunks(2 * S::f32s::LEN) {
            let step = |of: fn(&(f32, f32)) -> f32| {
                let vector = |k: usize| {
                    let at = |i: usize| part.get(k * S::f32s::LEN + i).map_or(0.5, of);
                    S::f32s::from_fn(s, at)
                };
                Floats::<S>([vector(0), vector(1)])
            };
            let DoubleFloat { high, low } =
                table.two(s, DoubleFloat { high: step(|x| x.0), low: step(|x| x.1) });
            let lanes = |x: Floats<S>| x.0.map(|v| v.as_slice().to_vec()).concat();
            let sums =
                lanes(high).into_iter().zip(lanes(low)).map(|(h, l)| f64::from(h) + f64::from(l));
            out.extend(sums.take(part.len()));
        }
        out
    }
}

/// A double-float variable gives a double-float value with an error of about one unit at most.
///
/// For comparison, rounding the variable would cost up to two units, and rounding the value half a unit.
#[test]
fn of_two_floats_a_value_is_two_floats() {
    let slope: Oracle = |x| {
        let s = sigmoid(x);
        s + x * s * sigmoid(-x)
    };
    let all = FUNCTIONS.iter().map(|(name, f, kinks)| (*name, *f, *kinks));
    let mut count = 0;
    for (name, f, kinks) in all.chain([("silu'", slope, &[][..])]) {
        let oracle = |x: &[f64]| -> Vec<(f64, f64)> {
            x.iter().map(|x| (f(*x), f(*x).abs() * 1e-15)).collect()
        };
        let hints = Hints { kinks: kinks.to_vec(), ..Hints::default() };
        let function = Function::new(&oracle, hints);
        for (entries, index) in [(32, Index::Down), (8, Index::Product)] {
            let usual = Request::new(Element::F32, entries);
            let request = Request { index, of_product: true, ..usual };
            let fitted = function.fit(&request).unwrap_or_else(|why| panic!("{name}: {why}"));
            if fitted.design.power > 1 {
                continue;
            }
            let end = fitted.high.min(20.0).next_down();
            let start = if fitted.design.symmetry == Symmetry::None { fitted.low } else { -end };
            let x: Vec<(f32, f32)> = (0..200_000)
                .map(|i| start + (end - start) * (i as f32 + 0.5) / 200_000.0)
                .map(|x| (x, (x.next_up() - x) * ((x * 7919.0).fract() * 0.5)))
                .filter(|x| fitted.eval(x.0).is_some())
                .collect();
            for level in levels().into_iter().filter(|level| level.has_fma()) {
                if (entries == 32) != (level == Level::Avx512) {
                    continue;
                }
                count += 1;
                let got = match entries {
                    32 => level.run(Twos(&lasting::<32>(&fitted), &x)),
                    _ => level.run(Twos(&lasting::<8>(&fitted), &x)),
                };
                let worst = x.iter().zip(got.expect("asked before")).map(|((x, low), got)| {
                    let want = f(f64::from(*x) + f64::from(*low));
                    let unit =
                        f64::from((want as f32).abs().max(1.0 / 128.0)).log2().floor() as i32 - 23;
                    ((got - want).abs() / 2f64.powi(unit), *x)
                });
                let worst = worst.fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
                assert!(worst.0 < 1.06, "{name}, {}: {worst:?}", level.name());
            }
        }
    }
    assert!(count > 0 || !levels().iter().any(|level| level.has_fma()));
}

/// Evaluates a tail for positive numbers, on the negative side of zero, for results of type `E`.
struct Tails<'a, E>(&'a Tail, &'a [f32], PhantomData<E>);

impl<E: El> AtLevel for Tails<'_, E> {
    type Output = Vec<f32>;
    fn at<S: Isa>(self, s: S) -> Vec<f32> {
        let Tails(tail, z, _) = self;
        let mut out = Vec::new();
        for part in z.chunks(2 * S::f32s::LEN) {
            let vector =
                |k: usize| S::f32s::from_fn(s, |i| *part.get(k * S::f32s::LEN + i).unwrap_or(&9.0));
            let z = DoubleFloat::exact(s, Floats::<S>([vector(0), vector(1)]));
            let (value, has) = tail.at::<_, E>(s, z, -1.0, false);
            let value = has.select(value.high, Floats::splat(s, f32::NAN));
            out.extend(value.0.iter().flat_map(|v| v.as_slice().to_vec()).take(part.len()));
        }
        out
    }
}

#[test]
fn vectors_do_beyond_tables_what_the_fitter_says() {
    let slope: Oracle = |x| sigmoid(x) + x * sigmoid(x) * sigmoid(-x);
    let functions: [(&str, Oracle); 4] = [
        ("silu'", slope),
        ("bump", |x| libm::exp(-x * x)),
        ("x tanh(e^x)", |x| x * libm::tanh(libm::exp(x))),
        ("2 - 3x", |x| 2.0 - 3.0 * x + libm::exp(x)),
    ];
    let mut layouts = Vec::new();
    for (name, f) in functions {
        let oracle = |x: &[f64]| -> Vec<(f64, f64)> {
            x.iter().map(|x| (f(*x), f(*x).abs() * 1e-15)).collect()
        };
        let fitted = Function::new(&oracle, Hints::default()).tail(-1.0, 4.0);
        let curve = fitted.curve.as_ref().unwrap_or_else(|| panic!("{name}"));
        let line = fitted.line.unwrap_or_else(|| panic!("{name}"));
        layouts.push(core::mem::discriminant(&curve.cells));
        let columns = curve.columns.iter().map(|column| Column(*column)).collect::<Vec<_>>();
        let (within, negative, cells) = (curve.within, curve.negative, curve.cells);
        let tail = Tail {
            curve: Some(Curve { within, negative, cells, columns: columns.leak() }),
            line: Some(line),
        };
        let far = [1e3, 1e30, f32::MAX, f32::INFINITY, line.from, line.from.next_down()];
        let z: Vec<f32> =
            (0..60_000).map(|i| 3.0 + i as f32 * 0.003_017).chain(within).chain(far).collect();
        for level in levels().into_iter().filter(|level| level.has_fma()) {
            let got = level.run(Tails::<f32>(&tail, &z, PhantomData)).expect("asked before");
            let short = level.run(Tails::<f16>(&tail, &z, PhantomData)).expect("asked before");
            for ((z, got), short) in z.iter().zip(got).zip(short) {
                let want = if *z >= line.from {
                    if line.slope == 0.0 { line.base } else { (-line.slope).mul_add(*z, line.base) }
                } else if (within[0]..within[1]).contains(z) {
                    curve.eval(*z)
                } else {
                    f32::NAN
                };
                let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
                assert!(same, "{name}, {}: at {z:e} {got:e}, not {want:e}", level.name());
                // In 16 bits an error of a thousandth of a unit is acceptable.
                let close = short == got || ((short - got) / got).abs() < 1.0 / (1 << 20) as f32;
                assert!(close || got.is_nan(), "{name}, {}: at {z:e} {short:e}", level.name());
                assert_eq!(short.is_nan(), got.is_nan());
            }
        }
    }
    layouts.dedup();
    assert!(layouts.len() > 1, "one way to find segments was not tried");
}
