//! Search for the table that takes the least time: symmetry, degree and layout.

use crate::cost_model;
use crate::element::Element;
use crate::error::Refusal;
use crate::exhaustive::Results;
use crate::function::Function;
use crate::half;
use crate::interval::Search;
use crate::request::Request;
use crate::segment;
use crate::symmetry::Symmetry;
use crate::table::{Design, MAX_DEGREE, Table};
use crate::view::View;

/// Factor by which the target for a table's error is raised if no table reaches it.
const RAISE: f64 = 1.15;

impl Function<'_> {
    /// Returns the table of this function that takes the least time on normally distributed data.
    ///
    /// Returns the reason if no table meets the request.
    pub fn fit(&self, request: &Request) -> Result<Table, Refusal> {
        let both = [self.symmetry(), Symmetry::None];
        let layouts = &both[(self.symmetry() == Symmetry::None) as usize..];
        let mut views = Vec::new();
        let mut refusal = Refusal::Target { ulp: request.most };
        for &symmetry in layouts {
            match View::new(self, symmetry, request) {
                Ok(view) => views.push(view),
                Err(why) => refusal = why,
            }
        }
        let table = match request.element {
            // A table of both signs is tried last, because it has half the reach.
            Element::F32 => views.iter().find_map(|view| fastest(view, request)),
            // Both are fitted, because data beyond the table may cost more than a degree.
            _ if request.of_product => {
                let tables = views.iter().filter_map(|view| fastest(view, request));
                tables.min_by(|a, b| a.cost().total_cmp(&b.cost()))
            }
            _ => {
                let hopes = views.iter().flat_map(|view| half::hopes(view, request)).collect();
                half::best(hopes, &Results(vec![(self.truth(request.element), None)]))
            }
        };
        let table = table.map(|table| match request.multiplied {
            true => self.shortened(table),
            false => table,
        });
        table.ok_or(refusal)
    }
}

/// Returns the cheapest table of a view, which is the function with one choice of symmetry.
///
/// Degrees are tried in the order of what their tables would cost if the error of polynomials alone decided how far tables
/// reach. Where rounding limits the width of segments for one degree, it limits that of higher degrees as well. Returns `None`
/// if no table meets the largest target.
fn fastest(view: &View, request: &Request) -> Option<Table> {
    let least = view.power().max(1);
    let targets = request.targets(view.power() > 0);
    let mut hopes: Vec<(f64, f64, Search)> = Vec::new();
    for degree in request.degrees.clone().filter(|degree| (least..=MAX_DEGREE).contains(degree)) {
        let search = Search::new(view, request.index, request.entries, degree);
        let Some(width) = search.widest_polynomials(segment::off(targets[0])) else { continue };
        let plain = search.plain().filter(|_| !request.of_product);
        let searches = plain.into_iter().chain([search]);
        for search in searches.flat_map(Search::with_line_last) {
            let Some(grid) = search.grid(width) else { continue };
            let each = search.with_pair().filter(|s| !(request.of_product && s.design.pair));
            hopes.extend(each.map(|search| (search.hope(&grid), width, search)));
        }
    }
    hopes.sort_by(|a, b| a.0.total_cmp(&b.0));
    cost_model::raised(targets, RAISE, |target| {
        // Width that rounding allows, by whether zeros are plain (`power == 0`) and whether there is a pair.
        let mut rounding = [[f64::INFINITY; 2]; 2];
        cost_model::cheapest(&hopes, f64::INFINITY, |(_, width, search), enough| {
            let Design { power, pair, .. } = search.design;
            let rounding = &mut rounding[(power == 0) as usize][pair as usize];
            let hope = search.grid(width.min(*rounding)).map_or(f64::INFINITY, |g| search.hope(&g));
            let table = (hope < enough).then(|| search.table(*width, target))??;
            let found = 1.0 / table.grid.scale as f64;
            if found < 0.95 * width {
                *rounding = found * 1.05;
            }
            Some((cost_model::table_cost(&table, 1), table))
        })
    })
}
