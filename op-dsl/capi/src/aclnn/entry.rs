//! An aclnn function: its name, its signature and the operator behind it.

use crate::acl::ACLNN_ERR_INNER_FIND_KERNEL_ERROR;
use crate::by_name::ByName;
use crate::refusal::{Checked, refuse};
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::interface::{self, Interface};
use op_dsl_ir::op::OpDef;
use op_dsl_ir::published::{DTypes, Negative, SignaturePart};
use std::sync::OnceLock;

/// An aclnn function of an operator; the operator is looked up in a table at the first call.
#[derive(Debug)]
pub struct Entry {
    operator: ByName,
    /// Name of the function.
    pub name: &'static str,
    resolved: OnceLock<Result<Resolved, String>>,
}

/// Signature and rules of an aclnn function.
#[derive(Debug)]
pub struct Resolved {
    /// The operator, with this function's names and rules for shapes and element types.
    ///
    /// Tensors and attributes have the names of the arguments so that messages use the caller's words.
    pub operator: Operator,
    /// Arguments in order, and the values of attributes that have no argument.
    pub signature: interface::Function,
    /// `(input, other)`: `input` has no argument, and the operator reads the argument of `other` instead.
    pub stand_ins: Vec<(usize, usize)>,
    /// Rule for the element types of the tensors in one call.
    pub dtypes: DTypes,
    /// `(attribute, rule)` for each attribute that has a rule for negative numbers.
    pub negative: Vec<(usize, Negative)>,
}

impl Entry {
    /// Returns the aclnn function `name` of the operator named `operator` in `table`.
    ///
    /// The operator is looked up at the first call, so that an entry can be a static.
    pub const fn new(
        table: &'static &'static [&'static Operator],
        operator: &'static str,
        name: &'static str,
    ) -> Entry {
        let operator = ByName { table, name: operator };
        Entry { operator, name, resolved: OnceLock::new() }
    }

    /// Returns the signature and the operator of this function; the first call looks them up.
    pub fn resolve(&self) -> Checked<&Resolved> {
        let found = self.resolved.get_or_init(|| {
            let operator = self.operator.find()?;
            let Interface { functions, stand_ins, broadcast, dtypes, empty, negative, .. } =
                Interface::of(operator.def());
            let signature = functions.into_iter().find(|f| f.name == self.name);
            let signature =
                signature.ok_or_else(|| format!("{} has no such function", operator.name()))?;
            let operator = operator.redefined(|def| {
                def.broadcast = broadcast;
                def.promote = dtypes.promotes();
                def.empty = empty;
                rename(def, &signature, &stand_ins);
            });
            Ok(Resolved { operator, signature, stand_ins, dtypes, negative })
        });
        found.as_ref().or_else(|why| {
            refuse(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, format!("{}: {why}", self.name))
        })
    }

    /// Returns the number of input tensors among this function's arguments.
    pub fn input_count(&self) -> usize {
        self.resolve().map_or(0, |r| {
            r.signature.params.iter().filter(|p| matches!(p.of, SignaturePart::Input(_))).count()
        })
    }
}

/// Gives an operator the name of a function, and its tensors and attributes the names of the arguments.
fn rename(def: &mut OpDef, to: &interface::Function, stand_ins: &[(usize, usize)]) {
    def.name = to.name.clone().into();
    for param in &to.params {
        let name = match param.of {
            SignaturePart::Input(i) => &mut def.inputs.to_mut()[i].name,
            SignaturePart::Output(i) => &mut def.outputs.to_mut()[i].name,
            SignaturePart::Attr(i) => &mut def.attrs.to_mut()[i].name,
            SignaturePart::Unused => continue,
        };
        *name = param.name.clone();
    }
    for &(input, other) in stand_ins {
        def.inputs.to_mut()[input].name = def.inputs[other].name.clone();
    }
}

impl Resolved {
    /// Returns the position, among the tensor arguments, of the one for an operator's input or output.
    ///
    /// `None` means that this function has no such argument.
    pub fn position(&self, of: SignaturePart) -> Option<usize> {
        let of = match of {
            SignaturePart::Input(i) => {
                let other = self.stand_ins.iter().find(|s| s.0 == i);
                SignaturePart::Input(other.map_or(i, |s| s.1))
            }
            other => other,
        };
        self.signature.tensors().position(|p| p.of == of)
    }
}
