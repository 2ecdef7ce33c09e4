//! Lowers a graph to vector calls.
//!
//! It uses scalars where one side is the same for every element, compound calls for scaled sums, and the table of sequences for the
//! smooth primitives.

mod unrounded;

use super::flow::Flow;
use super::reading::{Fold, Reading, Smooth};
use super::regions::Regions;
use super::target::Target;
use crate::arch::{Round, Why};
use crate::column::{Family, family, gate_of};
use crate::sequence::form::{Build, Digits, Member};
use crate::sequence::forms::gate::{Gate, sigmoids, sigmoids_far};
use crate::sequence::forms::power::{self, Exponent, Rounding};
use crate::sequence::forms::{round, times};
use crate::sequence::{Api, Compare, F32, Scalar, Seq, Source, Type, Val};
use op_dsl_ir::{DType, Id, Node, Prim, Stored};

/// Lowers a graph to vector calls, with the outputs computed in the order `order`.
pub(super) fn lower(regions: &Regions, target: Target<'_>, order: &[usize]) -> Result<Flow, Why> {
    let graph = &regions.graph;
    let mut pass = Pass::new(regions, target);
    let mut outputs = vec![None; graph.outputs.len()];
    for &k in order {
        let value = pass.value(graph.outputs[k])?;
        outputs[k] = Some(pass.store(value, &outputs));
    }
    let outputs = outputs.into_iter().flatten().collect();
    Ok(Flow { seq: pass.seq, outputs, forms: pass.forms })
}

struct Pass<'g> {
    read: Reading<'g>,
    regions: &'g Regions,
    target: Target<'g>,
    seq: Seq,
    values: Vec<Option<Val>>,
    gates: Vec<(Id, Family, Gate)>,
    forms: Vec<(Prim, &'static str)>,
}

impl<'g> Pass<'g> {
    fn new(regions: &'g Regions, target: Target<'g>) -> Pass<'g> {
        let read = Reading::new(&regions.graph, target);
        let values = vec![None; regions.graph.nodes.len()];
        let (seq, gates, forms) = (Seq::on(target.soc.arch), Vec::new(), Vec::new());
        Pass { read, regions, target, seq, values, gates, forms }
    }

    fn value(&mut self, id: Id) -> Result<Val, Why> {
        if let Some(done) = self.values[id.index()] {
            return Ok(done);
        }
        let value = match (self.read.scalar(id), self.read.node(id)) {
            (Some(scalar), _) => self.seq.splat(scalar),
            (None, Node::Stream(k)) => match usize::from(k).checked_sub(self.regions.inputs) {
                Some(function) => self.function(function)?,
                None => self.load(k.into()),
            },
            (None, Node::Call(prim, args)) => self.call(id, prim, args)?,
            (None, Node::Scalar(_) | Node::Const(_)) => self.seq.splat(Scalar::Uniform(id)),
        };
        self.values[id.index()] = Some(value);
        Ok(value)
    }

    /// Emits the vector calls of the `k`th univariate function that was split off the graph.
    fn function(&mut self, k: usize) -> Result<Val, Why> {
        let x = self.value(self.regions.of[k])?;
        Ok(self.regions.ways[k].build(&mut self.seq, x))
    }

    fn load(&mut self, stream: usize) -> Val {
        let dtype = self.target.dtype;
        let ty = match self.target.truths(stream) {
            None => Type::Data(dtype),
            Some(Stored::Bit) => Type::Mask,
            Some(_) => Type::Byte,
        };
        let raw = self.seq.push(Source::Load(stream), &[], None, ty);
        let cast = Source::Call(Api::Cast(Round::None));
        match ty {
            Type::Data(DType::F32) | Type::Mask => raw,
            Type::Data(_) => self.seq.push(cast, &[raw], None, F32),
            // Bytes are cast to `half` and then to `float`, on every architecture.
            Type::Byte => {
                let half = self.seq.push(cast, &[raw], None, Type::Data(DType::F16));
                self.seq.push(cast, &[half], None, F32)
            }
        }
    }

    /// Returns the value to store for an output, given the values of the outputs lowered so far.
    ///
    /// The returned value is of the tensors' type, computed by a call, and not shared with another output.
    fn store(&mut self, value: Val, others: &[Option<Val>]) -> Val {
        let dtype = self.target.dtype;
        let mut value = value;
        if self.seq.steps[value.0].source == Source::Splat {
            let scalar = self.seq.steps[value.0].scalar;
            value = self.seq.push(Source::Call(Api::Duplicate), &[], scalar, F32);
        }
        if dtype != DType::F32 {
            let cast = Source::Call(Api::Cast(self.target.soc.round(dtype)));
            value = self.seq.push(cast, &[value], None, Type::Data(dtype));
        }
        let taken = others.contains(&Some(value));
        let is_call = matches!(self.seq.steps[value.0].source, Source::Call(_));
        if is_call && !taken {
            return value;
        }
        // Each output has its own copy, so it is not looked up among equal values.
        let seq = &mut self.seq;
        let copy = seq.steps[value.0].clone();
        let next = Val(seq.steps.len());
        seq.steps.push(match (dtype, is_call) {
            (DType::F32, _) => crate::sequence::Step {
                source: Source::Call(Api::Muls),
                args: vec![value],
                scalar: Some(Scalar::Const(1.0)),
                ..copy
            },
            _ => copy,
        });
        next
    }

    fn call(&mut self, id: Id, prim: Prim, args: [Id; 3]) -> Result<Val, Why> {
        if let Some(Fold { smooth, factors }) = self.read.fold(id) {
            return self.formed(smooth, &factors);
        }
        if self.read.smooth(id).is_some() {
            return self.formed(id, &[]);
        }
        let [x, y, z] = args;
        match prim {
            Prim::Add => self.add(x, y),
            Prim::Sub => self.subtract(x, y),
            Prim::Mul => match [(x, y), (y, x)].into_iter().find_map(|(factor, of)| {
                let root = self.read.reciprocal_of_square(of)?;
                (!self.read.is_uniform(factor)).then_some((factor, root))
            }) {
                Some((factor, root)) => {
                    let factor = self.value(factor)?;
                    self.by_square(factor, root)
                }
                None => self.with_scalar(Api::Muls, Api::Mul, x, y),
            },
            Prim::Min => self.with_scalar(Api::Mins, Api::Min, x, y),
            Prim::Max => self.with_scalar(Api::Maxs, Api::Max, x, y),
            Prim::Mul3 => self.product_of_three([x, y, z]),
            Prim::Div => {
                match (self.read.as_const(x), self.read.as_const(y), self.read.square(y)) {
                    (_, Some(c), _) => {
                        let x = self.value(x)?;
                        Ok(self.seq.muls(x, 1.0 / c))
                    }
                    // `1 / (r r)` becomes `(1 / r) (1 / r)`, since a square may overflow long before its reciprocal underflows.
                    (Some(1.0), _, Some(root)) => {
                        let (one, root) = (self.value(x)?, self.value(root)?);
                        let reciprocal = self.seq.div(one, root);
                        Ok(self.seq.mul(reciprocal, reciprocal))
                    }
                    (None, _, Some(root)) if !self.read.is_uniform(x) => {
                        let (x, root) = (self.value(x)?, self.value(root)?);
                        let once = self.seq.div(x, root);
                        Ok(self.seq.div(once, root))
                    }
                    _ => self.plain(Api::Div, &[x, y]),
                }
            }
            Prim::Neg => {
                let x = self.value(x)?;
                Ok(self.seq.muls(x, -1.0))
            }
            Prim::Abs => self.plain(Api::Abs, &[x]),
            Prim::Round => {
                let x = self.value(x)?;
                Ok(round(&mut self.seq, x))
            }
            Prim::Sqrt => self.plain(Api::Sqrt, &[x]),
            Prim::Exp => self.exponential(x),
            Prim::Ln => self.plain(Api::Ln, &[x]),
            Prim::Pow => self.power(x, y),
            Prim::Lt => self.compare(Compare::Lt, x, y),
            Prim::Le => self.compare(Compare::Le, x, y),
            Prim::Eq => self.compare(Compare::Eq, x, y),
            Prim::Select => {
                let (mask, y, z) = match self.read.is_not(x) {
                    Some(bits) => (self.load(bits), z, y),
                    None => (self.mask(x)?, y, z),
                };
                let (y, z) = (self.value(y)?, self.value(z)?);
                Ok(self.seq.call(Api::Select, &[mask, y, z]))
            }
            _ => Err(Why::Unplanned(prim.row().name)),
        }
    }

    fn plain(&mut self, api: Api, args: &[Id]) -> Result<Val, Why> {
        let args = args.iter().map(|a| self.value(*a)).collect::<Result<Vec<_>, _>>()?;
        Ok(self.seq.call(api, &args))
    }

    /// Emits a commutative call: `scaled` if one side is the same for every element, `plain` otherwise.
    fn with_scalar(&mut self, scaled: Api, plain: Api, x: Id, y: Id) -> Result<Val, Why> {
        match (self.read.scalar(x), self.read.scalar(y)) {
            (_, Some(c)) => {
                let x = self.value(x)?;
                Ok(self.seq.scaled(scaled, &[x], c))
            }
            (Some(_), None) => self.with_scalar(scaled, plain, y, x),
            (None, None) => self.plain(plain, &[x, y]),
        }
    }

    /// Emits `x / r^2` as `x (1 / r) (1 / r)`, where `r` is the node `root`.
    ///
    /// The square of the reciprocal is avoided, because it may underflow long before its product with `x` does.
    fn by_square(&mut self, x: Val, root: Id) -> Result<Val, Why> {
        let (one, root) = (self.seq.splat(1.0), self.value(root)?);
        let reciprocal = self.seq.div(one, root);
        let once = self.seq.mul(x, reciprocal);
        Ok(self.seq.mul(once, reciprocal))
    }

    /// Emits the product `(x y) z` of three nodes, of which the first is bounded.
    ///
    /// Factors that are the same for every element are multiplied after the first vector.
    fn product_of_three(&mut self, mut factors: [Id; 3]) -> Result<Val, Why> {
        let first = factors.iter().position(|f| !self.read.is_uniform(*f)).unwrap_or(0);
        factors[..=first].rotate_right(1);
        let mut rest = &factors[1..];
        let mut product = match self.read.reciprocal_of_square(factors[0]) {
            Some(root) if !self.read.is_uniform(factors[1]) => {
                rest = &factors[2..];
                let factor = self.value(factors[1])?;
                self.by_square(factor, root)?
            }
            _ => self.value(factors[0])?,
        };
        for factor in rest {
            product = match self.read.scalar(*factor) {
                Some(c) => self.seq.muls(product, c),
                None => {
                    let factor = self.value(*factor)?;
                    self.seq.mul(product, factor)
                }
            };
        }
        Ok(product)
    }

    /// Returns the mask bits of node `id`, a truth value.
    ///
    /// A truth value that depends on attributes only is one number for all elements so far, and becomes a mask here.
    fn mask(&mut self, id: Id) -> Result<Val, Why> {
        let Some(truth) = self.read.scalar(id) else { return self.value(id) };
        let all = self.seq.push(Source::Call(Api::Duplicate), &[], Some(truth), F32);
        let holds = Source::Call(Api::Compares(Compare::Gt));
        Ok(self.seq.push(holds, &[all], Some(Scalar::Const(0.0)), Type::Mask))
    }

    fn add(&mut self, x: Id, y: Id) -> Result<Val, Why> {
        for (acc, product) in [(x, y), (y, x)] {
            let Some((a, b)) = self.read.own_product(product) else { continue };
            if let (true, Some((c, w))) = (self.read.spendable(acc), self.read.scaled(a, b)) {
                return self.axpy(acc, w, c);
            }
            // `m w + w` is one call.
            let by =
                [(a, b), (b, a)].into_iter().find(|(m, w)| *w == acc && self.read.spendable(*m));
            if let Some((m, w)) = by.filter(|(m, w)| !self.read.is_uniform(*m) && m != w) {
                let (m, w) = (self.value(m)?, self.value(w)?);
                return Ok(self.seq.fused_mul_add(m, w, w));
            }
        }
        self.with_scalar(Api::Adds, Api::Add, x, y)
    }

    fn axpy(&mut self, acc: Id, w: Id, c: Scalar) -> Result<Val, Why> {
        let (acc, w) = (self.value(acc)?, self.value(w)?);
        Ok(self.seq.scaled(Api::Axpy, &[acc, w], c))
    }

    fn subtract(&mut self, x: Id, y: Id) -> Result<Val, Why> {
        if let Some(c) = self.read.as_const(y) {
            let x = self.value(x)?;
            return Ok(self.seq.adds(x, -c));
        }
        if let (true, Some((a, b))) = (self.read.spendable(x), self.read.own_product(y))
            && let Some((Scalar::Const(c), w)) = self.read.scaled(a, b)
        {
            return self.axpy(x, w, Scalar::Const(-c));
        }
        self.plain(Api::Sub, &[x, y])
    }

    /// Emits `x^y`, in `float` results with more digits of the logarithm where these are asked for.
    fn power(&mut self, x: Id, y: Id) -> Result<Val, Why> {
        let Target { dtype, digits, .. } = self.target;
        let is_fine = digits > Digits::Absolute && digits.dtype(dtype) == DType::F32;
        let rounding = if is_fine { Rounding::Twice } else { Rounding::Once };
        self.took(Prim::Pow, if is_fine { "E2" } else { "E" });
        if let Some(base) = self.read.as_const(x).filter(|base| *base > 0.0) {
            let y = self.value(y)?;
            return Ok(power::of_number(&mut self.seq, base, y, rounding));
        }
        let is_positive = match self.read.node(x) {
            Node::Call(prim, _) => prim.row().range.0 >= 0.0,
            _ => false,
        };
        let exponent = match self.read.as_const(y) {
            Some(y) => Exponent::Number(y),
            None => Exponent::Value(self.value(y)?),
        };
        let x = self.value(x)?;
        Ok(power::power(&mut self.seq, x, exponent, rounding, is_positive))
    }

    fn compare(&mut self, by: Compare, x: Id, y: Id) -> Result<Val, Why> {
        let (by, x, y) =
            if self.read.scalar(x).is_some() { (by.flipped(), y, x) } else { (by, x, y) };
        let (source, args, scalar) = match self.read.scalar(y) {
            Some(c) => (Api::Compares(by), vec![self.value(x)?], Some(c)),
            None => (Api::Compare(by), vec![self.value(x)?, self.value(y)?], None),
        };
        Ok(self.seq.push(Source::Call(source), &args, scalar, Type::Mask))
    }

    /// Emits the vector calls of the smooth primitive `id`, multiplied by the given factors.
    ///
    /// A smooth primitive is one that a sequence of vector calls computes.
    fn formed(&mut self, id: Id, factors: &[Id]) -> Result<Val, Why> {
        let Target { dtype, limits, digits, .. } = self.target;
        let no_form = || Why::Unplanned("form");
        let Smooth { prim, arg, is_rest } = self.read.smooth(id).ok_or_else(no_form)?;
        let form = self.read.form(prim).ok_or_else(no_form)?;
        let others = self.read.relatives(id, prim, arg);
        let (gate, member) = match (family(prim), form.build) {
            (Some(f), _) if !others.is_empty() => {
                let member = if is_rest { Some(Member::Rest) } else { member_of(f, prim) };
                let has_rest = others.iter().any(|o| o.is_rest) || is_rest;
                let gate = || gate_of(f, dtype, limits, digits);
                let both: fn(&mut Seq, Val) -> Gate =
                    if self.target.is_far { sigmoids_far } else { sigmoids };
                (if has_rest { Some(both) } else { gate() }, member)
            }
            (_, Build::MemberOf(gate, member)) => (Some(gate), Some(member)),
            (_, build) => {
                let t = self.factors(factors)?;
                self.took(prim, form.name);
                if prim == Prim::Expm1 && digits == Digits::Compensated {
                    let x = self.unrounded(arg)?;
                    let less = build.build(&mut self.seq, x.high, &[]);
                    let value = self.double_floats().exponential_less_one(x, less);
                    return Ok(times(&mut self.seq, value, &t));
                }
                let x = self.argument(prim, arg)?;
                if x.low.is_none() {
                    return Ok(build.build(&mut self.seq, x.high, &t));
                }
                let value = build.build(&mut self.seq, x.high, &[]);
                let value = self.double_floats().corrected(prim, x, value);
                return Ok(times(&mut self.seq, value, &t));
            }
        };
        let (Some(gate), Some(member)) = (gate, member) else { return Err(no_form()) };
        self.took(prim, if others.is_empty() { form.name } else { "shared" });
        // A factor that relatives also have goes into the sigmoid they share; it is bounded, and so are its parts. Any more factors
        // would let parts overflow that cancel in the sum.
        let shared = factors.iter().find(|f| others.iter().any(|o| o.factors.contains(f)));
        let (into, after): (Vec<Id>, Vec<Id>) = factors.iter().partition(|f| Some(*f) == shared);
        let t = self.factors(&into)?;
        let gate = self.gate(arg, prim, gate)?;
        let q = times(&mut self.seq, member.base(gate), &t);
        let value = member.build(&mut self.seq, gate, q);
        let after = self.factors(&after)?;
        Ok(times(&mut self.seq, value, &after))
    }

    fn took(&mut self, prim: Prim, form: &'static str) {
        if !self.forms.contains(&(prim, form)) {
            self.forms.push((prim, form));
        }
    }

    fn factors(&mut self, factors: &[Id]) -> Result<Vec<Val>, Why> {
        factors.iter().map(|f| self.value(*f)).collect()
    }

    fn gate(&mut self, arg: Id, prim: Prim, build: fn(&mut Seq, Val) -> Gate) -> Result<Gate, Why> {
        let family = family(prim).unwrap_or(&[]);
        let known = self.gates.iter().find(|(a, f, _)| *a == arg && *f == family);
        if let Some((_, _, gate)) = known {
            return Ok(*gate);
        }
        let x = self.argument(prim, arg)?;
        let gate = build(&mut self.seq, x.high);
        let gate = self.double_floats().corrected_gate(prim, x, gate);
        self.gates.push((arg, family, gate));
        Ok(gate)
    }
}

fn member_of(family: &[(Prim, Member)], prim: Prim) -> Option<Member> {
    family.iter().find(|(p, _)| *p == prim).map(|(_, m)| *m)
}
