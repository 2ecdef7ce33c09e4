//! The values that an expression can have while a formula is traced.

use op_dsl_ir::graph::{Builder, Id};
use op_dsl_ir::prim::Prim;

/// Why tracing (symbolic evaluation of a formula) stopped before the end of the formula.
pub enum Stop {
    /// The formula branches on the attribute with this index, which has no value yet.
    On(usize),
    /// The trace visited more expressions than allowed; the error is reported already.
    Endless,
}

/// A result of tracing (symbolic evaluation of a formula), or why the trace stopped.
pub type Traces<T> = Result<T, Stop>;

/// The value of an expression while a formula is traced to a graph.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An element of a tensor or a value computed from elements: a node of the graph.
    Elem(Id),
    /// A number that is known while the macro runs.
    Num(f64),
    /// An integer literal, as in `x.powi(3)`.
    Int(i64),
    /// A boolean: a condition on attributes or on elements.
    Truth(Cond),
    /// A boolean or enum attribute, by index, whose value this trace has not fixed yet.
    Attr(usize),
    /// A variant of an enum: the name of the type and the number of the variant.
    Variant(String, i64),
    /// An optional tensor's element, with the index of the attribute that says whether the tensor is given.
    Optional(usize, Box<Value>),
    /// An optional tensor whose presence is known: its element, or `None` where it is not given.
    Given(Option<Box<Value>>),
    /// An attribute that describes the layout of tensors, such as a dimension; formulas cannot use it.
    Layout,
    /// A tensor whose integers say how many rows to compute; formulas cannot use it.
    Rows,
    /// One element of a gated (two-part) tensor: the gate, then the value.
    Gated(Id, Id),
    /// A tuple of values.
    Tuple(Vec<Value>),
    /// The value of an expression with an error, which is reported already.
    Poison,
}

impl Value {
    /// Describes the kind of value in a few words, for messages.
    pub fn what(&self) -> &'static str {
        match self {
            Value::Elem(_) => "an element",
            Value::Num(_) => "a number",
            Value::Int(_) => "an integer",
            Value::Truth(_) => "true or false",
            Value::Attr(_) => "an attribute",
            Value::Variant(..) => "a variant",
            Value::Optional(..) | Value::Given(_) => "an optional tensor",
            Value::Layout => "an attribute that is no part of the formula",
            Value::Rows => "counts of rows, which are no part of the formula",
            Value::Gated(..) => "a gated pair",
            Value::Tuple(_) => "a tuple",
            Value::Poison => "an error",
        }
    }

    /// Returns advice, for messages, on what to write instead of this value where an element is needed.
    pub fn instead(&self) -> String {
        let text = match self {
            Value::Int(v) => return format!("write `{v}.0`"),
            Value::Truth(_) => "write `if .. { .. } else { .. }`",
            Value::Attr(_) | Value::Variant(..) => "branch on it by `if` or `match`",
            Value::Optional(..) | Value::Given(_) => {
                "write `.unwrap_or(..)`, or `match` with `Some(..)` and `None`"
            }
            Value::Layout => "write an `f32` attribute",
            Value::Rows => "which rows are computed is not asked of elements",
            Value::Gated(..) => "write its `gate` or its `value`",
            Value::Tuple(_) => "write one of its values",
            Value::Elem(_) | Value::Num(_) | Value::Poison => "",
        };
        text.to_owned()
    }
}

/// A condition of an `if`.
#[derive(Clone, Debug, PartialEq)]
pub enum Cond {
    /// A condition that is known while the macro runs.
    Known(bool),
    /// A node of the graph that compares elements.
    Node(Id),
    /// `!a`
    Not(Box<Cond>),
    /// `a && b`
    And(Box<Cond>, Box<Cond>),
    /// `a || b`
    Or(Box<Cond>, Box<Cond>),
}

impl Cond {
    /// Returns the condition `element != 0`, where `element` is an element of a boolean tensor (mask).
    pub fn is_not_zero(b: &mut Builder, element: Id) -> Cond {
        let zero = b.num(0.0);
        Cond::Node(b.call(Prim::Eq, &[element, zero])).not()
    }

    /// `!self`
    pub fn not(self) -> Cond {
        match self {
            Cond::Known(b) => Cond::Known(!b),
            Cond::Not(c) => *c,
            c => Cond::Not(Box::new(c)),
        }
    }

    /// `self && other`
    pub fn and(self, other: Cond) -> Cond {
        match (self, other) {
            (Cond::Known(true), c) | (c, Cond::Known(true)) => c,
            (Cond::Known(false), _) | (_, Cond::Known(false)) => Cond::Known(false),
            (a, b) => Cond::And(Box::new(a), Box::new(b)),
        }
    }

    /// `self || other`
    pub fn or(self, other: Cond) -> Cond {
        match (self, other) {
            (Cond::Known(false), c) | (c, Cond::Known(false)) => c,
            (Cond::Known(true), _) | (_, Cond::Known(true)) => Cond::Known(true),
            (a, b) => Cond::Or(Box::new(a), Box::new(b)),
        }
    }

    /// Adds nodes for `if self { yes } else { no }` and returns the result.
    ///
    /// Every comparison with NaN is false. Therefore `!` swaps the branches instead of reversing the comparison: `!(x <
    /// 0)` is true for NaN and `x >= 0` is not.
    pub fn choose(&self, b: &mut Builder, yes: Id, no: Id) -> Id {
        match self {
            Cond::Known(true) => yes,
            Cond::Known(false) => no,
            _ if yes == no => yes,
            Cond::Node(c) => b.call(Prim::Select, &[*c, yes, no]),
            Cond::Not(c) => c.choose(b, no, yes),
            Cond::And(p, q) => {
                let inner = q.choose(b, yes, no);
                p.choose(b, inner, no)
            }
            Cond::Or(p, q) => {
                let inner = q.choose(b, yes, no);
                p.choose(b, yes, inner)
            }
        }
    }
}
