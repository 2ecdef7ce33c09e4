//! Streams -> block kernels.

use super::block::Streams;
use super::call::Options;
use super::plan::Job;
use op_dsl_ir::DType;

pub(super) fn run(job: &mut Job, _options: &Options) {
    let _ = (job.level, job.in_place);
    let total: usize = job.sizes().iter().product();
    let mut scratch = [[0u8; 128]; super::block::MAX_STREAMS];
    let inputs = job.inputs().len();
    for i in 0..total {
        let mut rest = i;
        let mut index = [0usize; 8];
        for d in (0..job.rank).rev() {
            index[d] = rest % job.size[d];
            rest /= job.size[d];
        }
        let mut io = Streams::EMPTY;
        io.scalar = job.scalars;
        let at = |s: &super::plan::Stream| {
            let bytes: isize = (0..job.rank).map(|d| index[d] as isize * s.strides[d]).sum();
            s.ptr.wrapping_offset(bytes)
        };
        for (k, s) in job.inputs().iter().enumerate() {
            let p = at(s);
            // SAFETY: the index is within the domain, whose elements the views vouch for.
            let v = unsafe {
                match s.dtype {
                    DType::F32 => p.cast::<f32>().read_unaligned(),
                    DType::F16 => p.cast::<half::f16>().read_unaligned().to_f32(),
                    DType::BF16 => p.cast::<half::bf16>().read_unaligned().to_f32(),
                }
            };
            match job.dtype {
                DType::F32 => scratch[k][..4].copy_from_slice(&v.to_ne_bytes()),
                DType::F16 => {
                    scratch[k][..2].copy_from_slice(&half::f16::from_f32(v).to_ne_bytes())
                }
                DType::BF16 => {
                    scratch[k][..2].copy_from_slice(&half::bf16::from_f32(v).to_ne_bytes())
                }
            }
            io.input[k] = scratch[k].as_ptr();
        }
        for k in 0..job.outputs().len() {
            io.output[k] = scratch[inputs + k].as_mut_ptr();
        }
        // SAFETY: every stream is one step of scratch; the level is available.
        unsafe { (job.kernel)(&io, 1, false) };
        for (k, s) in job.outputs().iter().enumerate() {
            // SAFETY: as for the inputs.
            unsafe {
                core::ptr::copy_nonoverlapping(io.output[k], at(s), s.dtype.size());
            }
        }
    }
    let _ = job.step;
}
