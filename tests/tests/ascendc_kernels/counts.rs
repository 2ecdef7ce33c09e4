//! Counts of rows: rows beyond their sum become zeros, whatever their inputs hold.
//!
//! The other rows are byte for byte those of a call without counts.

use super::common::*;
use super::judge::judge;
use super::program::Program;
use codegen_ascendc::plan::Storage;
use codegen_ascendc::tiling::Path;
use op_dsl::Operator;
use op_dsl::ir::DType;
use op_dsl::ir::op::{Kind, Value};
use std::collections::BTreeSet;

#[op_dsl::operators(kernels = false)]
pub mod ops {
    use op_dsl::prelude::*;

    /// Parts that are halves.
    #[op(name = "Routed", grad(name = "RoutedGrad", wrt(x)))]
    pub fn routed(
        #[split(along = dim)] x: Gated,
        #[attr(default = -1)] dim: Dim,
        #[rows] tokens: Option<Rows>,
    ) -> Elem {
        x.value * silu(x.gate)
    }

    /// Parts whose elements alternate, or halves; results of both kinds.
    #[op(name = "Woven", grad(name = "WovenGrad", wrt(x, z)))]
    pub fn woven(
        #[split(along = dim, gate_left = left, interleaved = woven)] x: Gated,
        z: Elem,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = true)] left: bool,
        #[attr(default = true)] woven: bool,
        #[rows] tokens: Option<Rows>,
    ) -> Elem {
        x.value * sigmoid(x.gate) + z * x.gate
    }

    /// Counts that every call has.
    #[op(name = "Counted")]
    pub fn counted(
        #[split(along = dim)] x: Gated,
        #[attr(default = -1)] dim: Dim,
        #[rows] tokens: Rows,
    ) -> Gated {
        Gated { gate: x.value, value: 2.0 * x.gate }
    }
}

/// Returns the number of rows: the product of the dimensions before the split dimension.
fn rows(op: &Operator, attrs: &[Value], domain: &[usize]) -> usize {
    let dim = split_dim(op, attrs, domain.len()).expect("a split");
    domain[..dim].iter().product()
}

fn counts(of: &[i64]) -> Tensor {
    Tensor { shape: vec![of.len()], data: Data::Counts(of.to_vec()) }
}

/// Returns counts of every kind with the number of rows they mean.
///
/// They select no rows, one, all but one, all or more; some have several entries, an overflow in a later one, or a
/// negative one, which counts as 0.
fn of_all_kinds(rows: usize) -> Vec<(Vec<i64>, usize)> {
    let n = rows as i64;
    let mut all = vec![
        (vec![0], 0),
        (vec![1], 1),
        (vec![0, n / 2, 0, n / 3], rows / 2 + rows / 3),
        (vec![n - 1], rows - 1),
        (vec![n], rows),
        (vec![n - 1, i64::MAX, i64::MAX, i64::MAX], rows),
        (vec![-3, n / 2, i64::MIN], rows / 2),
    ];
    all.iter_mut().for_each(|(_, sum)| *sum = (*sum).min(rows));
    all
}

/// Compares a call with each of these counts with the call of all rows.
///
/// Returns how the call is cut into tiles.
fn check(p: &Program, attrs: &[Value], domain: &[usize], dtype: DType, cores: u32) -> Path {
    let op = p.op;
    let at = op.def().rows().expect("counts");
    let mut random = Random(domain.iter().sum::<usize>() as u64);
    let mut whole = inputs(op, attrs, domain, dtype, |_| random.normal(2.0));
    let rows = rows(op, attrs, domain);
    let mut attrs = attrs.to_vec();
    if op.def().presence(at).is_none() {
        whole[at] = counts(&[i64::MAX]);
    }
    let all = p.run(&attrs, &whole, cores);
    judge(p, &attrs, &whole, domain, &all);
    if let Some(given) = op.def().presence(at) {
        attrs[given] = Value::Bool(true);
    }
    for (of, computed) in of_all_kinds(rows) {
        let mut ins = whole.clone();
        ins[at] = counts(&of);
        // The inputs of the other rows are NaN, so that a read of them would show in the results.
        for (t, input) in ins.iter_mut().zip(op.def().inputs.iter()) {
            let length = t.shape.iter().product::<usize>();
            let numbers = input.kind != Kind::Rows;
            for i in (length / rows * computed..length).filter(|_| numbers) {
                t.set(i, f64::NAN);
            }
        }
        let ran = p.run(&attrs, &ins, cores);
        for (got, want) in ran.outputs.iter().zip(&all.outputs) {
            let length = got.shape.iter().product::<usize>();
            for i in 0..length {
                let want = if i < length / rows * computed { want.at(i) } else { 0.0 };
                assert!(
                    got.at(i).to_bits() == want.to_bits(),
                    "{} {attrs:?} {domain:?} {dtype} on {}, counts {of:?}: element {i} is {}, not {want}\n{:?}",
                    op.name(),
                    p.soc.name,
                    got.at(i),
                    ran.tiling
                );
            }
        }
    }
    all.tiling.path
}

/// Domains that are cut in different ways.
///
/// Tiles of rows with and without gaps, of pieces of one row, of small rows; a single row, fewer rows than cores.
const DOMAINS: &[&[usize]] =
    &[&[37, 65], &[3, 9, 64], &[29, 1], &[250, 3], &[5, 20_001], &[1, 130], &[7, 4, 2, 3]];

#[test]
fn on_tensors() {
    on(&[("ascend910b", Storage::Memory)]);
}

#[test]
#[ignore = "a quarter of a minute: .ci/deep everything"]
fn on_all_other_products() {
    on(&[
        ("ascend950", Storage::default()),
        ("ascend950", Storage::Memory),
        ("ascend310p", Storage::Memory),
        ("ascend910", Storage::Memory),
    ]);
}

/// Checks all operators of this module on these products.
fn on(products: &[(&'static str, Storage)]) {
    for &(soc, storage) in products {
        let mut paths = BTreeSet::new();
        for p in &Program::all_in(ops::OPERATORS, soc, storage) {
            // Attributes with given counts are skipped, because `check` passes counts itself.
            let at = p.op.def().rows().expect("counts");
            let given = p.op.def().presence(at);
            let is_left = |attrs: &Vec<Value>| given.is_none_or(|g| attrs[g] != Value::Bool(true));
            for attrs in attribute_values(p.op).into_iter().filter(is_left) {
                for (k, domain) in DOMAINS.iter().enumerate() {
                    let dtypes = p.dtypes();
                    let dtype = dtypes[k % dtypes.len()];
                    let path = check(p, &attrs, domain, dtype, [1, 2, 40][k % 3]);
                    paths.insert(path as u32);
                    // A split dimension before the last one, so that rows are longer than it.
                    if domain.len() > 2 {
                        let mut attrs = attrs.clone();
                        attrs[dim_attr(p.op).expect("a split")] = Value::Int(1);
                        paths.insert(check(p, &attrs, domain, dtype, 3) as u32);
                    }
                }
            }
        }
        assert_eq!(paths.len(), 3, "{soc}: all ways of cutting");
    }
}

/// Tiles beyond the computed rows are written, and their inputs are not read.
#[test]
fn what_is_not_computed_is_not_read() {
    let op = ops::OPERATORS.iter().copied().find(|op| op.name() == "Routed").expect("it is there");
    let p = &Program::all(&[op], "ascend910b")[0];
    let attrs = [Value::Int(-1), Value::Bool(true)];
    let mut random = Random(7);
    let mut ins = inputs(op, &op.default_attrs(), &[4096, 128], DType::F32, |_| random.normal(1.0));
    let mut read = |rows: i64| {
        ins[1] = counts(&[rows]);
        p.run(&attrs, &ins, 4).read("x")
    };
    let (all, half) = (read(4096), read(2048));
    assert!(half > 0 && half < all * 6 / 10, "{half} of {all} bytes");
}
