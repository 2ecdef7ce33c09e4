//! The aclnn functions of any operator: published ones as published, others by the same convention.

use crate::names::cpp_name;
use crate::op::{AttrKind, OpDef, Value, snake};
pub use crate::published::Param;
use crate::published::{DTypes, Negative, SignaturePart, Type};

/// The aclnn interface of an operator.
#[derive(Clone, Debug, PartialEq)]
pub struct Interface {
    /// The header that callers include, without `.h`.
    pub header: String,
    /// The aclnn functions of the operator; the last one has the most complete signature.
    pub functions: Vec<Function>,
    /// `(input, other)`: no argument passes input `input`, so the kernel receives input `other` instead.
    pub stand_ins: Vec<(usize, usize)>,
    /// Whether inputs are broadcast against each other.
    pub broadcast: bool,
    /// Rule for the element types that the tensors of one call may have.
    pub dtypes: DTypes,
    /// Whether calls with empty tensors succeed.
    pub empty: bool,
    /// `(attribute index, rule)` for each numeric attribute that may not be negative.
    pub negative: Vec<(usize, Negative)>,
}

/// One aclnn function of an operator: its name and its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Name, for example `aclnnGeGluV3Backward`.
    pub name: String,
    /// Arguments in order; `workspaceSize` and `executor`, which end every such function, are left out.
    pub params: Vec<Param>,
    /// `(attribute index, value)` for each attribute that the function has no argument for.
    pub fixed: Vec<(usize, Value)>,
    /// Document that publishes the function; `None` if the function is derived from the operator.
    pub source: Option<&'static str>,
}

impl Interface {
    /// Returns the published interface of an operator, or the one derived from its signature.
    pub fn of(def: &OpDef) -> Interface {
        def.published.and_then(|p| p.aclnn).map_or_else(
            || derived(def),
            |row| Interface {
                header: row.header.into(),
                functions: row
                    .names
                    .iter()
                    .map(|n| Function {
                        name: n.name.into(),
                        params: n.args.to_vec(),
                        fixed: n.fixed.to_vec(),
                        source: Some(n.source),
                    })
                    .collect(),
                stand_ins: row.stand_ins.to_vec(),
                broadcast: row.broadcast,
                dtypes: row.dtypes,
                empty: row.empty,
                negative: row.negative.to_vec(),
            },
        )
    }

    /// Returns the function with the most complete signature.
    ///
    /// Code that all functions share uses its argument names.
    pub fn main(&self) -> &Function {
        &self.functions[self.functions.len() - 1]
    }

    /// Returns the name of the argument that passes an input, or that of the input standing in for it.
    pub fn input(&self, index: usize) -> &str {
        self.stand_ins.iter().find(|s| s.0 == index).map_or_else(
            || self.main().name_of(SignaturePart::Input(index)),
            |s| self.main().name_of(SignaturePart::Input(s.1)),
        )
    }
}

impl Function {
    /// Returns the argument that passes this input, output or attribute; `None` if there is none.
    pub fn param(&self, of: SignaturePart) -> Option<&Param> {
        self.params.iter().find(|p| p.of == of)
    }

    /// Returns the name of the argument that passes this input, output or attribute; empty if none does.
    pub fn name_of(&self, of: SignaturePart) -> &str {
        self.param(of).map_or("", |p| &p.name)
    }

    /// Returns the value of an attribute that the function has no argument for; `None` if it has one.
    pub fn fixed(&self, attr: usize) -> Option<Value> {
        self.fixed.iter().find(|f| f.0 == attr).map(|f| f.1)
    }

    /// Iterates over the arguments that are tensors of the operator.
    pub fn tensors(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|p| p.is_tensor())
    }
}

fn param(of: SignaturePart, name: &str, ty: Type) -> Param {
    Param { of, name: cpp_name(name).into(), ty, optional: false }
}

/// Derives an interface from the signature of an operator.
///
/// The arguments are the inputs, the attributes and the outputs, in the order of the toolkit's own generator.
fn derived(def: &OpDef) -> Interface {
    let inputs = def.inputs.iter().enumerate();
    let inputs = inputs.map(|(i, t)| Param {
        optional: def.presence(i).is_some(),
        ..param(SignaturePart::Input(i), &t.name, Type::ConstTensor)
    });
    let attrs = def.passed().iter().enumerate();
    let attrs = attrs.map(|(i, a)| param(SignaturePart::Attr(i), &a.name, attr_type(&a.kind)));
    let outputs = def.outputs.iter().enumerate();
    let outputs = outputs.map(|(i, t)| param(SignaturePart::Output(i), &t.name, Type::ConstTensor));
    let name = format!("aclnn{}", def.name);
    let params = inputs.chain(attrs).chain(outputs).collect();
    Interface {
        header: format!("aclnn_{}", snake(&def.name)),
        functions: vec![Function { name, params, fixed: Vec::new(), source: None }],
        stand_ins: Vec::new(),
        // Broadcasting an operator with a split dimension is left to the caller.
        broadcast: def.broadcast && def.split.is_none(),
        dtypes: if def.promote { DTypes::PROMOTED } else { DTypes::SAME },
        empty: def.empty,
        negative: Vec::new(),
    }
}

fn attr_type(kind: &AttrKind) -> Type {
    match kind {
        AttrKind::Dim | AttrKind::Int => Type::Int,
        AttrKind::Bool | AttrKind::Given(_) => Type::Bool,
        AttrKind::Float => Type::Double,
        AttrKind::Enum { wire_str: true, .. } => Type::Chars,
        AttrKind::Enum { wire_str: false, .. } => Type::Int,
    }
}
