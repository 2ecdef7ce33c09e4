//! Emitted host code against the Rust it stands for: the same tiling to the byte, the same shapes,
//! the same refusals.
#![allow(missing_docs)]

#[path = "ascendc_tiling/cases.rs"]
mod cases;
mod common;
#[path = "ascendc_tiling/harness.rs"]
mod harness;
#[path = "ascendc_tiling/host.rs"]
mod host;

use cases::{Call, hex, machine};
use codegen_ascendc::emit::Package;
use common::Random;
use harness::{Program, packages, targets};
use op_dsl::ir::op::Pattern;
use op_dsl::ir::tiling::{Extent, tile};

/// Cases per target.
const CASES: usize = 4000;

/// What the core of an operator is compiled from.
fn include(package: &Package<'_>) -> String {
    let snake = package.snake();
    format!(
        "#include \"{snake}/op_host/{snake}_tiling_core.h\"\n\
         namespace driver_{snake} {{\nusing namespace ops::{snake};\n\
         #include \"core_of_one.inc\"\n}}\n"
    )
}

#[test]
fn tiling_maths_is_equal_to_the_byte() {
    for soc in targets() {
        let packages = packages(soc);
        let names: Vec<String> =
            packages.iter().map(|p| format!("driver_{}::Run", p.snake())).collect();
        let list =
            format!("static std::string (*const RUN[])(const Case&) = {{{}}};", names.join(", "));
        let program = Program::compile("core", soc, include, &list, &["-O1"]);
        let mut random = Random(u64::from(soc.arch.number));
        let (mut questions, mut wanted) = (Vec::new(), Vec::new());
        for case in 0..CASES {
            let package = &packages[case % packages.len()];
            let plan = &package.plans[random.below(package.plans.len())];
            let call = Call::new(&mut random, package, plan);
            let Ok(bound) = call.bind(package.def) else {
                assert!(!package.def.empty && call.inputs[0].0.contains(&0));
                continue;
            };
            let machine = machine(&mut random, soc);
            let split = package.def.split.as_ref();
            let outer =
                bound.split.map_or(0, |s| s.dim + usize::from(s.pattern == Pattern::Interleaved));
            let dims: Vec<String> = bound.domain.iter().map(ToString::to_string).collect();
            questions.push(format!(
                "{} {} {} {} {} {outer} {} {} {}",
                case % packages.len(),
                plan.spec,
                plan.dtype as u8,
                machine.ub,
                machine.cores,
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
