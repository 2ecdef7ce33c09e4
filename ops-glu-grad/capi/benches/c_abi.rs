//! Cost of the C interfaces compared with the Rust call on the same tensors, interleaved:
//! `RAYON_NUM_THREADS=1 cargo bench -p ops-glu-grad-capi --bench c_abi`.

use op_dsl::{View, ViewMut};
use op_dsl_capi::Handle;
use ops_glu_grad::gelu::GeLUBackward;
use ops_glu_grad::glu::GeGluGradV2;
use ops_glu_grad_capi::functions::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::time::Instant;

unsafe extern "C" {
    fn aclCreateTensor(
        view_dims: *const i64,
        view_dims_num: u64,
        data_type: i32,
        stride: *const i64,
        offset: i64,
        format: i32,
        storage_dims: *const i64,
        storage_dims_num: u64,
        data: *mut c_void,
    ) -> Handle;
    fn aclDestroyTensor(tensor: Handle) -> i32;
    fn aclSetAclOpExecutorRepeatable(executor: Handle) -> i32;
    fn infiniopCreateHandle(handle: *mut Handle) -> i32;
    fn infiniopCreateTensorDescriptor(
        desc: *mut Handle,
        ndim: usize,
        shape: *const usize,
        strides: *const isize,
        dtype: i32,
    ) -> i32;
}

/// Returns the median times of two alternating operations, in nanoseconds.
fn beside(rounds: usize, mut first: impl FnMut(), mut second: impl FnMut()) -> [f64; 2] {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        let start = Instant::now();
        first();
        times[0].push(start.elapsed().as_nanos() as f64);
        let start = Instant::now();
        second();
        times[1].push(start.elapsed().as_nanos() as f64);
    }
    times.map(|mut t| {
        t.sort_by(f64::total_cmp);
        t[rounds / 2]
    })
}

fn values(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 2_654_435_761) % 8191) as f32 / 1365.0 - 3.0).collect()
}

const ACL_FLOAT: i32 = 0;
const ACL_FLOAT16: i32 = 1;
const ACL_INT32: i32 = 3;

/// Creates a two-dimensional tensor over the given memory.
fn tensor(shape: [i64; 2], dtype: i32, data: *mut f32) -> Handle {
    // SAFETY: shape and strides have two elements, the number of dimensions that is passed.
    unsafe {
        aclCreateTensor(
            shape.as_ptr(),
            2,
            dtype,
            [shape[1], 1].as_ptr(),
            0,
            2,
            shape.as_ptr(),
            2,
            data.cast(),
        )
    }
}

/// Tensors of a GeGLU gradient, and the Rust call on them.
struct Geglu {
    shape: [usize; 2],
    dy: Vec<f32>,
    x: Vec<f32>,
    gelu: Vec<f32>,
    dx: Vec<f32>,
    dx_c: Vec<f32>,
}

impl Geglu {
    fn new(rows: usize, half: usize) -> Geglu {
        let n = rows * half;
        let (dx, dx_c) = (vec![0.0; 2 * n], vec![0.0; 2 * n]);
        Geglu { shape: [rows, half], dy: values(n), x: values(2 * n), gelu: values(n), dx, dx_c }
    }

    fn tensors(
        dy: *mut f32,
        x: *mut f32,
        gelu: *mut f32,
        dx: *mut f32,
        shape: [usize; 2],
    ) -> [Handle; 4] {
        let [r, h] = shape.map(|n| n as i64);
        let tensor = |columns, data| tensor([r, columns], ACL_FLOAT, data);
        [tensor(h, dy), tensor(2 * h, x), tensor(h, gelu), tensor(2 * h, dx)]
    }

    fn prepare([dy, x, gelu, dx]: [Handle; 4]) -> Handle {
        let (mut size, mut executor) = (0, null_mut());
        // SAFETY: the tensors are alive, and the output pointers are valid.
        let status = unsafe {
            aclnnGeGluV3BackwardGetWorkspaceSize(
                dy, x, gelu, -1, 1, 0, dx, &mut size, &mut executor,
            )
        };
        assert_eq!((status, size), (0, 0));
        executor
    }

    fn execute(executor: Handle) {
        // SAFETY: the tensors' memory is still alive.
        let status = unsafe { aclnnGeGluV3Backward(null_mut(), 0, executor, null_mut()) };
        assert_eq!(status, 0);
    }

    fn destroy(tensors: [Handle; 4]) {
        for tensor in tensors {
            // SAFETY: the handle is valid.
            assert_eq!(unsafe { aclDestroyTensor(tensor) }, 0);
        }
    }

    fn measure(mut self, rounds: usize, whole_round: bool) -> [f64; 2] {
        let (wide, shape) = ([self.shape[0], 2 * self.shape[1]], self.shape);
        let [dy, x, gelu] = [&self.dy, &self.x, &self.gelu].map(|v| v.as_ptr().cast_mut());
        let dx_c = self.dx_c.as_mut_ptr();
        let tensors = Geglu::tensors(dy, x, gelu, dx_c, shape);
        let executor = Geglu::prepare(tensors);
        // SAFETY: the handle is alive.
        assert_eq!(unsafe { aclSetAclOpExecutorRepeatable(executor) }, 0);
        let rust = || {
            let view = |data, shape| View::new(data, shape).expect("a view");
            let dx = ViewMut::new(&mut self.dx, &wide).expect("a view");
            GeGluGradV2::default()
                .run(view(&self.dy, &shape), view(&self.x, &wide), view(&self.gelu, &shape), dx)
                .expect("a call");
        };
        let medians = match whole_round {
            false => beside(rounds, rust, || Geglu::execute(executor)),
            true => beside(rounds, rust, || {
                let tensors = Geglu::tensors(dy, x, gelu, dx_c, shape);
                Geglu::execute(Geglu::prepare(tensors));
                Geglu::destroy(tensors);
            }),
        };
        assert!(self.dx == self.dx_c);
        medians
    }
}

const ROWS: usize = 512;
const COLUMNS: usize = 5632;
const PITCH: usize = COLUMNS + 64;

/// Measures GeLUBackward with these strides of `input`, `grad_output` and `grad_input`.
fn infiniop(rounds: usize, [x, g, z]: [[isize; 2]; 3]) -> [f64; 2] {
    let shape = [ROWS, COLUMNS];
    let (input, dy) = (values(ROWS * PITCH), values(ROWS * PITCH));
    let (mut dx, mut dx_c) = (vec![0.0f32; ROWS * PITCH], vec![0.0f32; ROWS * PITCH]);
    let mut handle = null_mut();
    // SAFETY: the output pointer is valid.
    assert_eq!(unsafe { infiniopCreateHandle(&mut handle) }, 0);
    let describe = |strides: [isize; 2]| {
        let mut desc = null_mut();
        // SAFETY: shape and strides have two elements, and the output pointer is valid.
        let status = unsafe {
            infiniopCreateTensorDescriptor(&mut desc, 2, shape.as_ptr(), strides.as_ptr(), 13)
        };
        assert_eq!(status, 0);
        desc
    };
    let mut desc = null_mut();
    // SAFETY: the output pointer is valid.
    let status = unsafe {
        infiniopCreateGeLUBackwardDescriptor(
            handle,
            &mut desc,
            describe(z),
            describe(x),
            describe(g),
        )
    };
    assert_eq!(status, 0);
    let out = dx_c.as_mut_ptr();
    let medians = beside(
        rounds,
        || {
            let input = View::strided(&input, &shape, &x, 0).expect("a view");
            let dy = View::strided(&dy, &shape, &g, 0).expect("a view");
            let dx = ViewMut::strided(&mut dx, &shape, &z, 0).expect("a view");
            GeLUBackward {}.run(input, dy, dx).expect("a call");
        },
        || {
            let (input, dy) = (input.as_ptr().cast(), dy.as_ptr().cast());
            // SAFETY: the memory is as the descriptors describe it.
            let status = unsafe {
                infiniopGeLUBackward(desc, null_mut(), 0, out.cast(), input, dy, null_mut())
            };
            assert_eq!(status, 0);
        },
    );
    assert!(dx == dx_c);
    medians
}

/// Returns 32-bit words with small numbers of a type; `ACL_FLOAT16` needs only every other word.
fn words(dtype: i32, count: usize) -> Vec<u32> {
    let word = |i: usize| match dtype {
        ACL_FLOAT => ((i % 8191) as f32 / 1365.0 - 3.0).to_bits(),
        ACL_FLOAT16 => (0x3400 + i as u32 % 2048) * 0x1_0001, // 0.25 to 1
        _ => i as u32 % 7,
    };
    (0..count).map(word).collect()
}

/// Compares the times of aclnnGeluBackward with two sets of types.
///
/// Each set has the types of `gradOutput`, `self` and `gradInput`.
fn mixed(rounds: usize, these: [i32; 3], those: [i32; 3]) -> [f64; 2] {
    let shape = [ROWS as i64, COLUMNS as i64];
    let mut memory = [these, those].map(|types| types.map(|dtype| words(dtype, ROWS * COLUMNS)));
    let mut room = [vec![0u8; 0], vec![0u8; 0]];
    let mut prepare = |k: usize, types: [i32; 3]| {
        let mut tensors = [null_mut(); 3];
        for ((t, dtype), data) in tensors.iter_mut().zip(types).zip(&mut memory[k]) {
            *t = tensor(shape, dtype, data.as_mut_ptr().cast());
        }
        let ([dy, x, dx], mut size, mut executor) = (tensors, 0, null_mut());
        // SAFETY: the tensors are alive, and the output pointers are valid.
        let status =
            unsafe { aclnnGeluBackwardGetWorkspaceSize(dy, x, dx, &mut size, &mut executor) };
        // SAFETY: the handle is valid.
        assert_eq!((status, unsafe { aclSetAclOpExecutorRepeatable(executor) }), (0, 0));
        room[k] = vec![0; size as usize];
        let workspace = room[k].as_mut_ptr().cast::<c_void>();
        move || {
            // SAFETY: the memory of tensors and workspace is still alive.
            let status = unsafe { aclnnGeluBackward(workspace, size, executor, null_mut()) };
            assert_eq!(status, 0);
        }
    };
    beside(rounds, prepare(0, these), prepare(1, those))
}

fn main() {
    let line = |name: &str, [rust, c]: [f64; 2], unit: &str, per: f64| {
        println!(
            "{name:<48} Rust {:>8.3}, C {:>8.3} {unit}, {:.3}x",
            rust / per,
            c / per,
            c / rust
        );
    };
    let n = (4096 * 2048) as f64;
    line(
        "aclnnGeGluV3Backward, x 4096x4096, executed",
        Geglu::new(4096, 2048).measure(21, false),
        "ns per dy",
        n,
    );
    let round = Geglu::new(4, 1024).measure(10_001, true);
    line("aclnnGeGluV3Backward, x 4x2048, a whole round", round, "us", 1e3);
    println!("{:<48} {:.3} us", "  of which not the kernel", (round[1] - round[0]) / 1e3);
    let dense = [COLUMNS as isize, 1];
    let padded = [PITCH as isize, 1];
    let n = (ROWS * COLUMNS) as f64;
    for (name, strides) in [
        ("infiniopGeLUBackward, 512x5632, contiguous", [dense; 3]),
        ("infiniopGeLUBackward, 512x5632, row-strided", [padded; 3]),
        ("infiniopGeLUBackward, 512x5632, grad (0, 1)", [dense, [0, 1], dense]),
        ("infiniopGeLUBackward, 512x5632, grad (1, 0)", [dense, [1, 0], dense]),
    ] {
        line(name, infiniop(51, strides), "ns", n);
    }
    for (name, same, other) in [
        ("FLOAT16, FLOAT16 -> FLOAT", ACL_FLOAT16, [ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT]),
        ("FLOAT, FLOAT -> FLOAT16", ACL_FLOAT, [ACL_FLOAT, ACL_FLOAT, ACL_FLOAT16]),
        ("INT32, FLOAT -> FLOAT", ACL_FLOAT, [ACL_INT32, ACL_FLOAT, ACL_FLOAT]),
    ] {
        let [one, several] = mixed(51, [same; 3], other).map(|t| t / n);
        let ratio = several / one;
        println!("aclnnGeluBackward, {name:<26} {several:.3} ns, one type {one:.3}, {ratio:.3}x");
    }
}
