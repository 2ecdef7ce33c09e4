//! Summarises what targets do not support: few sentences for many operators.

use super::Refused;
use crate::arch::Refusal;
use op_dsl_ir::DType;

/// Operators and element types that one product does not support for one reason.
struct Group {
    ops: Vec<String>,
    soc: &'static str,
    dtypes: Vec<DType>,
    why: String,
}

/// Returns one sentence per distinct reason for which something is not supported.
///
/// Reasons that concern a layout come first, each as its own sentence. Operators that a product does not support for the same
/// reason share a sentence, and so do the element types of an operator.
pub fn sentences(refusals: &[Refused]) -> Vec<String> {
    let mut groups: Vec<Group> = Vec::new();
    let mut said: Vec<String> = Vec::new();
    for refusal in refusals {
        match refusal {
            Refused::Target(refusal) => add(&mut groups, refusal),
            Refused::Layout(unbuilt) => said.push(unbuilt.to_string()),
        }
    }
    said.dedup();
    let mut joined: Vec<Group> = Vec::new();
    for group in groups {
        let same =
            |g: &&mut Group| (g.soc, &g.dtypes, &g.why) == (group.soc, &group.dtypes, &group.why);
        match joined.iter_mut().find(same) {
            Some(other) => other.ops.extend(group.ops),
            None => joined.push(group),
        }
    }
    let sentence = |Group { ops, soc, dtypes, why }: &Group| {
        let dtypes: Vec<&str> = dtypes.iter().map(|d| d.name()).collect();
        format!("{} on {soc} in {}: {why}", ops.join(", "), dtypes.join(", "))
    };
    said.extend(joined.iter().map(sentence));
    said
}

/// Adds a refusal to the group with the same operator, target and reason, or as a new group.
fn add(groups: &mut Vec<Group>, refusal: &Refusal) {
    let Refusal { op, soc, dtypes, why } = refusal;
    let why = why.to_string();
    let same = |g: &&mut Group| g.ops == [op.clone()] && g.soc == *soc && g.why == why;
    match groups.iter_mut().find(same) {
        Some(group) => {
            let more = dtypes.iter().filter(|d| !group.dtypes.contains(d)).copied();
            group.dtypes.extend(more.collect::<Vec<_>>());
        }
        None => groups.push(Group { ops: vec![op.clone()], soc, dtypes: dtypes.clone(), why }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::{SOCS, Why};

    #[test]
    fn a_reason_is_said_once() {
        let of = |op: &str, dtype, why| {
            Refused::Target(Refusal { op: op.into(), soc: SOCS[2].name, dtypes: vec![dtype], why })
        };
        let lacks = || Why::NoDType(&SOCS[2], DType::BF16);
        let form = || Why::LeftOut("a = 0".into(), "a = 1");
        let said = sentences(&[
            of("F", DType::BF16, lacks()),
            of("F", DType::BF16, lacks()),
            of("G", DType::F16, form()),
            of("G", DType::BF16, lacks()),
            of("G", DType::F32, form()),
        ]);
        assert_eq!(
            said,
            [
                "F, G on ascend310p in bf16: architecture 2002 has no bf16; use f16 or f32, or ascend910b",
                "G on ascend310p in f16, f32: the operator's document leaves out a = 0 there; use a = 1",
            ]
        );
    }
}
