//! Calls as values (CSE): each is computed once, whatever buffers it would occupy in memory.

use super::super::arithmetic::{call, round};
use super::super::flow::Flow;
use crate::sequence::{Api, F32, Scalar, Source, Type};
use op_dsl_ir::DType;
use op_dsl_ir::format::Format;
use rustc_hash::FxHashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// The operation that computes a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// An input stream (by its index), in the type in which it is loaded.
    Load(usize),
    /// A number that is the same for every element.
    Constant,
    /// An AscendC call on the arguments.
    Call(Api),
    /// `a b + c`, rounded once.
    Fused,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value {
    pub kind: Kind,
    /// Indices of the arguments in [`Values::all`].
    pub args: Vec<usize>,
    pub scalar: Option<Scalar>,
    pub ty: Type,
    pub what: &'static str,
}

/// All values of a step of 64 elements, each computed once, and the indices of those stored.
#[derive(Clone)]
pub(super) struct Values {
    pub all: Vec<Value>,
    /// For each output stream, the index in `all` of the value that is stored.
    pub outputs: Vec<usize>,
}

impl Values {
    pub fn new(flow: &Flow) -> Values {
        let mut values = Values { all: Vec::new(), outputs: Vec::new() };
        let steps = &flow.seq.steps;
        let mut of = vec![usize::MAX; steps.len()];
        // A rewritten step may read one that comes after it, so steps are visited depth first. Those are few, and leaves.
        let args = |i: usize| steps[i].args.iter().map(|a| a.0).collect();
        for i in arguments_first(0..steps.len(), &args) {
            let step = &steps[i];
            let args: Vec<usize> = step.args.iter().map(|a| of[a.0]).collect();
            of[i] = match (step.source, step.scalar) {
                (Source::Load(k), _) => values.put(Kind::Load(k), args, None, step.ty),
                (Source::Splat | Source::Call(Api::Duplicate), Some(s)) => values.constant(s),
                // Multiplying by 1 copies a value into a buffer of its own, which registers do not need.
                (Source::Call(Api::Muls), Some(Scalar::Const(1.0))) => args[0],
                (Source::Call(Api::FusedMulAdd), _) => values.put(Kind::Fused, args, None, step.ty),
                (Source::Call(Api::Axpy), Some(s)) => {
                    let by = values.constant(s);
                    values.put(Kind::Fused, vec![args[1], by, args[0]], None, step.ty)
                }
                (Source::Call(api @ Api::Compares(_)), scalar) => {
                    let args = args.iter().map(|a| values.byte(*a).unwrap_or(*a)).collect();
                    values.put(Kind::Call(api), args, scalar, step.ty)
                }
                (Source::Call(api), scalar) => values.put(Kind::Call(api), args, scalar, step.ty),
                (Source::Splat, None) => unreachable!("a splat has its number"),
            };
            if values.all[of[i]].what.is_empty() {
                values.all[of[i]].what = step.what;
            }
        }
        values.outputs = flow.outputs.iter().map(|o| of[o.0]).collect();
        values
    }

    fn put(&mut self, kind: Kind, args: Vec<usize>, scalar: Option<Scalar>, ty: Type) -> usize {
        let value = Value { kind, args, scalar, ty, what: "" };
        let same = |v: &Value| {
            (v.kind, v.scalar, v.ty) == (value.kind, value.scalar, value.ty) && v.args == value.args
        };
        self.all.iter().position(same).unwrap_or_else(|| {
            self.all.push(value);
            self.all.len() - 1
        })
    }

    /// Returns the index of the loaded byte that value `i` is or was cast from; otherwise `None`.
    ///
    /// Calls on registers compare bytes without a cast, each in the first quarter of its lane.
    fn byte(&self, i: usize) -> Option<usize> {
        match self.all[i] {
            Value { kind: Kind::Load(_), ty: Type::Byte, .. } => Some(i),
            Value { kind: Kind::Call(Api::Cast(_)), ref args, .. } => self.byte(args[0]),
            _ => None,
        }
    }

    fn constant(&mut self, scalar: Scalar) -> usize {
        self.put(Kind::Constant, Vec::new(), Some(scalar), F32)
    }

    /// Counts the reads of each value: by values that an output depends on, and as an output.
    pub fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.all.len()];
        for i in self.needed(&self.outputs) {
            self.all[i].args.iter().for_each(|a| uses[*a] += 1);
        }
        self.outputs.iter().for_each(|o| uses[*o] += 1);
        uses
    }

    /// Returns the values with indices `of` and all that they depend on, arguments first.
    pub fn needed(&self, of: &[usize]) -> Vec<usize> {
        arguments_first(of.iter().copied(), &|i| self.all[i].args.clone())
    }

    /// Rewrites quotients with one divisor, such as `a / d` and `b / d`, as products with `1 / d`.
    ///
    /// One quotient is as slow as four products. The rewrite is limited to divisors whose reciprocals are normal numbers for every
    /// input.
    pub fn divide_once(&mut self, dtype: DType) {
        let needed = self.needed(&self.outputs);
        let is_quotient = |i: &usize| self.all[*i].kind == Kind::Call(Api::Div);
        // The divisors of all quotients as they are before any is rewritten.
        let quotients: Vec<(usize, usize)> =
            needed.into_iter().filter(is_quotient).map(|i| (i, self.all[i].args[1])).collect();
        for (at, &(_, d)) in quotients.iter().enumerate() {
            let is_by_d = |(_, of): &&(usize, usize)| *of == d;
            let all: Vec<usize> = quotients.iter().filter(is_by_d).map(|(i, _)| *i).collect();
            let is_first = !quotients[..at].iter().any(|of| is_by_d(&of));
            if !is_first || all.len() < 2 || !self.has_reciprocal(d, dtype) {
                continue;
            }
            let one = self.constant(Scalar::Const(1.0));
            let reciprocal = self.put(Kind::Call(Api::Div), vec![one, d], None, F32);
            for j in all.into_iter().filter(|&j| j != reciprocal) {
                let above = self.all[j].args[0];
                let Value { kind, scalar: number, .. } = self.all[above];
                let value = &mut self.all[j];
                (value.kind, value.args, value.scalar) = match kind {
                    Kind::Constant => (Kind::Call(Api::Muls), vec![reciprocal], number),
                    _ => (Kind::Call(Api::Mul), vec![above, reciprocal], None),
                };
            }
        }
    }

    /// Returns true if the reciprocal of value `of` is normal, 0 or NaN for every input.
    ///
    /// The value must depend on one stream and on constants; for any other the result is false. Every input of a 16-bit type
    /// is evaluated. For `float` these are the inputs whose lower 16 bits are 0, with 8 significant bits.
    fn has_reciprocal(&self, of: usize, dtype: DType) -> bool {
        let needed = self.needed(&[of]);
        let is_load = |&i: &usize| matches!(self.all[i].kind, Kind::Load(_));
        let is_known = |v: &Value| !matches!(v.scalar, Some(Scalar::Uniform(_)));
        if needed.iter().copied().filter(is_load).count() != 1
            || !needed.iter().all(|&i| is_known(&self.all[i]))
        {
            return false;
        }
        // Renumbered without the other values, so that the key of one divisor is the same in every graph and order of calls.
        let at = |i: &usize| needed.iter().position(|j| j == i).unwrap_or_default();
        let alone = |i: &usize| {
            let value = self.all[*i].clone();
            Value { args: value.args.iter().map(at).collect(), what: "", ..value }
        };
        let divisor: Vec<Value> = needed.iter().map(alone).collect();
        let key = (format!("{divisor:?}"), dtype);
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        // The lock is not held during the computation, so that other threads can look theirs up.
        let found = known().get(&key).copied();
        found.unwrap_or_else(|| {
            let has = has_reciprocal(&divisor, dtype);
            known().insert(key, has);
            has
        })
    }

    /// Returns the factors of value `i`; `None` unless it is a product in `float` with one reader.
    ///
    /// `uses` counts the reads of each value.
    fn product(&mut self, i: usize, uses: &[usize]) -> Option<(usize, usize)> {
        let Value { kind, ref args, scalar, ty, .. } = self.all[i];
        if uses.get(i) != Some(&1) || ty != F32 {
            return None;
        }
        match (kind, scalar) {
            (Kind::Call(Api::Mul), _) => Some((args[0], args[1])),
            (Kind::Call(Api::Muls), Some(s)) => {
                let a = args[0];
                Some((a, self.constant(s)))
            }
            _ => None,
        }
    }

    /// Fuses each sum with a product that nothing else reads into one call, which rounds once.
    pub fn fuse(&mut self) {
        let uses = self.uses();
        for i in self.needed(&self.outputs) {
            let Value { kind, ref args, scalar, ty, .. } = self.all[i];
            if ty != F32 {
                continue;
            }
            let args = args.clone();
            let sum = match (kind, scalar) {
                (Kind::Call(Api::Add), _) => {
                    let first = self.product(args[0], &uses).map(|p| (p, args[1]));
                    first.or_else(|| self.product(args[1], &uses).map(|p| (p, args[0])))
                }
                (Kind::Call(Api::Adds), Some(s)) => {
                    self.product(args[0], &uses).map(|p| (p, self.constant(s)))
                }
                (Kind::Call(Api::Sub), _) => self.negated(args[1], &uses).map(|p| (p, args[0])),
                _ => None,
            };
            if let Some(((a, b), c)) = sum {
                let value = &mut self.all[i];
                (value.kind, value.args, value.scalar) = (Kind::Fused, vec![a, b, c], None);
            }
        }
    }

    /// Returns two factors of `-v`, where `v` is value `i`; `None` for most values.
    ///
    /// `v` must be a product with a constant and have one reader. `uses` counts the reads of each value.
    fn negated(&mut self, i: usize, uses: &[usize]) -> Option<(usize, usize)> {
        let (a, b) = self.product(i, uses)?;
        let Value { kind: Kind::Constant, scalar: Some(Scalar::Const(c)), .. } = self.all[b] else {
            return None;
        };
        Some((a, self.constant(Scalar::Const(-c))))
    }
}

/// Cache of whether the reciprocal of a divisor is normal for every input.
///
/// The key is the calls that compute the divisor, and the type of inputs.
type Known = FxHashMap<(String, DType), bool>;
static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default); // only ever looked up

/// Returns true if the reciprocal of the last value is a normal number, 0 or NaN for every input.
///
/// All inputs of 16-bit types are tried, and those f32 inputs whose lower 16 bits are 0.
///
/// `values` are the calls that compute it from one input stream, arguments first.
fn has_reciprocal(values: &[Value], dtype: DType) -> bool {
    let mut numbers = vec![f32::NAN; values.len()];
    (0..=u16::MAX).all(|bits| {
        let lower = dtype.row().bits.saturating_sub(16);
        let x = Format::of(dtype).decode(u32::from(bits) << lower) as f32;
        for (i, value) in values.iter().enumerate() {
            numbers[i] = value.eval(&numbers, x);
        }
        let d = numbers.last().map_or(f32::NAN, |d| d.abs());
        d.is_nan() || d.is_infinite() || (0.5f32.powi(126)..=2f32.powi(126)).contains(&d)
    })
}

/// Returns the values `of` and all that they depend on, each once, after its arguments.
fn arguments_first(
    of: impl IntoIterator<Item = usize>,
    args: &dyn Fn(usize) -> Vec<usize>,
) -> Vec<usize> {
    fn visit(i: usize, args: &dyn Fn(usize) -> Vec<usize>, order: &mut Vec<usize>) {
        if !order.contains(&i) {
            args(i).into_iter().for_each(|a| visit(a, args, order));
            order.push(i);
        }
    }
    let mut order = Vec::new();
    of.into_iter().for_each(|i| visit(i, args, &mut order));
    order
}

impl Value {
    /// Returns the result of this value for input `x`, given the results of its arguments.
    ///
    /// `values` are the results of all values before it. Attributes are NaN.
    fn eval(&self, values: &[f32], x: f32) -> f32 {
        let s = match self.scalar {
            Some(Scalar::Const(c)) => c,
            _ => f32::NAN,
        };
        let mut args = [f32::NAN; 3];
        for (to, arg) in args.iter_mut().zip(&self.args) {
            *to = values[*arg];
        }
        let value = match self.kind {
            Kind::Load(_) => x,
            Kind::Constant => s,
            Kind::Fused => args[0].mul_add(args[1], args[2]),
            Kind::Call(api) => call(api, self.ty, args, s, f32::NAN),
        };
        round(value, self.ty)
    }
}
