//! The sweeps of `verify`, reported in one line.

use super::{Context, Finding};
use crate::error::Error;
use crate::verify::usual;
use codegen_cpu::rt::call::Operator;

/// Checks that an operator's results keep the error budgets at every SIMD level of this CPU.
pub fn accuracy(context: &Context<'_>, op: &'static Operator) -> Result<Option<Finding>, Error> {
    let report = usual(op, context.progress)?;
    let line = report.line();
    Ok(Some(Finding::of(if report.is_good() { Ok(line) } else { Err(line) })))
}
