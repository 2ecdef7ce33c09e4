//! Packages of the family, planned once for all tests because second derivatives take most of a minute.

use codegen_ascendc::arch::{Refusal, SOCS, Soc};
use codegen_ascendc::emit::{Options, Package};
use op_dsl::Operator;
use ops_glu_grad::OPERATORS;
use std::sync::OnceLock;

/// An operator and its package for one product, with the refusal of an element type.
///
/// The package is `None` if the product does not support the operator at all.
pub type Planned = (&'static Operator, Option<(Package<'static>, Option<Refusal>)>);

const MOST_SOCS: usize = 8;

/// Returns every operator of the family, planned for a product.
pub fn family(soc: &Soc) -> &'static [Planned] {
    static FAMILY: [OnceLock<Vec<Planned>>; MOST_SOCS] = [const { OnceLock::new() }; MOST_SOCS];
    let at = SOCS.iter().position(|known| known.name == soc.name).expect("a target");
    FAMILY[at].get_or_init(|| {
        let package = |op: &&'static Operator| {
            let able = Package::able(op.def(), &[&SOCS[at]], Options::default());
            (*op, able.ok())
        };
        OPERATORS.iter().map(package).collect()
    })
}
