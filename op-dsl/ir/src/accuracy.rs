//! Accuracy that an author asks for; `fast` finds the ways to compute f32 results without f64.

/// Accuracy of an operator's results in f32, as its author chose it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Accuracy {
    /// At most two units in the last place of error in every result; kernels compute in f64 where f32 does not reach that.
    #[default]
    Exact,
    /// At most [`FAST_BUDGET`] units in the last place of the largest addend; kernels compute in f32 wherever that reaches it.
    Fast,
    /// The rounding errors of f32 arithmetic on the formula as it is written.
    AsWritten,
}

/// Error budget of [`Accuracy::Fast`], in units in the last place of the largest addend (`rounding::largest_addends`).
pub const FAST_BUDGET: f64 = 4.0;

/// Ways to compute f32 results within [`FAST_BUDGET`] without f64. Elements that leave the range of f32 take f64 in all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fast {
    /// The graph whose functions of one value have tables, if f32 arithmetic may combine their values.
    pub tables: Option<Tables>,
    /// Whether f32 arithmetic serves for the whole f32 graph.
    pub arithmetic: bool,
}

/// One of the two graphs of a specialisation, which is split into functions of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// The graph for f64, whose functions have all digits.
    OfWide,
    /// The graph for f32, without the terms that make limits of f64 results.
    OfNarrow,
}

impl Fast {
    /// F32 results need f64, or the author does not ask for anything else.
    pub const NONE: Fast = Fast { tables: None, arithmetic: false };

    /// Returns whether results in f32 can be computed without f64.
    pub fn serves(self) -> bool {
        self.tables.is_some() || self.arithmetic
    }
}
