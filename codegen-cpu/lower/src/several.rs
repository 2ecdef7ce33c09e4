//! Functions of one variable, and what one table for all of them is held against.

use super::fitted::{self, Asked, Fitted};
use op_dsl_ir::encode::hash;
use op_dsl_ir::regions;

/// Functions of one variable, and whether their values can be multiplied before they are rounded.
pub type Group = Vec<(regions::Function, bool)>;

/// What is fitted to a function by itself, if anything is.
pub type Alone = Option<Fitted>;

/// One table is taken only if it may cost less than this share of what tables of each do: those reach further where
/// differences cancel, and where tables end a step takes several times as long.
pub const WORTH: f64 = 0.9;

/// The functions that have a variable in common, by their places: those of which there are several.
pub fn places(functions: &[(regions::Function, Asked)]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (k, (f, _)) in functions.iter().enumerate() {
        let with = |group: &&mut Vec<usize>| {
            let (other, _) = &functions[group[0]];
            other.variable == f.variable && other.domain == f.domain
        };
        match groups.iter_mut().find(with) {
            Some(group) => group.push(k),
            None => groups.push(vec![k]),
        }
    }
    // What rounding takes from a product is for tables of each to make good.
    let is_product = |group: &Vec<usize>| fitted::is_product(&functions[group[0]].0);
    groups.retain(|group| group.len() > 1 && !is_product(group));
    groups
}

/// The same, as they are asked for.
pub fn groups(functions: &[(regions::Function, Asked)]) -> Vec<Group> {
    let one = |k: &usize| (functions[*k].0.clone(), functions[*k].1.multiplied);
    places(functions).iter().map(|group| group.iter().map(one).collect()).collect()
}

/// A hash of what is asked of a group.
pub fn key(group: &Group) -> u64 {
    hash(group.iter().flat_map(|(f, multiplied)| fitted::key(f, *multiplied).to_le_bytes()))
}
