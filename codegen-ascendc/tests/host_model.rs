//! Tests of the host model on correct and on broken kernels.
//!
//! It must run correct kernels with correct results and counts, and stop each broken kernel with the intended check, at its line.

#[path = "host_model/format.rs"]
mod format;
#[path = "host_model/harness.rs"]
mod harness;
#[path = "host_model/misused.rs"]
mod misused;
#[path = "host_model/registers.rs"]
mod registers;

use std::fs;

use format::{Format, bytes, floats, words};
use harness::Program;

#[test]
fn a_ragged_product_in_three_types() {
    let program = Program::compile("mul", 2201);
    // The last tile of the last block holds 11 elements.
    let n = 10_011_usize;
    let tiling = bytes(
        [[10_011_u64.to_le_bytes(), (3456_u64 | 1024 << 32).to_le_bytes()].concat()]
            .map(|v| <[u8; 16]>::try_from(v).unwrap()),
    );
    let tiling = program.file("tiling", Some(&tiling));
    let wave = |i: usize, by: f32| ((i * 37 % 1000) as f32 - 500.0) * by;
    let (a, b): (Vec<f32>, Vec<f32>) = (0..n).map(|i| (wave(i, 0.013), wave(i * 7, 0.009))).unzip();
    let run = |kernel: &str, a: Vec<u8>, b: Vec<u8>| {
        let (fa, fb) = (program.file("a", Some(&a)), program.file("b", Some(&b)));
        let out = program.file("out", None);
        let args = [
            "--in",
            &format!("a={fa}"),
            "--in",
            &format!("b={fb}"),
            "--out",
            &format!("out={out}:{}", a.len()),
            "--tiling",
            &tiling,
            "--blocks",
            "3",
        ];
        let done = program.run(kernel, &args.map(String::from));
        assert!(done.status.success(), "{kernel}: {}", String::from_utf8_lossy(&done.stderr));
        (fs::read(out).unwrap(), String::from_utf8(done.stdout).unwrap())
    };

    let (out, report) = run(
        "float",
        bytes(a.iter().map(|x| x.to_le_bytes())),
        bytes(b.iter().map(|x| x.to_le_bytes())),
    );
    assert!(floats(&out).iter().zip(&a).zip(&b).all(|((o, x), y)| *o == x * y));
    // 1024 floats are 16 repeats; 6 queue buffers of 4 KiB; 11 floats end in a sector.
    assert!(report.contains(
        r#""record":"tile","calls":{"Mul":1},"vector_calls":1,"passes":1,"repeats":16,"casts":0"#
    ));
    assert!(report.contains(r#""ub_high_water":24576"#), "{report}");
    assert!(
        report.contains(r#""read":{"copies":24,"bursts":24,"bytes":80088,"sector_bytes":80128}"#),
        "{report}"
    );
    assert!(
        report.contains(r#""write":{"copies":12,"bursts":12,"bytes":40044,"sector_bytes":40064}"#),
        "{report}"
    );

    for (kernel, format, tile) in [
        (
            "half",
            Format(10),
            r#""calls":{"Mul":1},"vector_calls":1,"passes":1,"repeats":8,"casts":0"#,
        ),
        (
            "bfloat16",
            Format(7),
            r#""calls":{"Cast":3,"Mul":1},"vector_calls":4,"passes":4,"repeats":64,"casts":3"#,
        ),
    ] {
        let narrow = |v: &[f32]| v.iter().map(|x| format.round(*x, 1)).collect::<Vec<_>>();
        let wide = |bits: u16| {
            #[allow(clippy::cast_possible_truncation)]
            let m = format.value(bits & 0x7fff) as f32;
            if bits < 0x8000 { m } else { -m }
        };
        let (x, y) = (narrow(&a), narrow(&b));
        let (out, report) = run(
            kernel,
            bytes(x.iter().map(|v| v.to_le_bytes())),
            bytes(y.iter().map(|v| v.to_le_bytes())),
        );
        for ((o, x), y) in words(&out).into_iter().zip(x).zip(y) {
            assert_eq!(o, format.round(wide(x) * wide(y), 1), "{kernel}: {x:x} * {y:x}");
        }
        assert!(report.contains(tile), "{kernel}: {report}");
    }
}

#[test]
fn casts_round_by_the_rules() {
    let program = Program::compile("casts", 2201);
    for (kernel, format, modes, step) in [
        ("float_half", Format(10), vec![0, 1, 2, 3, 4, 5, 6], 1),
        ("float_bfloat16", Format(7), vec![1, 2, 3, 4, 5], 3),
    ] {
        let probes = format.probes(step);
        let input = bytes(probes.iter().map(|x| x.to_le_bytes()));
        for mode in modes {
            let (out, _) =
                program.good(kernel, &input, probes.len() * 2, &["--key", &mode.to_string()]);
            for (x, got) in probes.iter().zip(words(&out)) {
                assert_eq!(got, format.round(*x, mode), "{kernel} of {x:e} in mode {mode}");
            }
        }
        // One mode for each of the model's two ways of rounding.
        for mode in [1, 5] {
            let key = mode.to_string();
            let (out, _) =
                program.good(kernel, &input, probes.len() * 2, &["--key", &key, "--saturate"]);
            for (x, got) in probes.iter().zip(words(&out)) {
                let want = format.saturated(format.round(*x, mode));
                assert_eq!(got, want, "{kernel} of {x:e} in mode {mode}, saturating");
            }
        }
    }
    // Every 16-bit number converts to float and back unchanged; a NaN remains a NaN.
    let all = bytes((0..=u16::MAX).map(u16::to_le_bytes));
    for (there, back, mode, format) in [
        ("half_float", "float_half", "0", Format(10)),
        ("bfloat16_float", "float_bfloat16", "1", Format(7)),
    ] {
        let (wide, _) = program.good(there, &all, all.len() * 2, &[]);
        let (out, _) = program.good(back, &wide, all.len(), &["--key", mode]);
        for (bits, got) in (0..=u16::MAX).zip(words(&out)) {
            let nan = bits & 0x7fff > format.infinite();
            assert!(
                got == bits || (nan && got & 0x7fff > format.infinite()),
                "{there} of {bits:x} gives {got:x}"
            );
        }
    }
    let mut ties = vec![2.5_f32, 3.5, -2.5, 0.3, -0.3, 1e30, -1e30, f32::NAN];
    ties.resize(128, 0.0);
    let input = bytes(ties.iter().map(|x| x.to_le_bytes()));
    for (mode, want) in [
        ("1", [2, 4, -2, 0, 0]),
        ("2", [2, 3, -3, 0, -1]),
        ("3", [3, 4, -2, 1, 0]),
        ("4", [3, 4, -3, 0, 0]),
        ("5", [2, 3, -2, 0, 0]),
    ] {
        let (out, _) = program.good("float_int32", &input, 512, &["--key", mode]);
        let got: Vec<i32> =
            out.chunks_exact(4).map(|b| i32::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(got[..8], [&want[..], &[i32::MAX, i32::MIN, 0]].concat(), "mode {mode}");
    }
}

#[test]
fn what_910_lacks() {
    let program = Program::compile("casts", 1001);
    let probes = Format(10).probes(7);
    let input = bytes(probes.iter().map(|x| x.to_le_bytes()));
    for mode in [0, 6] {
        let (out, _) =
            program.good("float_half", &input, probes.len() * 2, &["--key", &mode.to_string()]);
        for (x, got) in probes.iter().zip(words(&out)) {
            assert_eq!(got, Format(10).round(*x, mode), "{x:e} in mode {mode}");
        }
    }
    for mode in 1..6 {
        program.broken(
            "float_half",
            "cast",
            "allowed is CAST_NONE/CAST_ODD",
            &["--key", &mode.to_string()],
        );
    }
    let lacks = "not-on-arch";
    program.broken("mins", lacks, "Mins does not exist on 1001", &[]);
    program.broken("fused", lacks, "FusedMulAdd does not exist on 1001", &[]);
    program.broken("compares", lacks, "Compares does not exist on 1001", &[]);
    program.broken("relu_float", "dtype", "Relu does not take float on 1001", &[]);
    program.broken("select_tensors", lacks, "only VSEL_CMPMASK_SPR", &[]);
    program.broken("gather", lacks, "Gather does not exist on 1001", &[]);
    program.broken(
        "buffers",
        "buffer-count",
        "5 queue buffers in position VECIN, allowed are 4",
        &[],
    );
}

#[test]
fn what_950_has() {
    let p = Program::compile("newer", 3510);
    let x = bytes((0..24_u16).map(|i| Format(7).round(f32::from(i) + 0.5, 1).to_le_bytes()));
    let (out, report) = p.good("good_compact", &x, 24, &[]);
    let want: Vec<u16> = (0..4)
        .flat_map(|burst| (0..3).map(move |i| f32::from(burst * 6_u16 + i) + 0.5))
        .map(|v| Format(7).round(v * 4.0, 1))
        .collect();
    assert_eq!(words(&out), want);
    assert!(report.contains(r#""calls":{"Add":1,"Muls":1}"#), "{report}");
    let ones = bytes([1.0_f32; 64].iter().map(|v| v.to_le_bytes()));
    let (out, _) = p.good("good_repeats", &ones, 256, &[]);
    assert_eq!(floats(&out), [2.0; 64]);
    p.broken("empty_copy", "parameter", "blockLen is 0, allowed is 1..2097151", &[]);
    p.broken("bf16_exp", "dtype", "Exp does not take bfloat16_t on 3510", &[]);

    // An invalid command line is not a finding.
    for args in
        [vec![], vec!["--in".into(), "a=/no/such/file".into()], vec!["--what".into(), "1".into()]]
    {
        let out = p.run("bf16_exp", &args);
        assert_eq!(out.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&out.stderr).starts_with("host model: "));
    }
}

#[test]
fn every_form_of_every_instruction() {
    for arch in [2201, 3510] {
        let program = Program::compile("forms", arch);
        let x: Vec<f32> = (0..128_u16).map(|i| f32::from((i * 53) % 128) * 0.09 - 4.03).collect();
        let input = bytes(x.iter().map(|v| v.to_le_bytes()));
        let (out, report) = program.good("forms", &input, 22 * 256, &[]);
        let rows: Vec<Vec<f32>> = out.chunks_exact(256).map(floats).collect();
        let row = |r: usize, name: &str, want: &dyn Fn(usize) -> f32| {
            for (i, got) in rows[r].iter().enumerate() {
                assert_eq!(
                    got.to_bits(),
                    want(i).to_bits(),
                    "{name}[{i}] of {}: {got} and not {}",
                    x[i],
                    want(i)
                );
            }
        };
        let half = |v: f32| {
            let bits = Format(10).round(v, 1);
            #[allow(clippy::cast_possible_truncation)]
            let m = Format(10).value(bits & 0x7fff) as f32;
            if bits < 0x8000 { m } else { -m }
        };
        #[allow(clippy::cast_possible_truncation)]
        let as_float = |v: f64| v as f32;
        row(0, "Mul", &|i| x[i] * 2.0);
        row(1, "Mul, second repeat", &|i| x[64 + i] * 2.0);
        row(2, "Axpy", &|i| x[i] + 0.1 * x[i]);
        row(3, "FusedMulAdd", &|i| x[i] * (3.0 * x[i]) + x[i]);
        row(4, "MulAddDst", &|i| x[i] * x[64 + i] + 3.0 * x[i]);
        row(5, "Select of tensors", &|i| if x[i] >= 3.0 { x[i] } else { -x[i] });
        row(6, "Select with scalar", &|i| if x[i] < x[64 + i] { x[i] } else { 7.0 });
        row(7, "Adds under a mask", &|i| if i % 2 == 1 { x[i] + 1.0 } else { 0.0 });
        row(8, "Gather", &|i| x[63 - i]);
        row(9, "GatherMask of odd elements", &|i| x[2 * i + 1] * 64.0);
        row(10, "GatherMask of even elements", &|i| x[2 * i]);
        row(11, "Sqrt", &|i| x[i].abs().sqrt());
        row(12, "Exp", &|i| as_float(f64::from(x[i]).exp()));
        row(13, "Ln", &|i| as_float(f64::from(x[i].abs()).ln()));
        row(14, "Relu", &|i| x[i].max(0.0) - x[64 + i]);
        row(15, "Div", &|i| (2.0 / x[i]).clamp(-2.0, 2.0));
        row(16, "Max and Min", &|i| x[i].max(x[64 + i]) - x[i].min(x[64 + i]));
        row(17, "mixed Axpy", &|i| 1.0 + half(x[i]) * half(0.1));
        row(18, "half Mul", &|i| half(half(x[i]) * half(x[i])));
        row(19, "Select with a constant first", &|i| if x[i] < 1.0 { 2.0 } else { x[i] });
        row(20, "the same, second repeat", &|i| if x[64 + i] < 1.0 { 2.0 } else { x[64 + i] });
        row(21, "Select of two constants", &|_| 2.0);
        // The constant is created once; MulAddDst has three addresses and counts as two passes.
        assert!(
            report.contains(r#""record":"setup","calls":{"Duplicate":1},"vector_calls":1"#),
            "{report}"
        );
        assert!(
            report.contains(r#""vector_calls":43,"passes":44,"repeats":51,"casts":2"#),
            "{report}"
        );
        let (out, report) = program.good("rows", &input, 96, &[]);
        // 20 bytes every 28: the first row lies in one sector, the others in two.
        assert!(
            report.contains(r#""read":{"copies":1,"bursts":3,"bytes":60,"sector_bytes":160}"#),
            "{report}"
        );
        let want: Vec<f32> = (0..3)
            .flat_map(|r| (0..8).map(move |c| (r, c)))
            .map(|(r, c)| if (2..7).contains(&c) { x[r * 7 + c - 2] } else { 9.0 })
            .collect();
        assert_eq!(floats(&out), want);
    }
}

#[test]
fn what_310p_lacks() {
    let p = Program::compile("older", 2002);
    let lacks = "not-on-arch";
    p.broken("copy_pad", lacks, "DataCopyPad does not exist on 2002", &[]);
    p.broken("copy_pad_out", lacks, "DataCopyPad does not exist on 2002", &[]);
    p.broken("bf16_copy", lacks, "bfloat16_t does not exist on 2002", &[]);
    p.broken("bf16_cast", "cast", "from float to bfloat16_t does not exist on 2002", &[]);
    p.broken("cast_rint", "cast", "CAST_RINT on 2002, allowed is CAST_NONE/CAST_ODD", &[]);
    p.broken("hard_sync", lacks, "SyncAll without workspaces does not exist on 2002", &[]);
    p.broken(
        "soft_sync_small",
        "parameter",
        "32 bytes, 2 cores need 64",
        &["--workspace", "64", "--blocks", "2"],
    );
    let x = bytes([3.0_f32; 64].map(f32::to_le_bytes));
    let (out, report) = p.good("good_add", &x, 256, &["--workspace", "64", "--blocks", "2"]);
    assert_eq!(floats(&out), [8.0; 64]);
    assert!(report.contains(r#""sync_all":1"#), "{report}");

    // Block 1 of the result has word 1 of 16 blocks. A single repeat advances by its step before it starts.
    let count: Vec<u16> = (0..512).collect();
    let turned =
        words(&p.good("good_turn", &bytes(count.iter().map(|v| v.to_le_bytes())), 256, &[]).0);
    let want: Vec<u16> = (0..128).map(|i| i % 16 * 16 + i / 16).collect();
    assert_eq!(turned, want);
    p.broken("turn_step", "ub-uninitialised", "nobody wrote VECIN queue 0 buffer 0+512", &[]);
    p.broken("turn_unaligned", "ub-alignment", "multiple of 32", &[]);
    p.broken("turn_twice", "overlap", "writes UB byte", &[]);
    p.broken("turn_again", "ub-uninitialised", "nobody wrote VECIN queue 0 buffer 0+544", &[]);
    let ramp: Vec<f32> = (0..64_u8).map(f32::from).collect();
    let (out, _) = p.good("good_bursts", &bytes(ramp.iter().map(|v| v.to_le_bytes())), 256, &[]);
    let every_other = (0..32).map(|i| ramp[i / 8 * 16 + i % 8]).collect::<Vec<f32>>();
    assert_eq!(floats(&out)[..32], every_other[..]);
    p.broken("bursts_overlap", "overlap", "lie in each other", &[]);

    // A core may write a block again once it is there, but only with equal bytes.
    assert_eq!(floats(&p.good("good_repeat", &x, 256, &[]).0)[52..60], [1.0; 8]);
    let (twice, line) = ("gm-written-twice", "gm-cache-line");
    p.broken("repeat_unequal", twice, "byte 210 of 'b' was already written by core 0", &[]);
    p.broken("repeat_at_once", "missing-wait", "DataCopy writes byte 208 of 'b'", &[]);
    p.broken("repeat_of_another", twice, "written by core 0", &["--blocks", "2"]);
    p.broken("cache_line", line, "cores 1 and 0 write to bytes [0, 64)", &["--blocks", "2"]);
    p.broken("cache_line_and_copy", line, "bytes [0, 64) of 'b'", &["--blocks", "2"]);
}
