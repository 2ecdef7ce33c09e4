//! Emitted host code compared with its Rust implementation: tiling to the byte, shapes, and refusals.
#![allow(missing_docs)]

#[path = "ascendc_tiling/along.rs"]
mod along;
#[path = "ascendc_tiling/cases.rs"]
mod cases;
mod common;
#[path = "ascendc_tiling/harness.rs"]
mod harness;
#[path = "ascendc_tiling/host.rs"]
mod host;

use cases::{Call, hex, machine, plan_of};
use codegen_ascendc::arch::Arch;
use codegen_ascendc::emit::Package;
use codegen_ascendc::tiling::{Extent, tile};
use common::Random;
use harness::{Program, packages, trees};

/// Number of cases per architecture.
const CASES: usize = 4000;

/// Returns the includes of an operator's tiling core.
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
    for socs in trees() {
        let packages = packages(&socs);
        let names: Vec<String> =
            packages.iter().map(|p| format!("driver_{}::Run", p.snake())).collect();
        let list =
            format!("static std::string (*const RUN[])(const Case&) = {{{}}};", names.join(", "));
        let program = Program::compile("core", &packages, include, &list, "-O1", &[]);
        let mut archs: Vec<&Arch> = socs.iter().map(|s| s.arch).collect();
        archs.dedup();
        archs.into_iter().for_each(|arch| maths_of(arch, &packages, &program));
    }
}

/// Checks calls on one of the architectures that a tree serves.
fn maths_of(arch: &Arch, packages: &[Package<'_>], program: &Program) {
    let mut random = Random(u64::from(arch.number));
    let (mut questions, mut wanted) = (Vec::new(), Vec::new());
    for case in 0..CASES {
        let package = &packages[case % packages.len()];
        let Some(plan) = plan_of(&mut random, package, arch) else { continue };
        let call = Call::new(&mut random, package, plan);
        let Ok(bound) = call.bind(&package.def) else {
            assert!(!package.def.empty && call.inputs[0].0.contains(&0));
            continue;
        };
        let machine = machine(&mut random, arch);
        let split = package.def.split.as_ref();
        let outer = bound.split.map_or(0, |s| s.outer());
        let dims: Vec<String> = bound.domain.iter().map(ToString::to_string).collect();
        questions.push(format!(
            "{} {} {} {} {} {} {outer} {} {} {}",
            case % packages.len(),
            arch.number,
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
        // The fields after the cut into tiles are not set by the core, so they are 0.
        let (cut, rest) = got.split_at(got.len().min(want.len()));
        assert_eq!(cut, want, "{question} on {}", arch.number);
        assert!(rest.chars().all(|c| c == '0'), "{question}: {rest}");
    }
    for path in ["00000000", "01000000", "02000000"] {
        let took = wanted.iter().filter(|w| w.len() == 128 && w.ends_with(path)).count();
        assert!(took > 20, "path {path}: {took} on {}", arch.number);
    }
}
