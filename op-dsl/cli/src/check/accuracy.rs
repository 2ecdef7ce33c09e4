//! The sweeps of `verify`, reported in one line.

use crate::error::Error;
use crate::progress::Progress;
use crate::target::Finding;
use crate::verify::usual;
use codegen_cpu::rt::call::Operator;

/// Checks that an operator's results keep the error budgets at every SIMD level of this CPU.
pub fn accuracy(op: &'static Operator, progress: &Progress) -> Result<Option<Finding>, Error> {
    let report = usual(op, progress)?;
    let line = report.line();
    Ok(Some(Finding::of(if report.is_good() { Ok(line) } else { Err(line) })))
}
