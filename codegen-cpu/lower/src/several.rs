//! Groups of functions of one variable, for which one table may replace the tables of each.

use super::fitted::{self, Fitted, Precision};
use op_dsl_ir::encode::hash;
use op_dsl_ir::univariate;

/// Functions of the same variable, each with `true` if its value is multiplied before rounding.
pub type Group = Vec<(univariate::Function, bool)>;

/// Separate tables of one function; `None` if it has none.
pub type Alone = Option<Fitted>;

/// Maximum cost of one shared table for a group, relative to the cost of separate tables.
///
/// It is below 1, because costs are estimates.
pub const WORTH: f64 = 0.9;

/// Returns the groups of functions that have a variable in common, as lists of indices.
///
/// For example, functions of the streams 0, 1 and 0 have the one group `[0, 2]`. A group has at least two functions, and no
/// variable that is a product.
pub fn places(functions: &[(univariate::Function, Precision)]) -> Vec<Vec<usize>> {
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
    // If the variable is a product, its rounding error has to be corrected, which only separate tables do.
    let is_product = |group: &Vec<usize>| functions[group[0]].0.variable.is_rounded();
    groups.retain(|group| group.len() > 1 && !is_product(group));
    groups
}

/// Returns the groups of functions that have a variable in common.
pub fn groups(functions: &[(univariate::Function, Precision)]) -> Vec<Group> {
    let one = |k: &usize| (functions[*k].0.clone(), functions[*k].1.multiplied);
    places(functions).iter().map(|group| group.iter().map(one).collect()).collect()
}

/// Returns the key of a group of functions in the cache of tables, which is a hash.
pub fn key(group: &Group) -> u64 {
    hash(group.iter().flat_map(|(f, multiplied)| fitted::key(f, *multiplied).to_le_bytes()))
}
