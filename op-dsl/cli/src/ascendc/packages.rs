//! Emission of every layout for every NPU.

use crate::target::Finding;
use codegen_ascendc::arch::{SOCS, Soc};
use codegen_ascendc::emit::{Cann, Layout, Options, Package};
use codegen_cpu::rt::call::Operator;

/// Checks that every package of an operator can be emitted.
///
/// There is one for each layout of the sources and each NPU, and one for all NPUs at once where the layout allows that.
pub fn packages(op: &Operator) -> Finding {
    let (mut files, mut trees, mut emitted) = (0, 0, Vec::new());
    for cann in [Cann::V9, Cann::V8] {
        let options = Options { cann, ..Options::default() };
        let together = SOCS.iter().filter(|soc| Layout::OpsNn.socs().contains(soc)).collect();
        for socs in SOCS.iter().map(|soc| vec![soc]).chain([together]) {
            let Ok((package, _)) = Package::able(op.def(), &socs, options.clone()) else {
                continue;
            };
            let built =
                |l: &Layout| l.check(&socs, cann).is_ok() && l.check_operator(op.def()).is_ok();
            for layout in Layout::ALL.into_iter().filter(built) {
                files += layout.tree(std::slice::from_ref(&package)).files.len();
                trees += 1;
            }
            emitted.extend(socs);
        }
    }
    let able = |soc: &&Soc| emitted.contains(soc);
    let names = |socs: Vec<&Soc>| socs.iter().map(|s| s.name).collect::<Vec<_>>().join(", ");
    let (can, cannot): (Vec<&'static Soc>, Vec<&'static Soc>) = SOCS.iter().partition(able);
    let refusal = cannot.first().map(|soc| Package::able(op.def(), &[soc], Options::default()));
    let reason = match refusal {
        Some(Err(left)) => {
            format!(
                "; not for {}: {}",
                names(cannot),
                left.first().map_or_else(String::new, |l| l.why.to_string())
            )
        }
        _ => String::new(),
    };
    match can.is_empty() {
        true => Finding::Nothing(format!("none{reason}")),
        false => {
            Finding::Holds(format!("{files} files in {trees} trees for {}{reason}", names(can)))
        }
    }
}
