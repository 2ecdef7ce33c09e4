//! Functions of one variable that are made of one table in 16 bits.
//!
//! `f` and `f'` of a gated unit's gradient have one variable. Where `op_dsl_fit` finds that they are polynomials in it and
//! in one function, and that this takes less time, 16 bits look up that one alone.

use super::fitted::{self, Asked, Tables};
use super::known;
use super::literal::{count, f32_literal};
use op_dsl_fit::words::Words;
use op_dsl_fit::{Function, Made, Polynomial, Request, Tail};
use op_dsl_ir::regions;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Functions of one variable, and whether their values can be multiplied before they are rounded.
pub type Group = Vec<(regions::Function, bool)>;

/// One table is taken only if it may cost less than this share of what tables of each do: those reach further where
/// differences cancel, and where tables end a step takes several times as long.
const WORTH: f64 = 0.9;

/// What is fitted to a group.
#[derive(Clone, Debug)]
pub struct Fitted {
    made: Made,
    /// Of the function that all are made of; none where tables of each take less time.
    tables: Tables,
    /// What each function is beyond them.
    tails: Vec<[Tail; 2]>,
}

impl Words for Fitted {
    fn write(&self, to: &mut Vec<u32>) {
        self.made.write(to);
        self.tables.write(to);
        self.tails.iter().flatten().for_each(|tail| tail.write(to));
    }

    fn read(from: &mut &[u32]) -> Option<Self> {
        let (made, tables) = (Made::read(from)?, Words::read(from)?);
        let many = made.results.len();
        let tail = |_| Some([Words::read(from)?, Words::read(from)?]);
        Some(Fitted { made, tables, tails: (0..many).map(tail).collect::<Option<_>>()? })
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
pub fn of(group: &Group) -> Option<Fitted> {
    known::find(&known::key_of_all(group)).unwrap_or_else(|| fit(group))
}

/// What is fitted to a group; `None` where they are no such polynomials, or tables of each take less time.
pub fn fit(group: &Group) -> Option<Fitted> {
    let oracles: Vec<_> = group.iter().map(|(f, _)| fitted::oracle(&f.graph)).collect();
    let functions = group
        .iter()
        .zip(&oracles)
        .map(|((f, _), oracle)| Some(Function::new(oracle, fitted::hints(&f.graph, f.domain)?)));
    let functions = functions.collect::<Option<Vec<_>>>()?;
    let functions: Vec<&Function> = functions.iter().collect();
    let made = Made::find(&functions)?;
    let asked = |multiplied| Asked { two: false, multiplied };
    let each: Vec<_> = group.iter().map(|(f, by)| fitted::of(f, asked(*by))).collect();
    let multiplied = group.iter().any(|(_, multiplied)| *multiplied);
    let tables = Tables::of(|entries, index, dtype| {
        let usual = Request::new(fitted::element(dtype), entries);
        let table = made.table(&functions, &Request { index, multiplied, ..usual })?;
        let by_each = each.iter().map(|f| f.as_ref()?.tables.cost(entries, dtype));
        let is_less =
            by_each.sum::<Option<f64>>().is_none_or(|each| made.cost(&table) < WORTH * each);
        is_less.then_some(table)
    });
    tables.all().next()?;
    let tails = functions.iter().map(|f| [-1.0, 1.0].map(|sign| fitted::tail(f, sign, &tables)));
    Some(Fitted { tails: tails.collect(), made, tables })
}

impl Fitted {
    /// Takes from a function's tables those in whose place another is looked up.
    pub fn replace(&self, of: &mut Tables) {
        for (own, other) in of.0.iter_mut().flatten().zip(self.tables.0.iter().flatten()) {
            if other.is_some() {
                *own = None;
            }
        }
    }

    /// `struct #name`, its tables and what is made of them.
    pub fn tokens(&self, name: &Ident) -> TokenStream {
        let many = count(self.made.results.len());
        let univariate = fitted::univariate(name, false, false, &self.tables);
        let tails = self.tails.iter().map(fitted::tails_tokens);
        let results = self.made.results.iter().map(result);
        quote! {
            #univariate
            impl math::made::Made<#many> for #name {
                const BEYOND: [[math::beyond::Tail; 2]; #many] = [#(#tails),*];
                #[inline(always)]
                #[allow(unused_variables)]
                fn made<S: Isa, const W: usize>(
                    s: S,
                    x: Floats<S, W>,
                    g: Floats<S, W>,
                ) -> [Floats<S, W>; #many] {
                    [#(#results),*]
                }
            }
        }
    }
}

/// A polynomial in `x` and `g`, as `Polynomial::at` has it.
fn result(polynomial: &Polynomial) -> TokenStream {
    let step = |sum: TokenStream, p: &[f32]| match p {
        [] => quote!((#sum * g)),
        [c] => {
            let c = f32_literal(*c);
            quote!((#sum).mul_add(g, #c))
        }
        p => {
            let p = of_x(p);
            quote!((#sum).mul_add(g, #p))
        }
    };
    let mut powers = polynomial.by_powers();
    let first = powers.next().map_or(quote!(Floats::<S, W>::splat(s, 0.0)), of_x);
    powers.fold(first, step)
}

/// A polynomial in `x`.
fn of_x(p: &[f32]) -> TokenStream {
    let (last, rest) = p.split_last().unwrap_or((&0.0, &[]));
    let first = f32_literal(*last);
    let step = |sum: TokenStream, c: &f32| match *c {
        0.0 => quote!((#sum * x)),
        c => {
            let c = f32_literal(c);
            quote!((#sum).mul_add(x, #c))
        }
    };
    rest.iter().rev().fold(quote!(Floats::<S, W>::splat(s, #first)), step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::graph::Builder;
    use op_dsl_ir::regions::{Powers, Variable};
    use op_dsl_ir::{DType, Prim};

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
            let fitted = fit(&groups(&functions)[0]).expect("made of one");
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
        assert!(fit(&groups(&[of(Prim::Gelu, 0), of(Prim::GeluGrad, 0)])[0]).is_none());
    }
}
