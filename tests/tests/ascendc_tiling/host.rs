//! The whole host side of every operator, run against a stub of the framework.

use crate::cases::{Call, bytes, hex, machine, plan_of};
use crate::common::Random;
use crate::harness::{Program, packages, trees};
use codegen_ascendc::arch::{Arch, Soc};
use codegen_ascendc::emit::Package;
use codegen_ascendc::emit::kernel::tiling_data::fields;
use codegen_ascendc::plan::Plan;
use codegen_ascendc::tiling::{Extent, Machine, Path, tile};
use op_dsl::ir::DType;
use op_dsl::ir::bind::TensorMeta;
use op_dsl::ir::op::{AttrKind, Gate, Kind, OpDef, Tensor, Value};
use op_dsl::ir::registered::Definition;
use std::collections::BTreeSet;

/// Number of calls of each kind per target.
const CASES: usize = 600;

/// A question and its answer.
type Case = (String, String);

/// Returns the number of an element type in the framework.
fn code(dtype: DType) -> u8 {
    match dtype {
        DType::F16 => 1,
        DType::BF16 => 27,
        DType::F32 => 0,
    }
}

/// Formats attributes as the program reads them.
fn attributes(def: &OpDef, values: &[Value]) -> String {
    let of = |(attr, value): (&op_dsl::ir::op::Attr, &Value)| match (&attr.kind, value) {
        (AttrKind::Enum { wire_str: true, variants, .. }, Value::Int(v)) => {
            let name = variants.iter().find(|known| known.value == *v).map(|known| &*known.name);
            format!(" s {}", name.unwrap_or("other"))
        }
        (_, Value::Int(v)) => format!(" i {v}"),
        (_, Value::Bool(v)) => format!(" b {}", u8::from(*v)),
        (_, Value::Float(v)) => format!(" f {v}"),
    };
    format!("{}{}", values.len(), def.attrs.iter().zip(values).map(of).collect::<String>())
}

/// Formats a tensor as the program reads it.
pub fn tensor<T: ToString>(dtype: DType, shape: &[T]) -> String {
    let dims: String = shape.iter().map(|d| format!(" {}", d.to_string())).collect();
    format!(" {} {}{dims}", code(dtype), shape.len())
}

fn inputs(call: &Call) -> String {
    let of = |(shape, dtype): &(Vec<usize>, DType)| tensor(*dtype, shape);
    format!("{}{}", call.inputs.len(), call.inputs.iter().map(of).collect::<String>())
}

/// Formats the outputs, each with the shape of an input of the same kind.
fn outputs(def: &OpDef, call: &Call) -> String {
    let split = def.split.as_ref().and_then(|s| call.attrs[s.dim].as_int());
    let of = |t: &Tensor| {
        let (shape, dtype) = &call.inputs[0];
        let mut shape = shape.clone();
        let rank = shape.len();
        if let Some(d) =
            split.filter(|d| rank > 0 && t.kind != def.inputs[0].kind && *d < rank as i64)
        {
            let dim = &mut shape[d.rem_euclid(rank as i64) as usize];
            *dim = if t.kind == Kind::Gated { *dim * 2 } else { *dim / 2 };
        }
        tensor(*dtype, &shape)
    };
    format!("{}{}", def.outputs.len(), def.outputs.iter().map(of).collect::<String>())
}

fn tiling_question(def: &OpDef, call: &Call, arch: &Arch, machine: &Machine) -> String {
    format!(
        "tile {} {} 2048 {} {} {} {} {}",
        def.name,
        arch.number,
        machine.ub,
        machine.cores,
        attributes(def, &call.attrs),
        inputs(call),
        outputs(def, call)
    )
}

/// Returns the tiling data after the cut into tiles, in hexadecimal.
fn rest(package: &Package<'_>, call: &Call) -> String {
    let def = &package.def;
    let mut floats = def.attrs.iter().zip(&call.attrs).filter(|(a, _)| a.kind == AttrKind::Float);
    let of = |field: &codegen_ascendc::emit::kernel::tiling_data::Field| match field.name.as_str() {
        "gateFirst" => match def.split.as_ref().map(|s| s.gate) {
            Some(Gate::LeftIf(attr)) => call.attrs[attr].as_int().expect("a bool") as u32,
            _ => panic!("the gate is no attribute"),
        },
        "reserved" => 0,
        _ => match floats.next() {
            Some((_, Value::Float(v))) => (*v as f32).to_bits(),
            _ => panic!("{field:?} is no attribute"),
        },
    };
    let words: Vec<u32> = fields(package)[12..].iter().map(of).collect();
    bytes(&words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>())
}

/// Returns a valid call and its answer: key, cores, workspace and data; or too little UB, or no elements.
fn tilings(random: &mut Random, package: &Package<'_>, plan: &Plan) -> Case {
    let (call, arch) = (Call::new(random, package, plan), plan.soc.arch);
    let machine = machine(random, arch);
    let question = tiling_question(&package.def, &call, arch, &machine);
    let name = &package.def.name;
    let answer = match call.bind(&package.def) {
        Err(e) => format!("refused [node] {e}"),
        Ok(bound) => match tile(&Extent::new(&bound), &plan.need, &machine) {
            Err(e) => format!("refused [node] {name}: {e}"),
            Ok(t) => {
                let dtype = package.dtypes().iter().position(|d| *d == plan.dtype);
                let form = package.specs().iter().position(|s| *s == plan.spec);
                let small = usize::from(t.path == Path::Small);
                let key = dtype.expect("a type") | form.expect("a form") << 2 | small << 10;
                let rest = rest(package, &call);
                format!("ok {key} {} 1234 {}{rest}", t.cores.max(1), hex(&t))
            }
        },
    };
    (question, answer)
}

/// Returns calls with one mistake each in a call of two rows of eight elements.
fn wrong_calls(def: &OpDef, plan: &Plan) -> Vec<Call> {
    let dtype = plan.dtype;
    let shape = |t: &Tensor| vec![2, 8 * (1 + usize::from(t.kind == Kind::Gated))];
    let mut attrs: Vec<Value> = def.attrs.iter().map(|a| a.default).collect();
    for &(attr, value) in def.specs[plan.spec].when.iter() {
        attrs[attr] = Value::Int(value);
    }
    let right = Call { attrs, inputs: def.inputs.iter().map(|t| (shape(t), dtype)).collect() };
    let mut calls = Vec::new();
    let mut with = |change: &dyn Fn(&mut Call)| {
        let mut call = right.clone();
        change(&mut call);
        calls.push(call);
    };
    for (k, attr) in def.attrs.iter().enumerate() {
        let values: &[i64] = match attr.kind {
            AttrKind::Dim => &[2, -3, i64::MAX, i64::MIN],
            AttrKind::Enum { .. } => &[7, -1],
            _ => &[],
        };
        values.iter().for_each(|v| with(&|c| c.attrs[k] = Value::Int(*v)));
    }
    for k in 0..def.inputs.len() {
        with(&|c| c.inputs[k].0 = vec![1; 9]);
        with(&|c| c.inputs[k].0 = vec![2]);
        with(&|c| c.inputs[k].0 = vec![]);
        with(&|c| c.inputs[k].0[1] += 1);
        with(&|c| c.inputs[k].0[0] += 1);
        with(&|c| c.inputs[k].1 = if dtype == DType::F32 { DType::F16 } else { DType::F32 });
    }
    with(&|c| c.inputs.iter_mut().for_each(|i| i.0[0] = 0));
    with(&|c| c.inputs.iter_mut().for_each(|i| i.0[0] = 1 << 60));
    with(&|c| c.inputs.iter_mut().for_each(|i| i.1 = DType::BF16));
    calls
}

/// Replaces the element types in the CPU's messages by the framework's names.
fn framework_names(text: &str) -> String {
    let names = [("bf16", "DT_B16"), ("f16", "DT_FLOAT16"), ("f32", "DT_FLOAT")];
    let text =
        names.iter().fold(text.to_string(), |text, (ours, theirs)| text.replace(ours, theirs));
    // Calls on f64 are on CPUs alone.
    text.replace("DT_B16", "DT_BF16").replace(", f64", "")
}

/// Adds invalid calls, which are refused with the messages of the CPU.
///
/// Kernels neither broadcast nor promote, and have the element types of the architecture.
fn refusals(package: &Package<'_>, arch: &Arch, cases: &mut Vec<Case>) {
    let Some(plan) = package.plans_of(arch).next() else { return };
    let machine = Machine { ub: 196_352, cores: 48, pads: true };
    let has = |d: &DType| package.plans_of(arch).any(|p| p.dtype == *d);
    let dtypes = DType::ALL.into_iter().filter(has).collect::<Vec<_>>().into();
    let strict = OpDef { broadcast: false, promote: false, dtypes, ..(*package.def).clone() };
    for call in wrong_calls(&package.def, plan) {
        if let Err(e) = call.bind(&strict) {
            let mut words = framework_names(&e.to_string());
            if let Some(attr) = package.def.attrs.iter().zip(&call.attrs).find(|(a, v)| {
                matches!(&a.kind, AttrKind::Enum { wire_str: true, variants, .. }
                    if variants.iter().all(|known| Some(known.value) != v.as_int()))
            }) {
                words = words.replace(&attr.1.as_int().expect("an integer").to_string(), "`other`");
            }
            let question = tiling_question(&package.def, &call, arch, &machine);
            cases.push((question, format!("refused [node] {words}")));
        }
    }
}

/// Adds cases of shape and type inference, including broadcasting.
fn shapes(random: &mut Random, package: &Package<'_>, plan: &Plan, cases: &mut Vec<Case>) {
    let def = &package.def;
    let mut call = Call::new(random, package, plan);
    if def.broadcast {
        for (shape, _) in &mut call.inputs {
            shape.iter_mut().for_each(|d| *d = if random.below(4) == 0 { 1 } else { *d });
            let ahead = random.below(shape.len());
            shape.drain(..ahead);
        }
    }
    let of = |call: &Call| {
        let metas: Vec<TensorMeta<'_>> = call
            .inputs
            .iter()
            .map(|(shape, dtype)| TensorMeta { shape, dtype: (*dtype).into() })
            .collect();
        op_dsl::ir::bind::infer(def, &call.attrs, &metas)
    };
    let Ok(want) = of(&call) else { return };
    let head = format!("shape {} {}", def.name, attributes(def, &call.attrs));
    let count = def.outputs.len();
    let shapes: String = want.iter().map(|o| format!(" {:?}", o.shape)).collect();
    cases.push((format!("{head} {} {count}", inputs(&call)), format!("ok{shapes}")));

    // A dimension that is unknown in one input is inferred from the others.
    if !def.broadcast {
        let hidden: Vec<Vec<bool>> = call
            .inputs
            .iter()
            .map(|i| i.0.iter().map(|_| random.below(2) == 0).collect())
            .collect();
        let hide = |(shape, hidden): (&(Vec<usize>, DType), &Vec<bool>)| {
            let dims = shape.0.iter().zip(hidden);
            let dims: Vec<i64> = dims.map(|(d, h)| if *h { -1 } else { *d as i64 }).collect();
            tensor(shape.1, &dims)
        };
        let inputs: String = call.inputs.iter().zip(&hidden).map(hide).collect();
        let known = |(i, d): (usize, &usize)| {
            if hidden.iter().all(|h| h[i]) { -1 } else { *d as i64 }
        };
        let of = |o: &op_dsl::ir::bind::OutputMeta| {
            format!(" {:?}", o.shape.iter().enumerate().map(known).collect::<Vec<_>>())
        };
        let shapes: String = want.iter().map(of).collect();
        let question = format!("{head} {}{inputs} {count}", call.inputs.len());
        cases.push((question, format!("ok{shapes}")));
    }
    let unknown = tensor(plan.dtype, &[-2]).repeat(call.inputs.len());
    let question = format!("{head} {}{unknown} {count}", call.inputs.len());
    cases.push((question, format!("ok{}", " [-2]".repeat(count))));

    for (_, dtype) in &mut call.inputs {
        *dtype = def.dtypes[random.below(def.dtypes.len())];
    }
    let codes: String = call.inputs.iter().map(|i| format!(" {}", code(i.1))).collect();
    let question = format!("type {} {}{codes} {count}", def.name, call.inputs.len());
    if let Ok(want) = of(&call) {
        let types: String =
            want.iter().map(|o| format!(" {}", code(o.dtype.number().expect("a float")))).collect();
        cases.push((question, format!("ok{types}")));
    }
}

/// Adds definition and prototype as the stub prints them.
fn signature(package: &Package<'_>, cases: &mut Vec<Case>) {
    let def = &package.def;
    let dtypes = package.dtypes();
    let codes: String = dtypes.iter().map(|d| format!(" {}", code(*d))).collect();
    let n = dtypes.len();
    let names: Vec<String> = dtypes.iter().map(|d| framework_names(d.name())).collect();
    let list = format!("TensorType({{{}}})", names.join(", "));
    let ty = if def.promote { list.clone() } else { "\"T\"".into() };
    let (mut text, mut proto) = (def.name.to_string(), def.name.to_string());
    for (role, tensors) in [("in", &def.inputs), ("out", &def.outputs)] {
        for t in tensors.iter() {
            text += &format!("; {role} {} required types{codes} formats {n}", t.name);
            text += if role == "in" { " contiguous" } else { "" };
            proto += &format!("; {role} {} {ty}", t.name);
        }
    }
    if !def.promote {
        proto += &format!("; type T {list}");
    }
    for attr in def.attrs.iter() {
        let (ty, value) = match (&attr.kind, attr.default) {
            (AttrKind::Enum { wire_str: true, variants, .. }, Value::Int(v)) => {
                let found = variants.iter().find(|known| known.value == v);
                ("String", found.expect("a default that exists").name.to_string())
            }
            (_, Value::Int(v)) => ("Int", v.to_string()),
            (_, Value::Bool(v)) => ("Bool", v.to_string()),
            (_, Value::Float(v)) => ("Float", format!("{v:?}")),
        };
        text += &format!("; attr {} optional {} {value}", attr.name, ty.to_lowercase());
        let value = if ty == "String" { format!("\"{value}\"") } else { value };
        proto += &format!("; attr {} {ty} {value}", attr.name);
    }
    // Products with all element types come first; those with fewer list them for every tensor.
    let all = |soc: &&Soc| types_of(package, soc) == dtypes;
    let (full, fewer): (Vec<&Soc>, Vec<&Soc>) = package.socs.iter().copied().partition(all);
    for soc in full {
        text += &format!("; soc {} opFile.value {}", soc.name, package.snake());
    }
    for soc in fewer {
        let types = types_of(package, soc);
        let codes: String = types.iter().map(|d| format!(" {}", code(*d))).collect();
        text += &format!("; soc {} opFile.value {}", soc.name, package.snake());
        for (more, tensors) in [(" contiguous", &def.inputs), ("", &def.outputs)] {
            for t in tensors.iter() {
                text +=
                    &format!(", {} required types{codes} formats {}{more}", t.name, types.len());
            }
        }
    }
    // Registered operators differ from the formula, and `published.rs` compares them with their rows.
    let registered = def.published;
    let of_formula = |d: Definition| {
        !d.required && d.inputs.is_empty() && d.outputs.is_empty() && d.more_attrs.is_empty()
    };
    if registered.and_then(|p| p.definition).is_none_or(of_formula) {
        cases.push((format!("def {}", def.name), text));
    }
    if registered.is_none_or(|p| p.prototype.is_none()) {
        cases.push((format!("proto {}", def.name), proto));
    }
}

/// Returns the element types that a product has kernels for.
fn types_of(package: &Package<'_>, soc: &Soc) -> Vec<DType> {
    let has = |d: &DType| package.plans_of(soc.arch).any(|p| p.dtype == *d);
    DType::ALL.into_iter().filter(has).collect()
}

/// Returns the includes of an operator's host side. Each operator has its own list of template arguments.
fn include(package: &Package<'_>) -> String {
    let snake = package.snake();
    let file = |path: &str| format!("#include \"{snake}/{path}\"\n");
    let files = [
        "op_host/{}_def.cpp",
        "op_host/{}_infershape.cpp",
        "op_host/{}_tiling.cpp",
        "op_graph/{}_proto.h",
    ];
    let files: String = files.iter().map(|f| file(&f.replace("{}", &snake))).collect();
    let list = "g_tilingDeclareParams";
    format!("#define {list} {list}_{snake}\n{files}#undef {list}\n")
}

/// Compiles the host sides of some operators, with a stub of the framework.
pub fn program(packages: &[Package<'_>]) -> Program {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../codegen-ascendc/host-model/host");
    Program::compile("host", packages, include, "", "-O0", &[model.as_ref()])
}

fn host_side(socs: &[&'static Soc]) {
    let packages = packages(socs);
    let program = program(&packages);
    let mut archs: Vec<&Arch> = socs.iter().map(|s| s.arch).collect();
    archs.dedup();
    for arch in archs {
        host_side_on(arch, &packages, &program);
    }
    let mut signatures = Vec::new();
    for package in &packages {
        signature(package, &mut signatures);
        missing(&program, package);
    }
    agree(&program, &signatures);
}

/// Checks that the program's answers are the expected ones.
fn agree(program: &Program, cases: &[Case]) {
    let questions: Vec<String> = cases.iter().map(|c| c.0.clone()).collect();
    for ((question, want), got) in cases.iter().zip(program.ask(&questions)) {
        assert_eq!(&got, want, "{question}");
    }
}

/// Checks calls on one of the architectures that a tree serves.
fn host_side_on(arch: &Arch, packages: &[Package<'_>], program: &Program) {
    let mut random = Random(u64::from(arch.number) + 1);
    let mut cases = Vec::new();
    for case in 0..CASES {
        let package = &packages[case % packages.len()];
        let Some(plan) = plan_of(&mut random, package, arch) else { continue };
        cases.push(tilings(&mut random, package, plan));
        shapes(&mut random, package, plan, &mut cases);
    }
    packages.iter().for_each(|package| refusals(package, arch, &mut cases));
    agree(program, &cases);
    for words in [
        "has rank 9", "must be even", "follows from", "cannot be", "has dtype", "overflows",
        "is empty",
    ] {
        let found = cases.iter().filter(|c| c.1.starts_with("refused") && c.1.contains(words));
        assert!(found.count() >= 2, "nothing is refused with `{words}` on {}", arch.number);
    }
    left_out(program, packages, arch);
}

/// Checks calls that cannot be expressed in Rust: null pointers, too little room for tiling data, no cores.
fn missing(program: &Program, package: &Package<'_>) {
    let def = &package.def;
    let plan = &package.plans[0];
    let call = Call::new(&mut Random(1), package, plan);
    let (attrs, ins, outs) = (attributes(def, &call.attrs), inputs(&call), outputs(def, &call));
    let none = |n: usize| format!("{n}{}", " -".repeat(n));
    let ask_on = |arch: u16, capacity: usize, cores: u32, attrs: &str, ins: &str, outs: &str| {
        let machine = format!("{arch} {capacity} 196352 {cores}");
        program.ask(&[format!("tile {} {machine} {attrs} {ins} {outs}", def.name)]).remove(0)
    };
    let ask = |capacity, cores, attrs: &str, ins: &str, outs: &str| {
        ask_on(plan.soc.arch.number, capacity, cores, attrs, ins, outs)
    };
    let no = |words: String| format!("refused [node] {}: {words}", def.name);
    assert!(ask(2048, 8, &attrs, &ins, &outs).starts_with("ok "));
    let name = &def.inputs[0].name;
    let got = ask(2048, 8, &attrs, &none(def.inputs.len()), &outs);
    assert_eq!(got, no(format!("tensor `{name}` is missing")));
    let name = &def.outputs[0].name;
    let got = ask(2048, 8, &attrs, &ins, &none(def.outputs.len()));
    assert_eq!(got, no(format!("tensor `{name}` is missing")));
    let got = ask(2048, 0, &attrs, &ins, &outs);
    assert_eq!(got, no("the platform reports 0 vector cores; needs 1 or more".into()));
    assert!(ask(63, 8, &attrs, &ins, &outs).starts_with(&no("no room for tiling data of ".into())));
    if let Some(attr) = def.attrs.first() {
        let got = ask(2048, 8, &none(def.attrs.len()), &ins, &outs);
        let words = format!("attribute `{}` cannot be missing; allowed: a value", attr.name);
        assert_eq!(got, no(words));
    }
    // The platform is only queried if there are several architectures.
    if package.archs().len() > 1 {
        let got = ask_on(1001, 2048, 8, &attrs, &ins, &outs);
        assert_eq!(got, no("there are no kernels for the architecture of this product".into()));
    }
}

/// Checks the variants that the operator's document omits on this architecture.
fn left_out(program: &Program, packages: &[Package<'_>], arch: &Arch) {
    let specs = |p: &Package<'_>| p.plans_of(arch).map(|p| p.spec).collect::<BTreeSet<usize>>();
    let Some(package) = packages.iter().find(|p| specs(p).len() < p.def.specs.len()) else {
        assert!(arch.pads, "{} leaves out a form of GeGluGradV2", arch.number);
        return;
    };
    let plan = package.plans_of(arch).next().expect("a plan");
    let mut call = Call::new(&mut Random(1), package, plan);
    let there = specs(package);
    let spec = (0..package.def.specs.len()).find(|s| !there.contains(s)).expect("one");
    let (attr, value) = package.def.specs[spec].when[0];
    call.attrs[attr] = Value::Int(value);
    let machine = Machine { ub: 196_352, cores: 8, pads: false };
    let got = program.ask(&[tiling_question(&package.def, &call, arch, &machine)]).remove(0);
    let name = &package.def.attrs[attr].name;
    let words = format!("refused [node] {}: {name} = {value} (", package.def.name);
    assert!(got.starts_with(&words) && got.contains("has no kernel on this target"), "{got}");
    let allowed = package.def.specs[plan.spec].when[0].1;
    assert!(got.contains(&format!("allowed: {name} = {allowed} (DT_FLOAT16, DT_FLOAT)")), "{got}");
}

#[test]
fn host_side_says_what_the_rust_says() {
    std::thread::scope(|scope| {
        for socs in trees() {
            scope.spawn(move || host_side(&socs));
        }
    });
}
