//! Fits tables to a function of one variable, and writes them as tokens.

use super::breakpoints::kinks;
use super::kept;
use super::literal::{count, f32_literal, integer};
use op_dsl_fit::serialize::Serialize;
use op_dsl_fit::{
    Cells, Centring, Curve, Element, End, Function, Hints, Index, Line, Request, Side, Symmetry,
    Table, Tail,
};
use op_dsl_ir::DType;
use op_dsl_ir::encode::hash;
use op_dsl_ir::graph::Graph;
use op_dsl_ir::rounding::{Arithmetic, Point, outputs};
use op_dsl_ir::univariate;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// Widths of look-ups: for each, the number of table entries and how segments are found.
pub const WIDTHS: [(usize, Index); 2] = [(32, Index::Down), (8, Index::Product)];

/// Requirements on the values of a function that is evaluated by a table.
#[derive(Clone, Copy)]
pub struct Precision {
    /// True if values are needed as double-floats, for tables of 32 and of 8 segments.
    pub two: [bool; WIDTHS.len()],
    /// True if the function's values may be factors of a product.
    ///
    /// A factor may scale a value that is below the range of the element type back into it, so that such values must be accurate,
    /// too.
    pub multiplied: bool,
}

/// Tables of one function, by width of look-ups ([`WIDTHS`]) and then by element type.
///
/// `None` where no table meets the requirements, or where a table that several functions share replaces it.
#[derive(Clone, Debug, Default)]
pub struct Tables(pub [[Option<Table>; DType::COUNT]; WIDTHS.len()]);

impl Serialize for Tables {
    fn write(&self, to: &mut Vec<u32>) {
        self.0.iter().flatten().for_each(|table| table.write(to));
    }

    fn read(from: &mut &[u32]) -> Option<Self> {
        let mut tables = Tables::default();
        for table in tables.0.iter_mut().flatten() {
            *table = Serialize::read(from)?;
        }
        Some(tables)
    }
}

impl Tables {
    /// Calls `fit` for each width of look-ups and each element type, and collects the tables.
    pub fn of(fit: impl Fn(usize, Index, DType) -> Option<Table>) -> Tables {
        Tables(WIDTHS.map(|(entries, index)| DType::ALL.map(|dtype| fit(entries, index, dtype))))
    }

    /// Iterates over the tables of all widths and element types.
    pub fn all(&self) -> impl Iterator<Item = &Table> {
        self.0.iter().flatten().flatten()
    }

    /// Returns the estimated cost of a table in nanoseconds per element, or `None` without a table.
    ///
    /// The table is that of look-ups of `entries` entries.
    pub fn cost(&self, entries: usize, dtype: DType) -> Option<f64> {
        let width = WIDTHS.iter().position(|(of, _)| *of == entries)?;
        self.0[width][dtype as usize].as_ref().map(Table::cost)
    }

    /// Returns the least distance from zero at which one of the tables ends and the slow path follows.
    ///
    /// `sign` selects the side of zero. Returns `None` if the slow path follows no table there.
    pub fn leave(&self, sign: f64) -> Option<f32> {
        self.all().filter_map(|table| table.leaves(sign)).min_by(f32::total_cmp)
    }
}

/// Tables of a function, and its tails beyond them for negative and for positive variables.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// Tables by width of look-ups and element type.
    pub tables: Tables,
    tails: [Tail; 2],
}

impl Serialize for Fitted {
    fn write(&self, to: &mut Vec<u32>) {
        self.tables.write(to);
        self.tails.iter().for_each(|tail| tail.write(to));
    }

    fn read(from: &mut &[u32]) -> Option<Self> {
        let tables = Serialize::read(from)?;
        Some(Fitted { tables, tails: [Serialize::read(from)?, Serialize::read(from)?] })
    }
}

/// Returns an oracle: a graph's value at each `x` in f64, with a bound of its error.
pub fn oracle(graph: &Graph) -> impl Fn(&[f64]) -> Vec<(f64, f64)> {
    let known = |x: &f64| outputs(graph, Arithmetic::F64, &Point::single(0, *x))[0];
    move |x| x.iter().map(known).map(|b| (b.value, b.error)).collect()
}

/// Returns an oracle of values without error bounds.
///
/// It evaluates the graph node by node over all arguments.
pub fn values(graph: &Graph) -> impl Fn(&[f64]) -> Vec<f64> {
    move |x| graph.eval_columns(&[x.to_vec()], &[], x.len()).swap_remove(0)
}

/// Fits the tables of a function, without the cache.
///
/// `multiplied` says whether its values can be multiplied before they are rounded. Returns `None` if no table can be fitted for
/// any width and element type.
pub fn fit(function: &univariate::Function, multiplied: bool) -> Option<Fitted> {
    let graph = &function.graph;
    let (oracle, values) = (oracle(graph), values(graph));
    let fitted = Function::new(&oracle, hints(graph, function.domain)?).with_values(&values);
    let of_product = function.variable.is_rounded();
    let tables = Tables::of(|entries, index, dtype| {
        let usual = Request::new(element(dtype), entries);
        fitted.fit(&Request { index, multiplied, of_product, ..usual }).ok()
    });
    tables.all().next()?;
    let tails = [-1.0, 1.0].map(|sign| tail(&fitted, sign, &tables));
    Some(Fitted { tables, tails })
}

/// Returns the approximation of a function beyond its tables, on the side of `sign`.
fn tail(function: &Function, sign: f64, tables: &Tables) -> Tail {
    tables.leave(sign).map(|from| function.tail(sign, from)).unwrap_or_default()
}

/// Returns the tails of a function for negative and for positive `x`, where `|x| >= from`.
pub fn tails(function: &Function, from: f32) -> [Tail; 2] {
    [-1.0, 1.0].map(|sign| function.tail(sign, from))
}

/// Returns the tables of a function, from the cache if it has them.
///
/// `asked` has the requirements on the function's values. Returns `None` if no table meets them.
pub fn load_or_fit(function: &univariate::Function, asked: Precision) -> Option<Fitted> {
    let Precision { multiplied, .. } = asked;
    let unread = Fitted { tables: Tables::default(), tails: Default::default() };
    kept::load_or_fit(key(function, multiplied), Some(unread), || fit(function, multiplied))
}

/// Returns the key of a function's tables in the cache: a hash.
///
/// It depends on the graph, the domain, whether the variable is a product, and whether values can be multiplied.
pub fn key(function: &univariate::Function, multiplied: bool) -> u64 {
    let domain = function.domain.map(|end| end.to_bits().to_le_bytes());
    let flags = [function.variable.is_rounded(), multiplied].map(u8::from);
    hash(function.graph.encode().into_iter().chain(domain.concat()).chain(flags))
}

/// Returns the tokens of a type `name` whose constants are a function's tables and tails.
pub fn function(
    name: &Ident,
    function: &univariate::Function,
    asked: Precision,
    fitted: &Fitted,
) -> TokenStream {
    let tails = tails_tokens(&fitted.tails);
    let own = Own {
        of_product: function.variable.is_rounded(),
        two: asked.two,
        vanishes: (asked.multiplied || function.variable.is_rounded()) && vanishes(&function.graph),
    };
    let univariate = univariate(name, own, &fitted.tables);
    quote! {
        #univariate
        impl math::tail::Beyond for #name {
            const TAILS: [math::tail::Tail; 2] = #tails;
        }
    }
}

/// Constants of the generated `impl math::univariate::Univariate` other than the tables.
pub struct Own {
    /// True if the function's variable is a product, which can be any float.
    pub of_product: bool,
    /// True if the function's value is needed as a double-float: see [`Precision::two`].
    pub two: [bool; WIDTHS.len()],
    /// True if later factors need digits that the function's value loses where its variable is tiny.
    pub vanishes: bool,
}

/// Returns true if a function is zero where its variable is zero.
pub fn vanishes(graph: &Graph) -> bool {
    graph.eval(&[0.0], &[])[0] == 0.0
}

/// Returns the tokens of a type `name` whose constants are the tables of one function.
pub fn univariate(name: &Ident, own: Own, tables: &Tables) -> TokenStream {
    let Own { of_product, two: [wide_two, narrow_two], vanishes } = own;
    let [wide, narrow] = &tables.0;
    let [wide, narrow] = [(WIDTHS[0].0, wide), (WIDTHS[1].0, narrow)]
        .map(|(entries, tables)| tokens(entries, tables));
    let types = count(DType::COUNT);
    quote! {
        struct #name;
        impl math::univariate::Univariate for #name {
            const SCALED: bool = #of_product;
            const TWO: [bool; 2] = [#wide_two, #narrow_two];
            const VANISHES: bool = #vanishes;
            const WIDE: [Option<math::univariate::Table<32>>; #types] = #wide;
            const NARROW: [Option<math::univariate::Table<8>>; #types] = #narrow;
        }
    }
}

/// Returns the tails of a function for negative and for positive variables, as tokens.
pub fn tails_tokens(tails: &[Tail; 2]) -> TokenStream {
    let tails = tails.iter().map(tail_tokens);
    quote!([#(#tails),*])
}

pub fn element(dtype: DType) -> Element {
    Element::new(dtype.row().precision, dtype.row().exponents)
}

/// Returns the breakpoints and limits of a function, which the fitter needs besides its values.
///
/// Returns `None` where a table cannot represent the function.
pub fn hints(graph: &Graph, domain: [f64; 2]) -> Option<Hints> {
    let is_number = |y: &f64| y.abs() <= f32::MAX.into();
    let limit = |x: f64| Some(graph.eval(&[x], &[])[0]).filter(is_number);
    let limits = [limit(f64::NEG_INFINITY), limit(f64::INFINITY)];
    let inside = |c: &f64| (domain[0]..=domain[1]).contains(c);
    let kinks = kinks(graph)?.into_iter().filter(inside).collect();
    Some(Hints { domain, kinks, limits, ..Hints::default() })
}

/// Returns the tokens of an array of optional tables, one for each element type.
fn tokens(entries: usize, tables: &[Option<Table>; DType::COUNT]) -> TokenStream {
    if let [Some(table), rest @ ..] = tables
        && rest.iter().all(|other| other.as_ref() == Some(table))
    {
        let (table, types) = (table_tokens(entries, table), count(DType::COUNT));
        return quote!([Some(#table); #types]);
    }
    let each = tables.iter().map(|t| match t {
        Some(table) => {
            let table = table_tokens(entries, table);
            quote!(Some(#table))
        }
        None => quote!(None),
    });
    quote!([#(#each),*])
}

/// Returns the tokens of a constant expression for a table with `entries` segments.
pub fn table_tokens(entries: usize, table: &Table) -> TokenStream {
    let column = |of: &dyn Fn(usize) -> f32| {
        let numbers = (0..entries).map(|i| f32_literal(of(i)));
        quote!(math::univariate::Column([#(#numbers),*]))
    };
    let Table { design, grid, segments, .. } = table;
    let index = variant("Index", grid.index);
    let centring = variant("Centring", design.centring);
    let ends = table.ends.map(|end: End| variant("End", end));
    let symmetry = symmetry(design.symmetry);
    let (degree, power) = (count(design.degree), count(design.power));
    let (pair, once) = (design.pair, design.once);
    let (scale, first) = (f32_literal(grid.scale), integer(grid.first.into()));
    let (low, high) = (f32_literal(table.low), f32_literal(table.high));
    let is_own = design.centring == Centring::Own;
    let centres = column(&|i| if is_own { segments[i].centre } else { 0.0 });
    let highs = column(&|i| segments[i].high);
    let a = (0..=design.degree - design.pair as usize).map(|k| column(&|i| segments[i].a[k]));
    quote! {
        math::univariate::Table {
            design: fit::Design {
                symmetry: #symmetry, centring: #centring, degree: #degree, power: #power, pair: #pair, once: #once,
            },
            index: #index,
            scale: #scale,
            first: #first,
            within: [#low, #high],
            ends: [#(#ends),*],
            centres: &#centres,
            high: &#highs,
            a: &[#(#a),*],
        }
    }
}

fn tail_tokens(Tail { curve, line }: &Tail) -> TokenStream {
    let curve = optional(curve.as_ref().map(curve_tokens));
    let line = optional(line.map(|Line { from, base, slope }| {
        let [from, base, slope] = [from, base, slope].map(f32_literal);
        quote!(fit::Line { from: #from, base: #base, slope: #slope })
    }));
    quote!(math::tail::Tail { curve: #curve, line: #line })
}

fn curve_tokens(Curve { within, negative, cells, columns }: &Curve) -> TokenStream {
    let [from, to] = within.map(f32_literal);
    let cells = match *cells {
        Cells::Equal(scale) => {
            let scale = f32_literal(scale);
            quote!(fit::Cells::Equal(#scale))
        }
        Cells::Octaves { less, shift } => {
            let (less, shift) = (f32_literal(less), count(shift as usize));
            quote!(fit::Cells::Octaves { less: #less, shift: #shift })
        }
    };
    let columns = columns.iter().map(|column| {
        let numbers = column.map(f32_literal);
        quote!(math::univariate::Column([#(#numbers),*]))
    });
    quote! {
        math::tail::Curve {
            within: [#from, #to],
            negative: #negative,
            cells: #cells,
            columns: &[#(#columns),*],
        }
    }
}

/// Returns the tokens of `Some(..)` if there are `tokens`, otherwise of `None`.
pub fn optional(tokens: Option<TokenStream>) -> TokenStream {
    tokens.map_or(quote!(None), |tokens| quote!(Some(#tokens)))
}

/// Returns the path of a variant without fields of the enum `ty`.
///
/// Its name is as `Debug` prints it.
fn variant(ty: &str, value: impl core::fmt::Debug) -> TokenStream {
    let (ty, variant) = (format_ident!("{ty}"), format_ident!("{value:?}"));
    quote!(fit::#ty::#variant)
}

fn symmetry(symmetry: Symmetry) -> TokenStream {
    let with = |name: &str, field: &str, number: f32, side: Side| {
        let (name, field, number) =
            (format_ident!("{name}"), format_ident!("{field}"), f32_literal(number));
        let side = variant("Side", side);
        quote!(fit::Symmetry::#name { #field: #number, side: #side })
    };
    match symmetry {
        Symmetry::Point { sum, side } => with("Point", "sum", sum, side),
        Symmetry::Linear { slope, side } => with("Linear", "slope", slope, side),
        plain => variant("Symmetry", plain),
    }
}
