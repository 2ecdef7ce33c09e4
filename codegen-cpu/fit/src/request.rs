//! What is asked of a table, and how the best is found.

use crate::element::Element;
use crate::function::Function;
use crate::grid::Index;
use crate::half;
use crate::interval::Search;
use crate::policy;
use crate::refusal::Refusal;
use crate::segment;
use crate::symmetry::Symmetry;
use crate::table::{Design, MAX_DEGREE, Table};
use crate::truth::Results;
use crate::view::View;
use core::ops::RangeInclusive;

/// What is asked of a table.
#[derive(Clone, Debug)]
pub struct Request {
    /// What results are rounded to.
    pub element: Element,
    /// Segments: what one look-up holds.
    pub entries: usize,
    /// How the evaluator finds a segment.
    pub index: Index,
    /// Degrees that may be taken; none is above [`MAX_DEGREE`].
    pub degrees: RangeInclusive<usize>,
    /// The largest error that may be seen while fitting, in units in the last place of f32. What
    /// later is measured at all inputs is up to a quarter more. Nothing for 16 bits, which have a
    /// criterion of their own.
    pub target: f64,
    /// If the target is beyond reach, it may be raised to this.
    pub most: f64,
    /// Whether something multiplies values of 16 bits before they are rounded.
    pub multiplied: bool,
    /// Whether the variable is a product, which is any float, whatever results are rounded to.
    pub of_product: bool,
    /// What several functions are looked up by together is of use if it costs less than this: in nanoseconds, see
    /// [`Table::cost`].
    pub under: f64,
}

impl Request {
    /// With what suits evaluators whose look-ups hold so many floats: 32 on AVX-512, 16 or 8 elsewhere.
    pub fn new(element: Element, entries: usize) -> Self {
        let wide = entries >= 32;
        Request {
            element,
            entries,
            index: if wide { Index::Down } else { Index::Product },
            degrees: if element == Element::F32 { 3..=MAX_DEGREE } else { 1..=9 },
            // Wide segments lose more: a table that reaches far enough is worth a fifth of a unit.
            target: if wide { 1.0 } else { 1.35 },
            most: 2.2,
            multiplied: false,
            of_product: false,
            under: f64::INFINITY,
        }
    }

    /// What values may be off before they are rounded, in units in the last place.
    pub(crate) fn before(&self) -> f64 {
        match self.element {
            Element::F32 => f64::INFINITY,
            _ if self.of_product => OF_PRODUCT,
            _ if self.multiplied => BEFORE,
            _ => f64::INFINITY,
        }
    }

    /// Where no list of inputs decides: the largest errors, as wished and at most, in units in the last place of f32.
    fn targets(&self) -> [f64; 2] {
        let units = self.element.ulp(1.0) / Element::F32.ulp(1.0);
        match self.element {
            Element::F32 if self.of_product => [self.target.min(CLOSE), self.most],
            Element::F32 => [self.target, self.most],
            _ => [OF_PRODUCT * units, 2.0 * OF_PRODUCT * units],
        }
    }
}

/// What is multiplied before it is rounded may be off by this part of a unit of 16 bits: doubled where the product's
/// unit is the smaller one, and rounded, it is off by one at most.
const BEFORE: f64 = 0.25;

/// Values of 16 bits at any float may be off by this part of a unit. The share of results that are not rounded
/// correctly is twice the mean error, which is a small part of the largest: of all inputs less than 0.02 %.
const OF_PRODUCT: f64 = 1.0 / 1024.0;

/// A target that is beyond reach is raised by this.
const RAISE: f64 = 1.15;

/// The target where values are asked for as two floats, for what else they are multiplied by: polynomials must be as near.
const CLOSE: f64 = 1.2;

/// The target where zeros are plain: a look-up and an operation less are worth as much.
const PLAIN: f64 = 1.02;

impl Function<'_> {
    /// The table that takes the least time on ordinary data.
    pub fn fit(&self, request: &Request) -> Result<Table, Refusal> {
        let both = [self.symmetry(), Symmetry::None];
        let layouts = &both[(self.symmetry() == Symmetry::None) as usize..];
        let mut views = Vec::new();
        let mut refusal = Refusal::Target { ulp: request.most };
        for &symmetry in layouts {
            match View::new(self, symmetry, request.element, request.before()) {
                Ok(view) => views.push(view),
                Err(why) => refusal = why,
            }
        }
        let table = match request.element {
            // A table of both signs has half the reach.
            Element::F32 => views.iter().find_map(|view| fastest(view, request)),
            // But what it leaves out may cost more than a degree.
            _ if request.of_product => {
                let tables = views.iter().filter_map(|view| fastest(view, request));
                tables.min_by(|a, b| a.cost().total_cmp(&b.cost()))
            }
            _ => {
                let hopes = views.iter().flat_map(|view| half::hopes(view, request)).collect();
                half::best(hopes, &Results(vec![(self.truth(request.element), None)]))
            }
        };
        table.ok_or(refusal)
    }
}

/// Degrees are tried in the order of what they would cost if polynomials alone decided how far they
/// reach. Where rounding decided for one, it does for higher ones.
fn fastest(view: &View, request: &Request) -> Option<Table> {
    let least = view.power().max(1);
    let targets = request.targets();
    let mut hopes: Vec<(f64, f64, f64, Search)> = Vec::new();
    for degree in request.degrees.clone().filter(|degree| (least..=MAX_DEGREE).contains(degree)) {
        let search = Search::new(view, request.index, request.entries, degree);
        let Some(width) = search.widest_polynomials(segment::off(targets[0])) else { continue };
        let plain = search.plain().filter(|_| !request.of_product);
        let plain = plain.into_iter().map(|search| (PLAIN, search));
        for (least, search) in plain.chain([(targets[0], search)]) {
            let Some(grid) = search.grid(width) else { continue };
            let each = search.with_pair().filter(|s| !(request.of_product && s.design.pair));
            hopes.extend(each.map(|search| (search.hope(&grid), width, least, search)));
        }
    }
    hopes.sort_by(|a, b| a.0.total_cmp(&b.0));
    policy::raised(targets, RAISE, |target| {
        // By whether zeros are plain, and whether there is a pair.
        let mut rounding = [[f64::INFINITY; 2]; 2];
        policy::cheapest(&hopes, f64::INFINITY, |(_, width, least, search), enough| {
            let Design { power, pair, .. } = search.design;
            let rounding = &mut rounding[(power == 0) as usize][pair as usize];
            let hope = search.grid(width.min(*rounding)).map_or(f64::INFINITY, |g| search.hope(&g));
            let table = (hope < enough).then(|| search.table(*width, target.max(*least)))??;
            let found = 1.0 / table.grid.scale as f64;
            if found < 0.95 * width {
                *rounding = found * 1.05;
            }
            Some((policy::of(&table, 1), table))
        })
    })
}
