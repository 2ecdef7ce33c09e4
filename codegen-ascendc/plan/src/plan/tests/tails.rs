//! Fits the Gaussian tails of primitives again and compares them with the stored ones.

use super::accuracy::floats;
use super::*;
use crate::plan::accept::Judge;
use crate::plan::candidates;
use crate::plan::lowering::Lowering;
use crate::plan::output::Sizes;
use crate::plan::regions::Regions;
use crate::plan::samples::Samples;
use crate::plan::search::under_attack;
use crate::sequence::fit::tails;
use crate::sequence::form::built;
use crate::sequence::forms::tail::{Limit, Side, Tail};
use std::fmt::Write;
use std::path::Path;

const PRIMS: [Prim; 4] = [Prim::Gelu, Prim::GeluGrad, Prim::NormalCdf, Prim::Erfc];

/// Returns the cheapest accurate tail of a primitive.
fn made(prim: Prim, dtype: DType) -> Tail {
    let arch = soc("ascend910b").arch;
    let def = of_one(|b, x| b.call(prim, &[x]));
    let digits = if dtype == DType::F32 { Digits::Relative } else { Digits::Absolute };
    let judge = judge(&def, digits, dtype);
    let is_right = |tail: &Tail| {
        let (s, x, y) = built(arch, |s, x| tail.build(s, x, &[]));
        judge.accepts(s, x, y)
    };
    let at = |x: f64| (prim.row().oracle)([x, 0.0, 0.0]);
    let tail = tails(&at, dtype, arch).find(is_right);
    tail.unwrap_or_else(|| panic!("{prim:?} {dtype} has no tail"))
}

fn of_one(build: impl Fn(&mut Builder, Id) -> Id) -> OpDef {
    operator("Op", &["x"], &["y"], true, |b, s| vec![build(b, s[0])])
}

/// Returns a judge with all inputs of 16 bits, or half a million of `float`.
///
/// It is always relative to the value for a function that is 0 at 0.
fn judge(def: &OpDef, digits: Digits, dtype: DType) -> Judge {
    let graph = &def.specs[0].graph;
    let has_zero = graph.eval(&[0.0], &[])[0].abs() < 1e-12;
    let digits = if has_zero { Digits::Relative } else { digits };
    match dtype {
        DType::F32 => Judge::at(graph, digits, dtype, floats(9_999, 100_000).collect()),
        _ => Judge::new(graph, digits, dtype, 1),
    }
}

/// Returns an entry of the file.
fn written(prim: Prim, dtype: DType, tail: &Tail) -> String {
    let numbers = |c: &[f64]| c.iter().map(|c| format!("{:?}", *c as f32)).collect::<Vec<_>>();
    let Side { above, limit } = tail.side;
    let limit = match limit {
        Limit::Line(slope) => format!("Limit::Line({slope:?})"),
        Limit::Number(c) => format!("Limit::Number({c:?})"),
    };
    format!(
        "/// {} in {dtype}.\npub static {}_{}: Tail = Tail {{\n    scale: {:?},\n    held: {:?},\n    n: Cow::Borrowed(&[{}]),\n    d: \
         Cow::Borrowed(&[{}]),\n    side: Side {{ above: {above}, limit: {limit} }},\n}};\n",
        prim.row().name,
        prim.row().name.to_uppercase(),
        dtype.name().to_uppercase(),
        tail.scale as f32,
        tail.held,
        numbers(&tail.n).join(", "),
        numbers(&tail.d).join(", "),
    )
}

const HEAD: &str = "\
//! The coefficients of Gaussian tails: of the fits that are right for all 65,536 inputs, or for some
//! hundred thousand of `float`, those with the fewest cycles. A test makes this file again; `BLESS=1` writes it.

use super::tail::{Limit, Side, Tail};
use std::borrow::Cow;
";

#[test]
fn are_what_would_be_fitted() {
    let mut file = HEAD.to_string();
    for prim in PRIMS {
        for dtype in [DType::F32, DType::F16, DType::BF16] {
            let _ = write!(file, "\n{}", written(prim, dtype, &made(prim, dtype)));
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sequence/forms/tails.rs");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &file).expect("written");
    }
    let kept = std::fs::read_to_string(&path).expect("kept");
    assert!(kept == file, "{}: write it again by BLESS=1\n{file}", path.display());
}

/// The formula of a function that an author may write, and the function.
type Written = (&'static str, fn(&mut Builder, Id) -> Id);

/// Returns a primitive of `c x`.
fn of_scaled(b: &mut Builder, prim: Prim, c: f64, x: Id) -> Id {
    let t = b.scaled(c, x);
    b.call(prim, &[t])
}

const WRITTEN: [Written; 4] = [
    ("x normal_cdf(1.3 x)", |b, x| {
        let cdf = of_scaled(b, Prim::NormalCdf, 1.3, x);
        b.product(x, cdf)
    }),
    ("normal_cdf(1.3 x) + 1.3 x e^(-0.845 x^2) / root(2 pi)", |b, x| {
        let cdf = of_scaled(b, Prim::NormalCdf, 1.3, x);
        let square = b.product(x, x);
        let v = b.scaled(-0.845, square);
        let bell = b.call(Prim::Exp, &[v]);
        let slope = b.product(x, bell);
        let slope = b.scaled(1.3 / core::f64::consts::TAU.sqrt(), slope);
        b.sum(cdf, slope)
    }),
    ("erfc(1.25 x) / 2", |b, x| {
        let erfc = of_scaled(b, Prim::Erfc, 1.25, x);
        b.scaled(0.5, erfc)
    }),
    ("x normal_cdf(-x)", |b, x| {
        let cdf = of_scaled(b, Prim::NormalCdf, -1.0, x);
        b.product(x, cdf)
    }),
];

/// Functions that authors write get a Gaussian tail, if they have one.
///
/// It is accurate, and cheaper than its parts if these are accurate.
#[test]
fn functions_of_authors_have_tails() {
    for (name, build) in WRITTEN {
        let def = of_one(build);
        let graph = &def.specs[0].graph;
        for dtype in DType::ALL {
            let target = Target::new(&def, soc("ascend910b"), dtype, Limits::Exact);
            let parts = Lowering::new(&Regions::none(graph, 1, target), target, Storage::Memory);
            let parts = candidates::planned(graph.clone(), parts.expect("parts"), 0, target);
            let parts = parts.expect("a plan of parts");
            let samples = Samples::new(&def, 0, dtype, Sizes::Ignored);
            // A plan is taken at once only within this share of its budget.
            let error = under_attack(&samples, &parts, f64::INFINITY, f64::INFINITY);
            let are_right = error.error <= 0.875 * error.budget;
            let plan = planned(&def, dtype);
            println!("{name} {dtype}: {} calls, {} by parts", plan.cost.calls, parts.cost.calls);
            assert!(!are_right || plan.cost.cycles < parts.cost.cycles, "{name} {dtype}");
            // `search` judges the parts and what a finer class finds, which count a changed input in the tail.
            if plan.cost.cycles >= parts.cost.cycles || plan.digits != Digits::Absolute {
                continue;
            }
            let judge = judge(&def, Digits::Absolute, dtype);
            for noise in [Noise::None, Noise::Unit(3)] {
                let got = interpret_all(&plan, &[judge.inputs()], |_| f32::NAN, noise);
                let miss = judge.miss(&got[0], noise);
                assert!(miss.is_none(), "{name} {dtype} {noise:?}: {miss:?}");
            }
        }
    }
}
