//! Emitted host code against the Rust it stands for: the same tiling to the byte, the same shapes,
//! the same refusals.
#![allow(missing_docs)]

mod common;
#[path = "ascendc_tiling/harness.rs"]
mod harness;

use codegen_ascendc::emit::Package;
use common::Random;
use harness::{Program, packages, targets};
use op_dsl::ir::bind::{TensorMeta, bind};
use op_dsl::ir::op::{AttrKind, Kind, Pattern, Value};
use op_dsl::ir::tiling::{Extent, Machine, Tiling, tile};

/// Cases per target.
const CASES: usize = 4000;

/// Bytes of UB, from nothing to more than any core has.
fn ub(random: &mut Random) -> u64 {
    match random.below(6) {
        0 => random.below(2_000) as u64,
        1 => 1_000 + random.below(30_000) as u64,
        2 => 196_608 - 256,
        3 => 262_144 - 256,
        4 => 253_952 - 256,
        _ => random.bits() >> random.below(64),
    }
}

/// Dimensions of one part: ranks 1 to 8, small and large, at most 2^56 elements.
fn domain(random: &mut Random) -> Vec<usize> {
    let rank = 1 + random.below(8);
    let mut left = 1usize << random.below(57);
    let mut dims: Vec<usize> = Vec::new();
    for _ in 0..rank {
        let most = match random.below(4) {
            0 => 4,
            1 => 64,
            2 => 6000,
            _ => left,
        };
        let dim = 1 + random.below(most.min(left));
        left = (left / dim).max(1);
        dims.push(dim);
    }
    let at = random.below(rank);
    dims.swap(0, at);
    if random.below(50) == 0 {
        dims[at] = 0;
    }
    dims
}

/// Attributes of the plan's specialisation, with any dimension.
fn attributes(random: &mut Random, package: &Package<'_>, spec: usize, rank: usize) -> Vec<Value> {
    let def = package.def;
    let mut values: Vec<Value> = def.attrs.iter().map(|a| a.default).collect();
    for (attr, value) in def.attrs.iter().zip(&mut values) {
        if attr.kind == AttrKind::Dim {
            *value = Value::Int(random.below(2 * rank) as i64 - rank as i64);
        }
    }
    for &(attr, value) in def.specs[spec].when.iter() {
        values[attr] = match def.attrs[attr].kind {
            AttrKind::Bool => Value::Bool(value != 0),
            _ => Value::Int(value),
        };
    }
    values
}

/// As the struct lies in memory, without what follows the cut.
fn hex(t: &Tiling) -> String {
    let wide = [t.rows, t.columns, t.pieces, t.share].map(u64::to_le_bytes).concat();
    let sizes = [t.unit_rows, t.unit_columns, t.tile_rows, t.tile_columns];
    let rest = [t.pitch, t.cores, t.big, t.path as u32];
    let narrow = [sizes, rest].concat().iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>();
    wide.iter().chain(&narrow).map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn tiling_maths_is_equal_to_the_byte() {
    for soc in targets() {
        let include = |p: &Package<'_>| {
            let snake = p.snake();
            format!(
                "#include \"{snake}/op_host/{snake}_tiling_core.h\"\n\
                 namespace driver_{snake} {{\nusing namespace optiling::{snake};\n\
                 #include \"core_of_one.inc\"\n}}\n"
            )
        };
        let program = Program::compile("core", soc, include, &[]);
        let packages = packages(soc);
        let mut random = Random(u64::from(soc.arch.number));
        let (mut questions, mut wanted) = (Vec::new(), Vec::new());
        for case in 0..CASES {
            let package = &packages[case % packages.len()];
            let plan = &package.plans[random.below(package.plans.len())];
            let domain = domain(&mut random);
            let attrs = attributes(&mut random, package, plan.spec, domain.len());
            let split = package.def.split.as_ref();
            let dim = split.map_or(0, |s| match attrs[s.dim] {
                Value::Int(d) => d.rem_euclid(domain.len() as i64) as usize,
                _ => unreachable!("a dimension is an integer"),
            });
            let shape = |kind| {
                let mut shape = domain.clone();
                shape[dim] *= 1 + usize::from(kind == Kind::Gated);
                shape
            };
            let shapes: Vec<_> = package.def.inputs.iter().map(|t| shape(t.kind)).collect();
            let metas: Vec<_> =
                shapes.iter().map(|shape| TensorMeta { shape, dtype: plan.dtype }).collect();
            let Ok(bound) = bind(package.def, &attrs, &metas) else {
                assert!(!package.def.empty && domain.contains(&0), "{domain:?}");
                continue;
            };
            let cores = 1 + random.below(64) as u32;
            let machine = Machine { ub: ub(&mut random), cores, pads: soc.arch.pads };
            let outer = split.map_or(0, |s| dim + usize::from(s.pattern == Pattern::Interleaved));
            let dims: Vec<String> = domain.iter().map(ToString::to_string).collect();
            questions.push(format!(
                "{} {} {} {} {cores} {outer} {} {} {}",
                case % packages.len(),
                plan.spec,
                plan.dtype as u8,
                machine.ub,
                u8::from(split.is_some()),
                dims.len(),
                dims.join(" ")
            ));
            wanted.push(match tile(&Extent::new(&bound), &plan.need, &machine) {
                Ok(tiling) => hex(&tiling),
                Err(e) => format!("ub {}", e.need),
            });
        }
        assert!(questions.len() > CASES * 9 / 10);
        let answers = program.ask(&questions);
        for ((question, want), got) in questions.iter().zip(&wanted).zip(&answers) {
            // What follows the cut is not the core's, and is 0.
            let (cut, rest) = got.split_at(got.len().min(want.len()));
            assert_eq!(cut, want, "{} on {}", question, soc.name);
            assert!(rest.chars().all(|c| c == '0'), "{question}: {rest}");
        }
        for path in ["00000000", "01000000", "02000000"] {
            let took = wanted.iter().filter(|w| w.len() == 128 && w.ends_with(path)).count();
            let small = path.starts_with("02");
            assert_eq!(
                took > 20,
                !small || soc.arch.gathers,
                "path {path}: {took} on {}",
                soc.name
            );
        }
    }
}
