//! An aclnn function: its name, its signature and the operator behind it.

use crate::acl::ACLNN_ERR_INNER_FIND_KERNEL_ERROR;
use crate::by_name::ByName;
use crate::refusal::{Checked, refuse};
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::interface::{self, Interface};
use op_dsl_ir::op::OpDef;
use op_dsl_ir::published::{DTypes, Negative, Of};
use std::sync::OnceLock;

/// An aclnn function of an operator of a table.
#[derive(Debug)]
pub struct Entry {
    operator: ByName,
    /// The function's name.
    pub name: &'static str,
    resolved: OnceLock<Result<Resolved, String>>,
}

/// What a function comes to.
#[derive(Debug)]
pub struct Resolved {
    /// The operator under the function's names, with its rules for shapes and element types: what is
    /// wrong with a call is told in the caller's words.
    pub operator: Operator,
    /// Arguments in order.
    pub signature: interface::Function,
    /// `(input, other)`: an input without an argument is given the other one.
    pub stand_ins: Vec<(usize, usize)>,
    /// How element types go together.
    pub dtypes: DTypes,
    /// `(attribute, what)` for each number that may not be negative.
    pub negative: Vec<(usize, Negative)>,
}

impl Entry {
    /// A function of an operator.
    pub const fn new(
        table: &'static &'static [&'static Operator],
        operator: &'static str,
        name: &'static str,
    ) -> Entry {
        let operator = ByName { table, name: operator };
        Entry { operator, name, resolved: OnceLock::new() }
    }

    /// The signature and the operator.
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

    /// How many tensors it reads.
    pub fn input_count(&self) -> usize {
        self.resolve().map_or(0, |r| {
            r.signature.params.iter().filter(|p| matches!(p.of, Of::Input(_))).count()
        })
    }
}

/// Gives the operator the names of a function, and its tensors and attributes those of the arguments.
fn rename(def: &mut OpDef, to: &interface::Function, stand_ins: &[(usize, usize)]) {
    def.name = to.name.clone().into();
    for param in &to.params {
        let name = match param.of {
            Of::Input(i) => &mut def.inputs.to_mut()[i].name,
            Of::Output(i) => &mut def.outputs.to_mut()[i].name,
            Of::Attr(i) => &mut def.attrs.to_mut()[i].name,
            Of::Unused => continue,
        };
        *name = param.name.clone();
    }
    for &(input, other) in stand_ins {
        def.inputs.to_mut()[input].name = def.inputs[other].name.clone();
    }
}

impl Resolved {
    /// Where among the tensors of the call a tensor of the operator is.
    pub fn position(&self, of: Of) -> Option<usize> {
        let of = match of {
            Of::Input(i) => {
                let other = self.stand_ins.iter().find(|s| s.0 == i);
                Of::Input(other.map_or(i, |s| s.1))
            }
            other => other,
        };
        self.signature.tensors().position(|p| p.of == of)
    }
}
