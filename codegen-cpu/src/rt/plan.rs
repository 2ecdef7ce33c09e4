//! A call as the driver sees it: streams over one domain.

use super::block::{BlockFn, Kernels, MAX_SCALARS, MAX_STREAMS};
use super::simd::Level;
use op_dsl_ir::DType;
use op_dsl_ir::bind::{Bound, MAX_RANK};

/// The elements of one input or output, laid over the domain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    /// The element at index 0 of every dimension.
    pub ptr: *mut u8,
    pub dtype: DType,
    /// In bytes; 0 along dimensions of one element.
    pub strides: [isize; MAX_RANK],
}

/// Everything a call runs: the kernel, the domain and the streams over it.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub kernel: BlockFn,
    pub level: Level,
    /// Element type of the kernel and of every output.
    pub dtype: DType,
    /// Elements per step of the kernel.
    pub step: usize,
    /// Whether some output is an input, so that nothing may be computed twice.
    pub in_place: bool,
    pub scalars: [f32; MAX_SCALARS],
    scalar_count: usize,
    pub rank: usize,
    pub size: [usize; MAX_RANK],
    streams: [Stream; MAX_STREAMS],
    input_count: usize,
    stream_count: usize,
}

impl Job {
    pub fn new(bound: &Bound, kernels: &Kernels, level: Level) -> Job {
        let none = Stream { ptr: core::ptr::null_mut(), dtype: DType::F32, strides: [0; MAX_RANK] };
        let mut size = [1; MAX_RANK];
        size[..bound.domain.len()].copy_from_slice(&bound.domain);
        Job {
            kernel: kernels.get(bound.dtype, level),
            level,
            dtype: bound.dtype,
            step: Kernels::step(level),
            in_place: false,
            scalars: [0.0; MAX_SCALARS],
            scalar_count: 0,
            rank: bound.domain.len(),
            size,
            streams: [none; MAX_STREAMS],
            input_count: 0,
            stream_count: 0,
        }
    }

    pub fn add_scalar(&mut self, v: f32) {
        self.scalars[self.scalar_count] = v;
        self.scalar_count += 1;
    }

    /// All inputs come before the first output.
    pub fn add_input(&mut self, s: Stream) {
        self.add_output(s);
        self.input_count = self.stream_count;
    }

    pub fn add_output(&mut self, s: Stream) {
        self.streams[self.stream_count] = s;
        self.stream_count += 1;
    }

    pub fn set_input(&mut self, k: usize, s: Stream) {
        self.streams[..self.input_count][k] = s;
    }

    pub fn inputs(&self) -> &[Stream] {
        &self.streams[..self.input_count]
    }

    pub fn outputs(&self) -> &[Stream] {
        &self.streams[self.input_count..self.stream_count]
    }

    pub fn sizes(&self) -> &[usize] {
        &self.size[..self.rank]
    }
}
