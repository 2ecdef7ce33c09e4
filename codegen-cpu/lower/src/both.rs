//! Joint tables: a function and its derivative by one look-up in f32.

use super::fitted::{self, WIDTHS, tails};
use super::literal::f32_literal;
use super::several::{Alone, WORTH};
use op_dsl_fit::serialize::Serialize;
use op_dsl_fit::{Bend, Centring, Design, Function, Joint, Piece, Request, Segment, Table, Tail};
use op_dsl_ir::DType;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Joint tables of a function and its derivative, both from a group of functions of one variable.
#[derive(Clone, Debug)]
pub struct Both {
    /// Indices in the group of the function and of its derivative.
    pub order: [usize; 2],
    /// Joint table for each width of look-ups (32 and 8 entries).
    ///
    /// `None` where separate tables of the function and of its derivative take less time.
    tables: [Option<Joint>; WIDTHS.len()],
    /// Tails (approximations beyond the tables) of the function, then of the derivative.
    ///
    /// Each has one for negative and one for positive variables.
    tails: [[Tail; 2]; 2],
}

impl Serialize for Both {
    fn write(&self, to: &mut Vec<u32>) {
        self.order.write(to);
        self.tables.iter().for_each(|table| table.write(to));
        self.tails.iter().flatten().for_each(|tail| tail.write(to));
    }

    fn read(from: &mut &[u32]) -> Option<Self> {
        let order = Serialize::read(from)?;
        let tables = [Serialize::read(from)?, Serialize::read(from)?];
        let mut tails = || Some([Serialize::read(from)?, Serialize::read(from)?]);
        Some(Both { order, tables, tails: [tails()?, tails()?] })
    }
}

/// Fits joint tables to the first function of a group whose derivative is in the group.
///
/// `each` has the separate tables of every function. Returns `None` if no derivative is in the group, or if separate tables
/// take less time.
pub fn fit(functions: &[&Function], each: &[Alone]) -> Option<Both> {
    let all = || 0..functions.len();
    let mut orders = all().flat_map(|f| all().map(move |g| [f, g])).filter(|[f, g]| f != g);
    orders.find_map(|order| {
        let [f, derivative] = order.map(|k| functions[k]);
        let tables = WIDTHS.map(|(entries, _)| {
            let by_each = order.map(|k| each[k].as_ref()?.tables.cost(entries, DType::F32));
            let by_each = by_each.into_iter().sum::<Option<f64>>();
            let under = by_each.map_or(f64::INFINITY, |each| WORTH * each);
            f.fit_with(derivative, &Request { under, ..Request::joint(entries) }).ok()
        });
        let ends = tables.iter().flatten().flat_map(|table| [-table.low, table.high]);
        let from = ends.filter(|end| *end > 0.0).min_by(f32::total_cmp)?;
        Some(Both { order, tables, tails: [f, derivative].map(|f| tails(f, from)) })
    })
}

impl Both {
    /// Returns true if function `k` of the group has a joint table for the look-ups `WIDTHS[width]`.
    pub fn has(&self, k: usize, width: usize) -> bool {
        self.order.contains(&k) && self.tables[width].is_some()
    }

    /// Returns the tokens of a type `name` whose constants are the joint tables and the tails.
    ///
    /// `vanishes` is true if a function of the group is multiplied and is zero at zero.
    pub fn tokens(&self, name: &Ident, vanishes: bool) -> TokenStream {
        let [wide, narrow] = [0, 1].map(|k| match &self.tables[k] {
            Some(table) => {
                let table = table_tokens(WIDTHS[k].0, table);
                quote!(Some(#table))
            }
            None => quote!(None),
        });
        let tails = self.tails.iter().map(fitted::tails_tokens);
        quote! {
            struct #name;
            impl math::both::Joint for #name {
                const WIDE: Option<math::both::Both<32>> = #wide;
                const NARROW: Option<math::both::Both<8>> = #narrow;
                const VANISHES: bool = #vanishes;
                const BEYOND: [[math::tail::Tail; 2]; 2] = [#(#tails),*];
            }
        }
    }
}

/// Returns the tokens of a constant expression for a joint table with `entries` segments.
///
/// The expression begins with a table of one function, which has the fields that both kinds of tables share.
fn table_tokens(entries: usize, joint: &Joint) -> TokenStream {
    let Joint { steps, grid, segments, low, high, ends, ulp } = joint.clone();
    let design = Design {
        symmetry: steps.symmetry,
        centring: Centring::Own,
        degree: steps.degree,
        power: 0,
        pair: false,
        once: false,
    };
    let own = |piece: &Piece| Segment { centre: piece.centre, high: 0.0, a: piece.a };
    let own = segments.iter().map(own).collect();
    let table = Table { design, grid, segments: own, low, high, ends, ulp };
    let table = fitted::table_tokens(entries, &table);
    let column = |of: &dyn Fn(&Piece) -> f32| {
        let numbers = segments.iter().map(|piece| f32_literal(of(piece)));
        quote!(&math::univariate::Column([#(#numbers),*]))
    };
    let slopes = steps.slope.then(|| column(&|piece| piece.slope));
    let slopes = fitted::optional(slopes);
    let bends = column(&|piece| piece.bend);
    let bend = match steps.bend {
        Bend::Plain => quote!(Plain),
        Bend::High => quote!(High),
        Bend::Double => quote!(Double),
    };
    let thrice = steps.thrice;
    quote! {
        math::both::Both {
            table: #table,
            slopes: #slopes,
            thrice: #thrice,
            bend: fit::Bend::#bend,
            bends: #bends,
        }
    }
}
