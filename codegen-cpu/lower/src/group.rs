//! Tables that several functions of one variable share.
//!
//! ```text
//! made   composed, in 16 bits, for polynomials in the variable and in one basis function: a table of that function
//! both   joint, in f32, where one of two functions is the derivative of the other: a table of both
//! ```
//!
//! A shared table is used where it costs less than separate tables.

use super::both::Both;
use super::fitted::{self, Fitted, Precision};
use super::made::{self, Made};
use super::several::{self, Alone, Group};
use super::{both, kept, look_up::Source};
use op_dsl_fit::Function;
use op_dsl_fit::serialize::Serialize;
use op_dsl_ir::{DType, univariate};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// Tables that a group, several functions of the same variable, shares.
#[derive(Clone, Debug)]
pub struct Shared {
    made: Option<Made>,
    both: Option<Both>,
}

impl Serialize for Shared {
    fn write(&self, to: &mut Vec<u32>) {
        self.made.write(to);
        self.both.write(to);
    }

    fn read(from: &mut &[u32]) -> Option<Self> {
        Some(Shared { made: Serialize::read(from)?, both: Serialize::read(from)? })
    }
}

/// Returns the tables that a group (functions of one variable) shares, from the cache if possible.
///
/// Returns `None` if separate tables take less time.
pub fn shared_tables(group: &Group) -> Option<Shared> {
    let alone = |f: &univariate::Function, multiplied| {
        fitted::load_or_fit(f, Precision { two: [false; 2], multiplied })
    };
    kept::load_or_fit(several::key(group), None, || fit(group, &alone))
}

/// Fits the tables that a group (functions of one variable) shares.
///
/// Returns `None` if separate tables for each function, which `alone` returns, take less time.
pub fn fit(group: &Group, alone: &dyn Fn(&univariate::Function, bool) -> Alone) -> Option<Shared> {
    let oracles: Vec<_> =
        group.iter().map(|(f, _)| (fitted::oracle(&f.graph), fitted::values(&f.graph))).collect();
    let functions = group.iter().zip(&oracles).map(|((f, _), (oracle, values))| {
        let hints = fitted::hints(&f.graph, f.domain)?;
        Some(Function::new(oracle, hints).with_values(values))
    });
    let functions = functions.collect::<Option<Vec<_>>>()?;
    let functions: Vec<&Function> = functions.iter().collect();
    let each: Vec<Alone> = group.iter().map(|(f, by)| alone(f, *by)).collect();
    let made = made::fit(group, &functions, &each);
    let both = both::fit(&functions, &each);
    (made.is_some() || both.is_some()).then_some(Shared { made, both })
}

impl Shared {
    /// Removes those separate tables of function `k` of the group that a shared table replaces.
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

    /// Returns the tokens of types that look up the functions of a group, with their tables.
    ///
    /// `places` are the indices of the group's functions among all functions that an operator looks up.
    pub fn tokens(
        &self,
        name: &Ident,
        group: &Group,
        places: &[usize],
    ) -> (TokenStream, Vec<Owned>) {
        let vanishes = group.iter().any(|(f, by)| *by && fitted::vanishes(&f.graph));
        let mut all = TokenStream::new();
        let mut owned = Vec::new();
        if let Some(made) = &self.made {
            let owner = format_ident!("{name}Made");
            let tables = made.tokens(&owner, vanishes);
            all = quote!(#all #tables);
            owned.push(Owned { owner, places: places.to_vec(), by: "made" });
        }
        if let Some(both) = &self.both {
            let owner = format_ident!("{name}Both");
            let tables = both.tokens(&owner, vanishes);
            all = quote!(#all #tables);
            owned.push(Owned { owner, places: both.order.map(|k| places[k]).to_vec(), by: "both" });
        }
        (all, owned)
    }
}

/// A generated type that looks up several functions by one shared table.
pub struct Owned {
    owner: Ident,
    places: Vec<usize>,
    by: &'static str,
}

impl Owned {
    /// Returns the look-up of this generated type, which yields the values of some functions.
    ///
    /// An operator has a list of such look-ups, which together yield all functions that it looks up.
    pub fn source(&self) -> Source<'_> {
        Source { owner: &self.owner, places: self.places.clone(), by: self.by }
    }
}

#[cfg(test)]
mod tests {
    use super::super::several::{groups, places};
    use super::*;
    use op_dsl_ir::Prim;
    use op_dsl_ir::graph::Builder;
    use op_dsl_ir::univariate::{Powers, Variable};

    /// A function that applies a primitive to stream `k`.
    fn of(prim: Prim, k: usize) -> (univariate::Function, Precision) {
        let mut b = Builder::new();
        let x = b.stream(k);
        let variable = Variable { of: b.finish(&[x]), times: Powers::default() };
        let mut b = Builder::new();
        let x = b.stream(0);
        let y = b.call(prim, &[x]);
        let domain = [f64::NEG_INFINITY, f64::INFINITY];
        let function = univariate::Function { variable, domain, graph: b.finish(&[y]) };
        (function, Precision { two: [false; 2], multiplied: true })
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
            let shared = fit(&groups(&functions)[0], &fitted::fit).expect("made of one");
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
        let gelu = groups(&[of(Prim::GeluGrad, 0), of(Prim::Gelu, 0)]);
        let gelu = fit(&gelu[0], &fitted::fit).expect("both");
        assert!(gelu.made.is_none());
        assert_eq!(gelu.both.map(|both| both.order), Some([1, 0]));
    }
}
