//! The order in which stages run on a tile or on a chunk of a row, and the buffers of their values and terms.

use super::super::super::package::Package;
use super::super::super::text::Text;
use super::super::barrier;
use crate::plan::{Plan, RowPlans, Terms};
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::RowFunction;

/// Writer of the order in which stages run, which tracks the value that each buffer holds.
pub struct Order<'p> {
    plan: &'p Plan,
    rows: &'p RowPlans,
    /// For each buffer of values repeated along rows, the stream that it holds.
    repeated: Vec<Option<usize>>,
}

impl<'p> Order<'p> {
    /// Returns the order of a tile, of which no buffer holds a value yet.
    pub fn new(plan: &'p Plan, rows: &'p RowPlans) -> Order<'p> {
        Order { plan, rows, repeated: vec![None; rows.repeated] }
    }

    /// Returns the C++ expression of the buffer that holds a stream, with one number per element.
    fn place(&self, stream: usize) -> String {
        let name = self.plan.inputs.get(stream).filter(|_| !self.rows.given.contains(&stream));
        if let Some(Some(name)) = name {
            return cpp_name(name);
        }
        if let Some(k) = self.rows.kept().position(|kept| kept == stream) {
            return format!("Buffer({k})");
        }
        let at = self.repeated.iter().position(|held| *held == Some(stream)).unwrap_or(0);
        format!("Buffer({})", self.rows.kept().count() + at)
    }

    /// Writes C++ statements that repeat each value which a plan reads along its row, unless a buffer holds it already.
    fn repeat(&mut self, plan: &Plan, text: &mut Text) {
        let read = self.rows.values_of(plan);
        for value in &read {
            if self.repeated.contains(&Some(*value)) {
                continue;
            }
            let is_free = |held: &Option<usize>| held.is_none_or(|held| !read.contains(&held));
            let Some(at) = self.repeated.iter().position(is_free) else { continue };
            self.repeated[at] = Some(*value);
            let (to, from) = (self.place(*value), column(self.rows.column(*value)));
            text.line(format!("RepeatAlong({to}, {from}, work, tile);"));
        }
    }

    /// Writes C++ statements that compute the terms of a stage; terms that are reduced end in `work`, where they may be overwritten.
    pub fn terms(&mut self, package: &Package<'_>, k: usize, is_reduced: bool, text: &mut Text) {
        let (stage, statement) = (&self.rows.stages[k], barrier::statement(package));
        let plan = match &stage.from {
            Terms::Stream(stream) => {
                text.lines(statement);
                text.line(format!("DataCopy(work, {}, tile.count);", self.place(*stream)));
                return;
            }
            Terms::Plan(plan) => plan,
        };
        self.repeat(plan, text);
        let terms = stage.terms.map(|terms| self.place(terms));
        let to = terms.clone().unwrap_or_else(|| "work".into());
        let args = read(plan, |stream| self.place(stream));
        text.lines(statement);
        text.line(format!("stage{k}_.Run({args}{to}, scratch_, tile.count);"));
        if let Some(terms) = terms.filter(|_| is_reduced) {
            text.lines(statement);
            text.line(format!("DataCopy(work, {terms}, tile.count);"));
        }
    }

    /// Writes C++ statements that compute a stage once per row; `rows` is the C++ expression of the number of rows.
    pub fn uniform(&self, package: &Package<'_>, k: usize, rows: &str, text: &mut Text) {
        let Some(plan) = self.rows.stages[k].plan() else { return };
        let args = read(plan, |stream| column(self.rows.column(stream)));
        text.lines(barrier::statement(package));
        text.line(format!("stage{k}_.Run({args}{}, scratch_, {rows});", column(k)));
    }

    /// Writes C++ statements that compute the results which have a number per element.
    pub fn results(&mut self, package: &Package<'_>, text: &mut Text) {
        let Some(results) = &self.rows.results else { return };
        self.repeat(results, text);
        let args = read(results, |stream| self.place(stream));
        let outs: Vec<String> = results.outputs.iter().map(|name| cpp_name(name)).collect();
        text.lines(barrier::statement(package));
        text.line(format!("results_.Run({args}{}, scratch_, tile.count);", outs.join(", ")));
    }
}

/// Returns the C++ expression of a column, which has one number per row: the value of a stage, or an input.
pub fn column(index: usize) -> String {
    format!("Column({index})")
}

/// Writes the C++ statement that divides the sums of a mean; `length` and `rows` are C++ expressions of a row's elements and of the
/// number of rows.
pub fn divide(function: RowFunction, stage: usize, [length, rows]: [&str; 2], text: &mut Text) {
    if function == RowFunction::Mean {
        text.line(format!("DivideByLength({}, Column(VALUES), {length}, {rows});", column(stage)));
    }
}

/// Returns the C++ arguments for the streams that a plan reads, each followed by a comma.
fn read(plan: &Plan, place: impl Fn(usize) -> String) -> String {
    let all = plan.inputs.iter().enumerate().filter(|(_, name)| name.is_some());
    all.map(|(k, _)| format!("{}, ", place(k))).collect()
}

/// Number of `float` buffers of a tile: kept terms, repeated values, temporaries.
pub fn floats(rows: &RowPlans) -> usize {
    rows.kept().count() + rows.repeated + rows.temporaries()[0]
}
