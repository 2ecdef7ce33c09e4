//! Vector functions on registers: their results and counts, and the findings of each check.

use crate::format::{Format, bytes, floats, words};
use crate::harness::Program;

#[test]
fn register_functions_compute_round_and_report_faults() {
    let p = Program::compile("registers", 3510);
    what_they_compute(&p);
    how_they_round(&p);
    what_goes_wrong(&p);
}

fn what_they_compute(p: &Program) {
    // 100 halves take two steps, and the second has 36 elements.
    let value = |i: u16| f32::from(i) * 0.125 - 6.0;
    let x = bytes((0..100).map(|i| Format(10).round(value(i), 1).to_le_bytes()));
    let (out, report) = p.good("good_halves", &x, 200, &[]);
    for (i, got) in (0..100).zip(words(&out)) {
        let x = value(i);
        let want = if x > 0.0 { 2.0 * x + 1.0 } else { x.exp() };
        assert_eq!(got, Format(10).round(want, 1), "of {x}");
    }
    let counts = r#""registers":{"loads":2,"stores":2,"casts":4,"linear":6,"slow":2,"steps":2,"constants":2}"#;
    assert!(report.contains(counts), "{report}");

    let x = bytes((0..128_u16).map(|i| f32::from(i).to_le_bytes()));
    let (out, report) = p.good("good_turns", &x, 512, &[]);
    let swapped: Vec<f32> = (0..128_u16).map(|i| f32::from(i ^ 1)).collect();
    assert_eq!(floats(&out), swapped);
    assert!(report.contains(r#""loads":1,"stores":1,"casts":0"#), "{report}");

    // Bit 48 of CTRL controls values beyond the range of `half`, although the cast says NO_SAT.
    let mut x = [0x7800_u16; 100]; // 32768, whose double exceeds the range
    x[..3].copy_from_slice(&[0x7e00, 0x7c00, 0x3c00]); // NaN, infinity, 1
    let x = bytes(x.iter().map(|x| x.to_le_bytes()));
    for (more, nan, large) in [(&[][..], 0x7e00, 0x7c00), (&["--saturate"], 0, 0x7bff)] {
        let out = words(&p.good("good_halves", &x, 200, more).0);
        assert_eq!((out[0], out[2]), (nan, 0x4200), "{more:?}");
        assert!(out[1] == large && out[3..].iter().all(|y| *y == large), "{more:?}: {out:x?}");
    }
}

fn how_they_round(p: &Program) {
    let x = 1.0 + f32::EPSILON;
    let input = bytes([x; 64].map(f32::to_le_bytes));
    let tiny = x * 0.5f32.powi(127);
    assert!(tiny.is_subnormal());
    for (more, quotient) in [(&[][..], tiny), (&["--flush"], 0.0)] {
        let (out, _) = p.good("good_rounding", &input, 1024, more);
        let rows: Vec<Vec<f32>> = out.chunks_exact(256).map(floats).collect();
        assert_eq!(rows[0], [quotient; 64], "a quotient, {more:?}");
        assert_eq!(rows[1], [tiny; 64], "a product, {more:?}");
        // `(1 + u)^2 = 1 + 2u + u^2`; the last term does not fit into a float.
        assert_eq!(rows[2], [f32::EPSILON * f32::EPSILON; 64]);
        assert_eq!(rows[3], rows[2]);
    }

    // Simulated inexactness of a device: the same in both variants, up to one unit to either side.
    let x: Vec<f32> = (0..64_u16).map(|i| f32::from(i) * 0.125 - 4.0).collect();
    let input = bytes(x.iter().map(|x| x.to_le_bytes()));
    let exact = floats(&p.good("good_noise", &input, 512, &[]).0);
    let off = |seed: &str| -> Vec<i64> {
        let noisy = floats(&p.good("good_noise", &input, 512, &["--noise", seed]).0);
        assert_eq!(noisy[..64], noisy[64..]);
        let apart = |(a, b): (&f32, &f32)| i64::from(a.to_bits()) - i64::from(b.to_bits());
        noisy.iter().zip(&exact).map(apart).collect()
    };
    for seed in ["1", "2"] {
        let off = off(seed);
        assert!([-1, 0, 1].iter().all(|d| off.contains(d)), "{off:?}");
        assert!(off.iter().all(|d| d.abs() <= 1), "{off:?}");
    }
    assert_ne!(off("1"), off("2"));
}

fn what_goes_wrong(p: &Program) {
    for (kernel, check, what) in [
        ("reg_alignment", "ub-alignment", "must be a multiple of 32 bytes"),
        ("reg_outside", "ub-tensor", "the tensor has no buffer"),
        ("reg_loop_cut", "reg-loop", "ended with 4194304 elements left"),
        ("reg_loop_endless", "reg-loop", "runs on behind the data"),
        ("reg_count_data", "reg-count", "RegTensor number 33; a vector function has 32"),
        ("reg_count_masks", "reg-count", "MaskReg number 9; a vector function has 8"),
        ("reg_off_the_mask", "reg-undefined", "reads lane 60 of a register"),
        ("reg_behind_the_data", "reg-undefined", "reads lane 32 of a register"),
        ("reg_between_halves", "reg-undefined", "reads lane 1 of a register"),
        ("reg_mask_unset", "reg-undefined", "Abs reads a mask that has no value"),
        ("reg_order", "reg-order", "LocalMemBar must come in between"),
        ("reg_scope", "reg-scope", "RegTensor outside of __VEC_SCOPE__"),
        ("reg_nested", "reg-scope", "a vector function cannot start another"),
        ("reg_saturates", "cast", "NO_SAT keeps what is infinite"),
        ("reg_missing_wait", "missing-wait", "written by pipe MTE2"),
    ] {
        p.broken(kernel, check, what, &[]);
    }
}
