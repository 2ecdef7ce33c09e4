//! Sequences of vector calls, one value per call, before buffers are assigned.
//!
//! ```text
//! api       the calls and the types of their results
//! mod       a builder that shares equal calls (CSE)
//! overload  the overload of a call that takes numbers among its arguments
//! forms     sequences of the smooth primitives, with their coefficients
//! form      a sequence with its accuracy, its guarantee at infinity, and how it is built
//! fraction  functions that are fractions of one exponential, however they are written
//! fit       fits Gaussian tails of functions
//! ```

mod api;
pub mod fit;
pub mod form;
pub mod forms;
pub mod fraction;
mod overload;

pub use api::{Api, Compare, F32, Type};
pub use overload::Overload;

use crate::arch::Arch;
use op_dsl_ir::Id;
use rustc_hash::FxHashMap;

/// A number that is the same for every element.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {
    /// A constant, known when the kernel is written.
    Const(f32),
    /// A node of the graph that depends on attributes only.
    Uniform(Id),
}

impl Scalar {
    fn key(self) -> (u8, u32) {
        match self {
            Scalar::Const(c) => (0, c.to_bits()),
            Scalar::Uniform(id) => (1, id.0),
        }
    }
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Scalar) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Scalar {}

impl From<f64> for Scalar {
    fn from(c: f64) -> Scalar {
        Scalar::Const(c as f32)
    }
}

/// Identifies a value of a sequence of vector calls by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Val(pub usize);

/// The operation that computes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// An input stream (by its index), in the type in which it is loaded.
    Load(usize),
    /// A vector of equal numbers, written once per kernel and read many times.
    Splat,
    /// Computed by an AscendC vector call.
    Call(Api),
}

/// One value of a sequence of vector calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The operation that computes the value.
    pub source: Source,
    /// Arguments of the call; the accumulator, which the call overwrites, comes first.
    pub args: Vec<Val>,
    /// Scalar operand of the call, or the number that fills the splat (256 bytes of it).
    pub scalar: Option<Scalar>,
    /// Type of the value that the call computes.
    pub ty: Type,
    /// The value as a formula, for a comment in the generated code; empty if the call is clear.
    pub what: &'static str,
}

type Key = (Source, Vec<Val>, Option<(u8, u32)>, Type);

/// A sequence of vector calls under construction.
#[derive(Clone, Debug)]
pub struct Seq {
    /// All values added so far, in order.
    pub steps: Vec<Step>,
    arch: &'static Arch,
    known: FxHashMap<Key, Val>, // only ever looked up, never iterated: its order reaches no output
}

impl Seq {
    /// Returns an empty sequence of vector calls for an architecture.
    ///
    /// Calls that the architecture lacks are replaced by other calls as they are added.
    pub fn on(arch: &'static Arch) -> Seq {
        Seq { steps: Vec::new(), arch, known: FxHashMap::default() }
    }

    /// Returns the architecture that the sequence of vector calls is for.
    pub fn arch(&self) -> &'static Arch {
        self.arch
    }

    /// Counts the reads of each value: by values that an output depends on, and as an output.
    pub fn uses(&self, outputs: &[Val]) -> Vec<usize> {
        let mut uses = vec![0; self.steps.len()];
        outputs.iter().for_each(|output| uses[output.0] += 1);
        for (i, step) in self.steps.iter().enumerate().rev() {
            if uses[i] > 0 {
                step.args.iter().for_each(|a| uses[a.0] += 1);
            }
        }
        uses
    }

    /// Adds a value to the sequence and returns it; an equal one that exists is returned instead.
    pub fn push(&mut self, source: Source, args: &[Val], scalar: Option<Scalar>, ty: Type) -> Val {
        match source {
            Source::Call(api) if self.arch.lacks.contains(&api.name()) => {
                self.instead(api, args, scalar, ty)
            }
            Source::Call(api) => {
                let args = self.vectors(api, args);
                self.put(source, &args, scalar, ty)
            }
            _ => self.put(source, args, scalar, ty),
        }
    }

    /// Returns the arguments of a call, with splats filled into whole vectors if the call needs them.
    ///
    /// A splat is 256 bytes of one number, which few calls have an overload for.
    fn vectors(&mut self, api: Api, args: &[Val]) -> Vec<Val> {
        match self.overload(api, args) {
            Some(_) => args.to_vec(),
            None => args.iter().map(|a| self.vector(*a)).collect(),
        }
    }

    /// Returns a vector as long as a tile if `val` is a splat (256 bytes of one number); otherwise `val`.
    fn vector(&mut self, val: Val) -> Val {
        match self.steps[val.0].source {
            Source::Splat => {
                let scalar = self.steps[val.0].scalar;
                self.put(Source::Call(Api::Duplicate), &[], scalar, F32)
            }
            _ => val,
        }
    }

    /// Returns the overload of call `api` that takes these arguments; `None` if there is none.
    pub fn overload(&self, api: Api, args: &[Val]) -> Option<Overload> {
        let splats: Vec<bool> =
            args.iter().map(|a| self.steps[a.0].source == Source::Splat).collect();
        let lanes = args.first().map_or(F32, |a| self.steps[a.0].ty);
        Overload::of(api, lanes, &splats, self.arch)
    }

    /// Adds calls that replace one that the architecture lacks, and returns their value.
    ///
    /// A call without a replacement is added unchanged.
    fn instead(&mut self, api: Api, args: &[Val], scalar: Option<Scalar>, ty: Type) -> Val {
        let plain = match api {
            Api::Maxs => Api::Max,
            Api::Mins => Api::Min,
            Api::Compares(by) => Api::Compare(by),
            Api::FusedMulAdd => {
                let product = self.push(Source::Call(Api::Mul), &args[..2], None, ty);
                return self.push(Source::Call(Api::Add), &[product, args[2]], None, ty);
            }
            other => return self.put(Source::Call(other), args, scalar, ty),
        };
        let splat = self.put(Source::Splat, &[], scalar, F32);
        self.push(Source::Call(plain), &[args[0], splat], None, ty)
    }

    fn put(&mut self, source: Source, args: &[Val], scalar: Option<Scalar>, ty: Type) -> Val {
        let next = Val(self.steps.len());
        let key = (source, args.to_vec(), scalar.map(Scalar::key), ty);
        let val = *self.known.entry(key).or_insert(next);
        if val == next {
            self.steps.push(Step { source, args: args.to_vec(), scalar, ty, what: "" });
        }
        val
    }

    /// Sets the formula that a comment in the generated code shows for a value, and returns the value.
    pub fn named(&mut self, val: Val, what: &'static str) -> Val {
        self.steps[val.0].what = what;
        val
    }

    /// Adds the vector call `api` on `float` and returns its value.
    pub fn call(&mut self, api: Api, args: &[Val]) -> Val {
        self.push(Source::Call(api), args, None, F32)
    }

    /// Adds the vector call `api` with a scalar operand, on `float`, and returns its value.
    pub fn scaled(&mut self, api: Api, args: &[Val], scalar: impl Into<Scalar>) -> Val {
        self.push(Source::Call(api), args, Some(scalar.into()), F32)
    }

    /// Adds the calls for `x^2 + c` and returns their value.
    ///
    /// They may overwrite `x`, so no later call may read it.
    pub fn square_plus(&mut self, x: Val, c: f64) -> Val {
        let one = self.splat(c);
        match self.overload(Api::FusedMulAdd, &[x, x, one]) {
            Some(_) => self.fused_mul_add(x, x, one),
            None => {
                let square = self.mul(x, x);
                self.adds(square, c)
            }
        }
    }

    /// Adds a splat (256 bytes of one number, written once per kernel) and returns it.
    pub fn splat(&mut self, scalar: impl Into<Scalar>) -> Val {
        self.push(Source::Splat, &[], Some(scalar.into()), F32)
    }
}

macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident = $api:ident($($arg:ident),*);)*) => {
        impl Seq {$(
            $(#[$doc])*
            pub fn $name(&mut self, $($arg: Val),*) -> Val {
                self.call(Api::$api, &[$($arg),*])
            }
        )*}
    };
}

calls! {
    /// `|x|`
    abs = Abs(x);
    /// `e^x`
    exp = Exp(x);
    /// `ln(x)`
    ln = Ln(x);
    /// `x - y`
    sub = Sub(x, y);
    /// `x y`
    mul = Mul(x, y);
    /// `x / y`
    div = Div(x, y);
    /// The larger of `x` and `y`.
    max = Max(x, y);
    /// The smaller of `x` and `y`.
    min = Min(x, y);
    /// `a x + y`; overwrites `a`, so no later call may read it.
    fused_mul_add = FusedMulAdd(a, x, y);
}

macro_rules! scalar_calls {
    ($($(#[$doc:meta])* $name:ident = $api:ident($($arg:ident),*);)*) => {
        impl Seq {$(
            $(#[$doc])*
            pub fn $name(&mut self, $($arg: Val,)* c: impl Into<Scalar>) -> Val {
                self.scaled(Api::$api, &[$($arg),*], c)
            }
        )*}
    };
}

scalar_calls! {
    /// `x + c`
    adds = Adds(x);
    /// `c x`
    muls = Muls(x);
    /// The larger of `x` and `c`.
    maxs = Maxs(x);
    /// The smaller of `x` and `c`.
    mins = Mins(x);
    /// `a + c x`; overwrites `a`, so no later call may read it.
    axpy = Axpy(a, x);
}
