//! Warnings about formulas for which no accurate form was found.

use crate::op::{Accuracy, OpDef, Spec};
use crate::rounding::{self, Arithmetic, BUDGET, Worst};

/// Returns the largest estimated error of a specialisation; `None` if it is within [`BUDGET`].
///
/// A specialisation is the formula for one combination of attribute values. The estimate is for its f64 graph if it has
/// one and f32 is not accurate enough, otherwise for f32.
pub fn worst(def: &OpDef, spec: &Spec) -> Option<Worst> {
    let ranges = def.stream_ranges();
    let worst = match &spec.wide {
        Some(wide) if wide.single => rounding::worst(&wide.graph, Arithmetic::F64, &ranges),
        _ => rounding::worst_in_f32(&spec.graph, &ranges),
    };
    (worst.ulps > BUDGET).then_some(worst)
}

/// Returns a warning for each specialisation of an operator whose estimated error is over [`BUDGET`].
///
/// Adjacent equal warnings are reported once.
pub fn notes(def: &OpDef) -> Vec<String> {
    let mut notes: Vec<String> = def.specs.iter().filter_map(|spec| note(def, spec)).collect();
    notes.dedup();
    notes
}

/// Returns the warning for one specialisation; `None` if its estimated error is within [`BUDGET`].
///
/// Returns `None` as well if the author asked for f32 arithmetic.
pub fn note(def: &OpDef, spec: &Spec) -> Option<String> {
    if def.accuracy == Accuracy::AsWritten {
        return None;
    }
    // Rests of values are far smaller than the values, which the estimate does not know.
    let worst = worst(def, spec).filter(|_| spec.stages.is_empty())?;
    let at = def.input_names().into_iter().zip(&worst.streams);
    let at: Vec<String> = at.map(|(name, x)| format!("{name} = {x:e}")).collect();
    let off = match worst.ulps < 1e6 {
        true => format!("{:.0} units in the last place of f32 off", worst.ulps),
        false => "without a right digit".to_owned(),
    };
    Some(format!(
        "`{}` loses digits in f64 too, and no expansion that keeps them was found: results may be {off} at {}",
        def.name,
        at.join(", ")
    ))
}
