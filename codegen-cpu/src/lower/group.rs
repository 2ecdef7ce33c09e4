//! Functions of one variable, which one look-up may give together.
//!
//! ```text
//! made   in 16 bits, where they are polynomials in the variable and in one function: a table of that
//! both   in f32, where one of two is the derivative of the other: a table of both
//! ```
//!
//! Either is taken where it costs less than tables of each.

use super::both::Both;
use super::fitted::{self, Asked, Fitted};
use super::known;
use super::made::{self, Made};
use super::{both, look_up::Source};
use op_dsl_fit::words::Words;
use op_dsl_fit::{Function, Tail};
use op_dsl_ir::DType;
use op_dsl_ir::regions;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// Functions of one variable, and whether their values can be multiplied before they are rounded.
pub type Group = Vec<(regions::Function, bool)>;

/// What is fitted to a function by itself, if anything is.
pub type Alone = Option<Fitted>;

/// One table is taken only if it may cost less than this share of what tables of each do: those reach further where
/// differences cancel, and where tables end a step takes several times as long.
pub const WORTH: f64 = 0.9;

/// What is fitted to a group.
#[derive(Clone, Debug)]
pub struct Shared {
    made: Option<Made>,
    both: Option<Both>,
}

impl Words for Shared {
    fn write(&self, to: &mut Vec<u32>) {
        self.made.write(to);
        self.both.write(to);
    }

    fn read(from: &mut &[u32]) -> Option<Self> {
        Some(Shared { made: Words::read(from)?, both: Words::read(from)? })
    }
}

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

/// What is fitted to a group, or kept of it.
pub fn of(group: &Group) -> Option<Shared> {
    known::of(known::key_of_all(group), || fit(group))
}

/// What is fitted to a group; `None` where tables of each take less time.
pub fn fit(group: &Group) -> Option<Shared> {
    let oracles: Vec<_> = group.iter().map(|(f, _)| fitted::oracle(&f.graph)).collect();
    let functions = group
        .iter()
        .zip(&oracles)
        .map(|((f, _), oracle)| Some(Function::new(oracle, fitted::hints(&f.graph, f.domain)?)));
    let functions = functions.collect::<Option<Vec<_>>>()?;
    let functions: Vec<&Function> = functions.iter().collect();
    let asked = |multiplied| Asked { two: false, multiplied };
    let each: Vec<Alone> = group.iter().map(|(f, by)| fitted::of(f, asked(*by))).collect();
    let made = made::fit(group, &functions, &each);
    let both = both::fit(&functions, &each);
    (made.is_some() || both.is_some()).then_some(Shared { made, both })
}

/// What a function is on either side from a number on.
pub fn tails(function: &Function, from: f32) -> [Tail; 2] {
    [-1.0, 1.0].map(|sign| function.tail(sign, from))
}

impl Shared {
    /// Takes from the tables of function `k` those in whose place another is looked up.
    pub fn replace(&self, k: usize, of: &mut Fitted) {
        for (width, own) in of.tables.0.iter_mut().enumerate() {
            for (dtype, own) in DType::ALL.into_iter().zip(own) {
                let made =
                    self.made.as_ref().is_some_and(|m| m.tables.0[width][dtype as usize].is_some());
                let both = self.both.as_ref().is_some_and(|b| b.has(k, width));
                if made || both && dtype == DType::F32 {
                    *own = None;
                }
            }
        }
    }

    /// The types that are looked up for functions of these places among all, and their tables.
    pub fn tokens(&self, name: &Ident, places: &[usize]) -> (TokenStream, Vec<Owned>) {
        let mut all = TokenStream::new();
        let mut owned = Vec::new();
        if let Some(made) = &self.made {
            let owner = format_ident!("{name}Made");
            let tables = made.tokens(&owner);
            all = quote!(#all #tables);
            owned.push(Owned { owner, places: places.to_vec(), by: "made" });
        }
        if let Some(both) = &self.both {
            let owner = format_ident!("{name}Both");
            let tables = both.tokens(&owner);
            all = quote!(#all #tables);
            owned.push(Owned { owner, places: both.order.map(|k| places[k]).to_vec(), by: "both" });
        }
        (all, owned)
    }
}

/// A type that several functions are looked up by.
pub struct Owned {
    owner: Ident,
    places: Vec<usize>,
    by: &'static str,
}

impl Owned {
    /// The same, as a part of a way to look up all functions.
    pub fn source(&self) -> Source<'_> {
        Source { owner: &self.owner, places: self.places.clone(), by: self.by }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::Prim;
    use op_dsl_ir::graph::Builder;
    use op_dsl_ir::regions::{Powers, Variable};

    /// A primitive of stream `k`.
    fn of(prim: Prim, k: usize) -> (regions::Function, Asked) {
        let mut b = Builder::new();
        let x = b.stream(k);
        let variable = Variable { of: b.finish(&[x]), times: Powers::default() };
        let mut b = Builder::new();
        let x = b.stream(0);
        let y = b.call(prim, &[x]);
        let domain = [f64::NEG_INFINITY, f64::INFINITY];
        let function = regions::Function { variable, domain, graph: b.finish(&[y]) };
        (function, Asked { two: false, multiplied: true })
    }

    #[test]
    fn functions_of_one_variable_are_a_group() {
        let functions = [of(Prim::Silu, 0), of(Prim::Tanh, 1), of(Prim::SiluGrad, 0)];
        assert_eq!(places(&functions), [[0, 2]]);
        assert!(places(&functions[..2]).is_empty());
    }

    #[test]
    fn silu_and_its_derivative_are_made_of_one_table() {
        for pair in [[Prim::Silu, Prim::SiluGrad], [Prim::SiluGrad, Prim::Silu]] {
            let functions = pair.map(|prim| of(prim, 0));
            let shared = fit(&groups(&functions)[0]).expect("made of one");
            let fitted = shared.made.expect("in 16 bits");
            for (entries, dtype) in
                [(32, DType::F16), (32, DType::BF16), (8, DType::F16), (8, DType::BF16)]
            {
                assert!(
                    fitted.tables.cost(entries, dtype).is_some(),
                    "{pair:?}, {entries}, {dtype:?}"
                );
            }
            assert!(fitted.tables.cost(32, DType::F32).is_none());
        }
        let gelu = fit(&groups(&[of(Prim::GeluGrad, 0), of(Prim::Gelu, 0)])[0]).expect("both");
        assert!(gelu.made.is_none());
        assert_eq!(gelu.both.map(|both| both.order), Some([1, 0]));
    }
}
