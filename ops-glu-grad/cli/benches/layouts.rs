//! Cost of layouts: GeLUBackward on 4096x4096, strided and broadcast compared with contiguous.
//!
//! Each layout must give the bits of the contiguous call on the same values before it is timed. Runs are interleaved
//! and the medians compared, since the machine's speed drifts.

use op_dsl::{View, ViewMut};
use ops_glu_grad::gelu::GeLUBackward;
use std::time::Instant;

const N: usize = 4096;
/// Row pitch in elements: a row and the padding after it.
const PITCH: usize = 4128;
const ROUNDS: usize = 15;

/// Strides of `input`, `grad_output` and `grad_input`.
struct Layout {
    name: &'static str,
    strides: [[isize; 2]; 3],
}

const DENSE: [isize; 2] = [N as isize, 1];
const PADDED: [isize; 2] = [PITCH as isize, 1];
const LAYOUTS: [Layout; 4] = [
    Layout { name: "contiguous", strides: [DENSE; 3] },
    Layout { name: "row stride 4128", strides: [PADDED; 3] },
    Layout { name: "grad_output stride (0, 1)", strides: [DENSE, [0, 1], DENSE] },
    Layout { name: "grad_output stride (1, 0)", strides: [DENSE, [1, 0], DENSE] },
];

fn call(layout: &Layout, input: &[f32], dy: &[f32], dx: &mut [f32]) {
    let [x, g, z] = layout.strides;
    let shape = [N, N];
    let input = View::strided(input, &shape, &x, 0).expect("a view");
    let dy = View::strided(dy, &shape, &g, 0).expect("a view");
    let dx = ViewMut::strided(dx, &shape, &z, 0).expect("a view");
    GeLUBackward {}.run(input, dy, dx).expect("a call");
}

/// Returns the elements of a strided matrix, row by row.
fn dense(data: &[f32], [row, column]: [isize; 2]) -> Vec<f32> {
    let at = |i: usize| (i / N) * row as usize + (i % N) * column as usize;
    (0..N * N).map(|i| data[at(i)]).collect()
}

fn main() {
    let value = |i: usize| ((i * 2_654_435_761) % 8191) as f32 / 1365.0 - 3.0;
    let input: Vec<f32> = (0..N * PITCH).map(value).collect();
    let dy: Vec<f32> = (0..N * PITCH).map(|i| value(i + 17)).collect();
    let mut dx = vec![0.0f32; N * PITCH];
    let mut want = vec![0.0f32; N * PITCH];

    for layout in &LAYOUTS {
        let [x, g, z] = layout.strides;
        call(&LAYOUTS[0], &dense(&input, x), &dense(&dy, g), &mut want);
        call(layout, &input, &dy, &mut dx);
        assert!(dense(&dx, z).iter().zip(&want).all(|(a, b)| a == b), "{}", layout.name);
    }

    let mut times = [const { Vec::new() }; LAYOUTS.len()];
    for _ in 0..ROUNDS {
        for (layout, times) in LAYOUTS.iter().zip(&mut times) {
            let start = Instant::now();
            call(layout, &input, &dy, &mut dx);
            times.push(start.elapsed().as_secs_f64());
        }
    }
    let medians = times.map(|mut t: Vec<f64>| {
        t.sort_by(f64::total_cmp);
        t[ROUNDS / 2]
    });
    for (layout, median) in LAYOUTS.iter().zip(medians) {
        let ns = median * 1e9 / (N * N) as f64;
        println!("{:<26} {ns:.3} ns per element, {:.2}x", layout.name, median / medians[0]);
    }
}
