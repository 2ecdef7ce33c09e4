//! Orders values and assigns their registers (linear scan).
//!
//! A register is free again after the last call that reads it, and a call may overwrite what it reads.

use super::pairs::Pairs;
use super::step::{Call, Op, Register, Registers};
use super::values::{Kind, Value, Values};
use crate::sequence::{Api, F32, Scalar, Type};
use op_dsl_ir::DType;
use std::collections::BTreeSet;

/// Orders the vector calls of a step of 64 elements and assigns registers to their values.
///
/// Outputs are computed in the order `order`. The two streams of a pair (gate and value, interleaved in memory) are loaded, and
/// stored, next to each other.
pub(super) fn assign(values: &Values, order: &[usize], pairs: &Pairs) -> Registers {
    let outputs: Vec<usize> = order.iter().map(|k| values.outputs[*k]).collect();
    let needed = values.needed(&outputs);
    let loads = loads(values, &needed, pairs);
    let mut pass = Pass {
        values,
        left: values.uses(),
        at: vec![None; values.all.len()],
        free: Default::default(),
        out: Registers::default(),
    };
    let is_all = loads.len() == pairs.inputs.len();
    pass.out.pairs = pairs.any() && is_all && pairs.outputs.iter().all(|of| joins(values, *of));
    let mut stored = vec![false; outputs.len()];
    for i in needed {
        let together = loads.iter().find(|pair| pair.contains(&i));
        for &i in together.unwrap_or(&vec![i]) {
            let value = &values.all[i];
            if value.kind != Kind::Constant && pass.at[i].is_none() {
                pass.value(i, value);
            }
        }
        for k in (0..outputs.len()).filter(|&k| values.outputs[k] == i) {
            let pair = pairs.outputs.iter().find(|pair| pair.contains(&k));
            let all = pair.map_or(vec![k], |pair| pair.to_vec());
            let is_there = |k: &usize| {
                let of = values.outputs[*k];
                pass.at[of].is_some() || values.all[of].kind == Kind::Constant
            };
            if !stored[k] && all.iter().all(is_there) {
                all.iter().for_each(|k| stored[*k] = true);
                all.into_iter().for_each(|k| pass.store(k, values.outputs[k]));
            }
        }
    }
    pass.out
}

/// Returns true if one call can store a pair of outputs interleaved in memory.
///
/// In 16 bits both outputs must be results of casts that nothing else reads.
fn joins(values: &Values, pair: [usize; 2]) -> bool {
    let (uses, [gate, value]) = (values.uses(), pair.map(|k| values.outputs[k]));
    let is_cast = |i: usize| matches!(values.all[i].kind, Kind::Call(Api::Cast(_))) && uses[i] == 1;
    values.all[gate].ty == F32 || gate != value && is_cast(gate) && is_cast(value)
}

/// For each pair of input streams that one call can load, returns the indices of loads and casts.
///
/// The loads come first. A pair is gate and value, interleaved in memory. In 16 bits only one cast may read each of the two loads.
fn loads(values: &Values, needed: &[usize], pairs: &Pairs) -> Vec<Vec<usize>> {
    let load = |k: usize| {
        let is_load = |i: &&usize| values.all[**i].kind == Kind::Load(k);
        needed.iter().find(is_load).copied()
    };
    let widened = |i: usize| {
        if values.all[i].ty == F32 {
            return Some(None);
        }
        let readers: Vec<usize> =
            needed.iter().copied().filter(|j| values.all[*j].args.contains(&i)).collect();
        let is_cast =
            matches!(readers[..], [j] if matches!(values.all[j].kind, Kind::Call(Api::Cast(_))));
        (is_cast && !values.outputs.contains(&i)).then(|| readers.first().copied())
    };
    let pair = |of: &[usize; 2]| {
        let loaded: Vec<usize> = of.iter().filter_map(|k| load(*k)).collect();
        let casts: Option<Vec<_>> = loaded.iter().map(|i| widened(*i)).collect();
        Some(loaded.into_iter().chain(casts?.into_iter().flatten()).collect())
    };
    pairs.inputs.iter().filter_map(pair).collect()
}

struct Pass<'v> {
    values: &'v Values,
    /// For each value, the number of its reads that are still to come.
    left: Vec<usize>,
    at: Vec<Option<Register>>,
    /// Registers that earlier calls used and no later call reads.
    free: BTreeSet<Register>,
    out: Registers,
}

impl Pass<'_> {
    fn value(&mut self, i: usize, value: &Value) {
        match value.kind {
            Kind::Load(k) => {
                let dst = self.take(value.ty);
                self.op(Call::Load(k), dst, vec![], None, value);
                self.at[i] = Some(dst);
            }
            Kind::Fused => self.fused(i, value),
            Kind::Call(api) => {
                let srcs: Vec<Register> = value.args.iter().map(|a| self.register(*a)).collect();
                let from = value.args.first().map_or(value.ty, |a| self.values.all[*a].ty);
                value.args.iter().for_each(|a| self.read(*a));
                let dst = self.take(value.ty);
                self.op(Call::Plain(api), dst, srcs, value.scalar, value);
                if let Some(op) = self.out.ops.last_mut() {
                    op.from = from;
                }
                self.at[i] = Some(dst);
            }
            Kind::Constant => {}
        }
    }

    /// Emits value `i`, which is `a b + c`, as one call that overwrites `a`, `b` or `c`.
    ///
    /// Only an argument that nothing else reads can be overwritten. If there is none, a product and a sum are emitted.
    fn fused(&mut self, i: usize, value: &Value) {
        let [a, b, c] = value.args[..] else { unreachable!("three arguments") };
        // The constant, if there is one, is the second factor.
        let (a, b) = if self.number(a).is_some() { (b, a) } else { (a, b) };
        let ends = |pass: &Self, x: usize, others: [usize; 2]| {
            pass.number(x).is_none() && pass.left[x] == 1 && !others.contains(&x)
        };
        let (call, over, srcs, scalar) = match self.number(b) {
            Some(s) if ends(self, c, [a, b]) => (Call::Plain(Api::Axpy), c, vec![a], Some(s)),
            _ if ends(self, c, [a, b]) => (Call::MulAddDst, c, vec![a, b], None),
            _ if ends(self, a, [b, c]) => (Call::MulDstAdd, a, vec![b, c], None),
            _ if ends(self, b, [a, c]) => (Call::MulDstAdd, b, vec![a, c], None),
            _ => return self.apart(i, value, [a, b, c]),
        };
        let dst = self.register(over);
        let srcs = srcs.into_iter().map(|s| self.register(s)).collect();
        self.op(call, dst, srcs, scalar, value);
        [a, b, c].into_iter().filter(|x| *x != over).for_each(|x| self.read(x));
        self.left[over] -= 1;
        self.at[i] = Some(dst);
    }

    fn apart(&mut self, i: usize, value: &Value, [a, b, c]: [usize; 3]) {
        let product = Value { what: "", ..value.clone() };
        let with = |pass: &mut Self, x: usize, y: usize, plain, scaled| match pass.number(y) {
            Some(s) => (Call::Plain(scaled), vec![pass.register(x)], Some(s)),
            None => (Call::Plain(plain), vec![pass.register(x), pass.register(y)], None),
        };
        let (call, srcs, scalar) = with(self, a, b, Api::Mul, Api::Muls);
        [a, b].into_iter().for_each(|x| self.read(x));
        let dst = self.take(F32);
        self.op(call, dst, srcs, scalar, &product);
        let (call, mut srcs, scalar) = match self.number(c) {
            Some(s) => (Call::Plain(Api::Adds), vec![], Some(s)),
            None => (Call::Plain(Api::Add), vec![self.register(c)], None),
        };
        srcs.insert(0, dst);
        self.op(call, dst, srcs, scalar, value);
        self.read(c);
        self.at[i] = Some(dst);
    }

    fn store(&mut self, stream: usize, i: usize) {
        let value = Value { what: "", ..self.values.all[i].clone() };
        let from = self.register(i);
        self.op(Call::Store(stream), from, vec![], None, &value);
        self.read(i);
    }

    fn op(
        &mut self,
        call: Call,
        dst: Register,
        srcs: Vec<Register>,
        scalar: Option<Scalar>,
        value: &Value,
    ) {
        let (to, what) = (value.ty, value.what);
        self.out.ops.push(Op { call, dst, srcs, scalar, to, from: to, what });
    }

    fn number(&self, i: usize) -> Option<Scalar> {
        let value = &self.values.all[i];
        value.scalar.filter(|_| value.kind == Kind::Constant)
    }

    /// Returns the register of value `i`; a constant gets a register of its own on first use.
    fn register(&mut self, i: usize) -> Register {
        let constants = &mut self.out.constants;
        let number = self.values.all[i].scalar;
        *self.at[i].get_or_insert_with(|| {
            constants.extend(number);
            Register::Constant(constants.len() - 1)
        })
    }

    /// Counts one read of value `i`, and frees its register after the last read.
    fn read(&mut self, i: usize) {
        self.left[i] -= 1;
        let free = self.at[i].filter(|r| !matches!(r, Register::Constant(_)));
        self.free.extend(free.filter(|_| self.left[i] == 0));
    }

    /// Returns a free register for values of type `ty`, or a new one.
    fn take(&mut self, ty: Type) -> Register {
        let (count, new): (_, fn(usize) -> Register) = match ty {
            Type::Data(DType::F32) => (&mut self.out.data, Register::Data),
            Type::Data(_) => (&mut self.out.halves, Register::Half),
            Type::Byte => (&mut self.out.bytes, Register::Byte),
            Type::Mask => (&mut self.out.masks, Register::Mask),
        };
        let fits = |r: &Register| std::mem::discriminant(r) == std::mem::discriminant(&new(0));
        let free = self.free.iter().copied().find(fits);
        if let Some(register) = free {
            self.free.remove(&register);
            return register;
        }
        *count += 1;
        new(*count - 1)
    }
}
