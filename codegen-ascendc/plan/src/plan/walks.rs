//! Walks along a row that does not fit UB: each computes, chunk by chunk, the terms of some stages and reduces them.
//!
//! A walk reads the row once. Stages whose terms need no value of each other share a walk, because a walk costs a read of what UB
//! cannot hold. Terms that later stages read do not stay in UB: each walk that reads them computes them again.

use super::planned::{Plan, RowPlans, RowStage, Terms};
use op_dsl_ir::op::Rule;

/// One walk along a row, by the stages that it computes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// Stages whose terms are computed in each chunk, in order: those of `reduced`, and those whose terms others read.
    pub computed: Vec<usize>,
    /// Stages whose terms the walk reduces to the value of the row; none in the walk of the results.
    pub reduced: Vec<usize>,
    /// Stages that are computed once, at the end of the walk.
    pub uniform: Vec<usize>,
}

impl RowPlans {
    /// Returns the walks along a row, of which the last one computes the results, if they have a number per element.
    pub fn walks(&self) -> Vec<Walk> {
        // For each stage, the number of walks before its terms can be computed, and before its value is known.
        let mut terms: Vec<usize> = Vec::new();
        let mut known: Vec<usize> = Vec::new();
        for stage in &self.stages {
            let first = stage.plan().map_or(0, |plan| {
                let values = self.stages_by(plan, |s| Some(s.value)).map(|k| known[k]);
                values.chain(self.stages_by(plan, |s| s.terms).map(|k| terms[k])).max().unwrap_or(0)
            });
            terms.push(first);
            known.push(if stage.rule == Rule::Uniform { first } else { first + 1 });
        }
        let count = known.iter().max().map_or(0, |most| *most);
        let of_walk = |walk: usize| {
            let is = |uniform: bool| {
                let all = self.stages.iter().enumerate().zip(&known);
                let all = all.filter(move |((_, stage), known)| {
                    **known == walk + 1 && (stage.rule == Rule::Uniform) == uniform
                });
                all.map(|((k, _), _)| k).collect::<Vec<usize>>()
            };
            let (reduced, uniform) = (is(false), is(true));
            let mut computed = reduced.clone();
            reduced
                .iter()
                .filter_map(|k| self.stages[*k].plan())
                .for_each(|plan| self.needed(plan, &mut computed));
            if let Some(results) = self.results.as_deref().filter(|_| walk == count) {
                self.needed(results, &mut computed);
            }
            computed.sort_unstable();
            computed.dedup();
            Walk { computed, reduced, uniform }
        };
        (0..count + usize::from(self.results.is_some())).map(of_walk).collect()
    }

    /// Returns the stages that are computed ahead of all walks: once per row, from inputs and attributes alone.
    pub fn first(&self) -> Vec<usize> {
        let walks = self.walks();
        let is_in =
            |k: &usize| walks.iter().any(|w| w.reduced.contains(k) || w.uniform.contains(k));
        (0..self.stages.len()).filter(|k| !is_in(k)).collect()
    }

    /// Returns the earlier stages that a plan reads by one of their streams.
    fn stages_by<'a>(
        &'a self,
        plan: &'a Plan,
        stream: impl Fn(&RowStage) -> Option<usize> + 'a,
    ) -> impl Iterator<Item = usize> + 'a {
        let is_read = move |stage: &RowStage| {
            stream(stage).and_then(|s| plan.inputs.get(s)).is_some_and(Option::is_some)
        };
        self.stages.iter().enumerate().filter(move |(_, stage)| is_read(stage)).map(|(k, _)| k)
    }

    /// Adds the stages whose terms a plan reads, and those that these read.
    fn needed(&self, plan: &Plan, all: &mut Vec<usize>) {
        for k in self.stages_by(plan, |stage| stage.terms) {
            all.push(k);
            if let Some(plan) = self.stages[k].plan() {
                self.needed(plan, all);
            }
        }
    }

    /// Returns whether a walk reads an input stream of the operator; `is_last` if it computes the results.
    pub fn reads(&self, walk: &Walk, is_last: bool, stream: usize) -> bool {
        let of_plan = |plan: &Plan| plan.inputs.get(stream).is_some_and(Option::is_some);
        let of_stage = |k: &usize| match &self.stages[*k].from {
            Terms::Stream(s) => *s == stream,
            Terms::Plan(plan) => of_plan(plan),
        };
        walk.computed.iter().any(of_stage)
            || self.results.as_deref().is_some_and(|results| is_last && of_plan(results))
    }

    /// Returns, for an input stream of the operator, one bit for each walk that reads it.
    pub fn walks_of(&self, stream: usize) -> u64 {
        let walks = self.walks();
        let reads = |(k, walk): (usize, &Walk)| {
            u64::from(self.reads(walk, k + 1 == walks.len(), stream)) << k
        };
        walks.iter().enumerate().map(reads).sum()
    }

    /// Returns the input streams of the operator that have a number per element.
    pub fn elements(&self) -> impl Iterator<Item = usize> {
        (0..self.own).filter(|stream| !self.given.contains(stream))
    }

    /// Returns the input streams that several walks read, of which UB holds as many elements as fit.
    pub fn held(&self) -> Vec<usize> {
        self.elements().filter(|stream| self.walks_of(*stream).count_ones() > 1).collect()
    }
}
