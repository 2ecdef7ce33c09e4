//! Tests of barriers between dependent calls, over tiles that follow each other.

use super::*;

/// Returns the buffers that a call touches: those it reads, and the one it writes.
fn touched(instr: &Instr) -> (Vec<Buffer>, Buffer) {
    let of = |src: &Operand| if let Operand::Buffer(b) = *src { Some(b) } else { None };
    let mut read: Vec<Buffer> = instr.srcs.iter().filter_map(of).collect();
    if instr.api.accumulates() {
        read.push(instr.dst);
    }
    (read, instr.dst)
}

/// A buffer of one of the tiles.
type Place = (usize, Buffer);

/// Returns the first call of three tiles that depends on an earlier one without a barrier between them.
///
/// Buffers of queues differ from tile to tile.
fn unordered(plan: &Plan, barriers: &[bool]) -> Option<usize> {
    let place = |tile: usize, b: Buffer| match b {
        Buffer::In(_) | Buffer::Out(_) => (tile, b),
        _ => (0, b),
    };
    let mut since: Vec<(Vec<Place>, Place)> = Vec::new();
    for tile in 0..3 {
        if plan.whole_repeats() {
            let inputs = (0..plan.inputs.len()).filter(|k| plan.inputs[*k].is_some());
            since.extend(inputs.map(|k| (Vec::new(), (tile, Buffer::In(k)))));
        }
        for (k, instr) in plan.instrs.iter().enumerate() {
            if barriers[k] {
                since.clear();
            }
            let (read, written) = touched(instr);
            let read: Vec<Place> = read.into_iter().map(|b| place(tile, b)).collect();
            let written = place(tile, written);
            let depends = |(r, w): &(Vec<Place>, Place)| {
                read.contains(w) || r.contains(&written) || *w == written
            };
            if since.iter().any(depends) {
                return Some(k);
            }
            since.push((read, written));
        }
    }
    None
}

fn operators() -> Vec<OpDef> {
    vec![
        ge_glu_grad(Prim::GeluGrad),
        gelu_grad(Prim::GeluTanhGrad),
        swi_glu_grad(),
        ge_glu(Prim::Gelu),
        swi_glu(),
        operator("Choice", &["a", "b"], &["y"], false, |b, s| {
            let less = b.call(Prim::Lt, &[s[0], s[1]]);
            let slow = b.call(Prim::Exp, &[s[0]]);
            vec![b.call(Prim::Select, &[less, slow, s[1]])]
        }),
        operator("Sum", &["a", "b"], &["y"], false, |b, s| vec![b.call(Prim::Add, &[s[0], s[1]])]),
    ]
}

#[test]
fn every_dependence_has_one_and_each_is_needed() {
    for def in &operators() {
        for soc in architectures() {
            for dtype in soc.arch.dtypes {
                let plan = plan_in(def, 0, *dtype, soc, Storage::Memory).expect("a plan");
                let barriers = plan.barriers();
                let of = format!("{} in {dtype} on {}", def.name, soc.name);
                if soc.arch.orders_vectors {
                    assert!(!barriers.contains(&true), "{of}");
                    continue;
                }
                assert_eq!(unordered(&plan, &barriers), None, "{of}: {barriers:?}");
                for k in (0..barriers.len()).filter(|k| barriers[*k]) {
                    let mut fewer = barriers.clone();
                    fewer[k] = false;
                    assert!(unordered(&plan, &fewer).is_some(), "{of}: not needed before call {k}");
                }
            }
        }
    }
}

/// A tile of one call depends on no other tile, because its buffers are handed over by queues.
#[test]
fn independent_tiles_need_none() {
    let sum = operators().pop().expect("an operator");
    let plan = plan(&sum, 0, DType::F32, soc("ascend910b")).expect("a plan");
    assert_eq!((plan.instrs.len(), plan.barriers()), (1, vec![false]));
}
