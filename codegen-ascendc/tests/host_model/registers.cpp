// Kernels in registers: a right one, and what each check of vector functions finds.
#include "bench.h"

namespace {

constexpr uint32_t kLanes = GetVecLen() / sizeof(float);

// 64 elements, computed by the body of a vector function.
template <typename F>
void Run(GM_ADDR a, GM_ADDR b, F body)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    LocalTensor<float> r = bench.out.AllocTensor<float>();
    body((__ubuf__ float*)t.GetPhyAddr(), (__ubuf__ float*)r.GetPhyAddr());
    bench.in.FreeTensor(t);
    bench.Store(r);
}

struct Casts {
    static constexpr MicroAPI::CastTrait up = {MicroAPI::RegLayout::ZERO, MicroAPI::SatMode::UNKNOWN,
                                               MicroAPI::MaskMergeMode::ZEROING, RoundMode::UNKNOWN};
    static constexpr MicroAPI::CastTrait down = {MicroAPI::RegLayout::ZERO, MicroAPI::SatMode::NO_SAT,
                                                 MicroAPI::MaskMergeMode::ZEROING, RoundMode::CAST_RINT};
    static constexpr MicroAPI::CastTrait sat = {MicroAPI::RegLayout::ZERO, MicroAPI::SatMode::SAT,
                                                MicroAPI::MaskMergeMode::ZEROING, RoundMode::CAST_RINT};
};

}  // namespace

// y = 2 x + 1 where x > 0, else e^x, of 100 halves, 64 at a time.
__global__ __aicore__ void good_halves(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    GlobalTensor<half> x = bench.x.ReinterpretCast<half>();
    GlobalTensor<half> y = bench.y.ReinterpretCast<half>();
    LocalTensor<half> t = bench.in.AllocTensor<half>();
    DataCopyPad(t, x, DataCopyExtParams{1, 200, 0, 0, 0}, DataCopyPadExtParams<half>{false, 0, 0, 0});
    bench.in.EnQue(t);
    t = bench.in.DeQue<half>();
    LocalTensor<half> r = bench.out.AllocTensor<half>();
    __ubuf__ half* from = (__ubuf__ half*)t.GetPhyAddr();
    __ubuf__ half* to = (__ubuf__ half*)r.GetPhyAddr();
    uint32_t count = 100;
    const uint16_t steps = static_cast<uint16_t>((count + kLanes - 1) / kLanes);
    __VEC_SCOPE__
    {
        MicroAPI::RegTensor<half> h;
        MicroAPI::RegTensor<float> v, w, two, one;
        MicroAPI::MaskReg mask, positive;
        MicroAPI::Duplicate(two, 2.0f);
        MicroAPI::Duplicate(one, 1.0f);
        for (uint16_t i = 0; i < steps; ++i) {
            mask = MicroAPI::UpdateMask<float>(count);
            MicroAPI::LoadAlign<half, MicroAPI::LoadDist::DIST_UNPACK_B16>(h, from + i * kLanes);
            MicroAPI::Cast<float, half, Casts::up>(v, h, mask);
            MicroAPI::Compares<float, CMPMODE::GT>(positive, v, 0.0f, mask);
            MicroAPI::Exp(w, v, mask);
            MicroAPI::MulDstAdd(v, two, one, mask);
            MicroAPI::Select(v, v, w, positive);
            MicroAPI::Cast<half, float, Casts::down>(h, v, mask);
            MicroAPI::StoreAlign<half, MicroAPI::StoreDist::DIST_PACK_B32>(to + i * kLanes, h, mask);
        }
    }
    bench.in.FreeTensor(t);
    bench.out.EnQue(r);
    r = bench.out.DeQue<half>();
    DataCopyPad(y, r, DataCopyExtParams{1, 200, 0, 0, 0});
    bench.out.FreeTensor(r);
}

// Neighbours change places: apart, and together the other way round.
__global__ __aicore__ void good_turns(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopy(t, bench.x, 128);
    bench.in.EnQue(t);
    t = bench.in.DeQue<float>();
    LocalTensor<float> r = bench.out.AllocTensor<float>();
    __ubuf__ float* from = (__ubuf__ float*)t.GetPhyAddr();
    __ubuf__ float* to = (__ubuf__ float*)r.GetPhyAddr();
    __VEC_SCOPE__
    {
        MicroAPI::RegTensor<float> even, odd;
        MicroAPI::MaskReg all = MicroAPI::CreateMask<float>();
        MicroAPI::LoadAlign<float, MicroAPI::LoadDist::DIST_DINTLV_B32>(even, odd, from);
        MicroAPI::StoreAlign<float, MicroAPI::StoreDist::DIST_INTLV_B32>(to, odd, even, all);
    }
    bench.in.FreeTensor(t);
    bench.out.EnQue(r);
    r = bench.out.DeQue<float>();
    DataCopy(bench.y, r, 128);
    bench.out.FreeTensor(r);
}

// x / 2^127: a product keeps what is subnormal, a quotient may not; a fused sum rounds once.
__global__ __aicore__ void good_rounding(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    LocalTensor<float> r = bench.out.AllocTensor<float>();
    __ubuf__ float* from = (__ubuf__ float*)t.GetPhyAddr();
    __ubuf__ float* to = (__ubuf__ float*)r.GetPhyAddr();
    __VEC_SCOPE__
    {
        MicroAPI::RegTensor<float> x, y, z;
        MicroAPI::MaskReg all = MicroAPI::CreateMask<float>();
        MicroAPI::DataCopy(x, from);
        MicroAPI::Duplicate(y, 0x1p127f);
        MicroAPI::Div(y, x, y, all);
        MicroAPI::DataCopy(to, y, all);
        MicroAPI::Muls(y, x, 0x1p-127f, all);
        MicroAPI::DataCopy(to + kLanes, y, all);
        // x x - round(x x), by both calls.
        MicroAPI::Mul(y, x, x, all);
        MicroAPI::Muls(y, y, -1.0f, all);
        MicroAPI::Muls(z, x, 1.0f, all);
        MicroAPI::FusedMulDstAdd(z, x, y, all);
        MicroAPI::DataCopy(to + 2 * kLanes, z, all);
        MicroAPI::MulAddDst(y, x, x, all);
        MicroAPI::DataCopy(to + 3 * kLanes, y, all);
    }
    bench.in.FreeTensor(t);
    bench.out.EnQue(r);
    r = bench.out.DeQue<float>();
    DataCopy(bench.y, r, 256);
    bench.out.FreeTensor(r);
}

// e^x by both forms.
__global__ __aicore__ void good_noise(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    LocalTensor<float> r = bench.out.AllocTensor<float>();
    Exp(r, t, 64);
    __ubuf__ float* from = (__ubuf__ float*)t.GetPhyAddr();
    __ubuf__ float* to = (__ubuf__ float*)r.GetPhyAddr();
    __VEC_SCOPE__
    {
        MicroAPI::RegTensor<float> v;
        MicroAPI::MaskReg all = MicroAPI::CreateMask<float>();
        MicroAPI::DataCopy(v, from);
        MicroAPI::Exp(v, v, all);
        MicroAPI::DataCopy(to + kLanes, v, all);
    }
    bench.in.FreeTensor(t);
    bench.out.EnQue(r);
    r = bench.out.DeQue<float>();
    DataCopy(bench.y, r, 128);
    bench.out.FreeTensor(r);
}

__global__ __aicore__ void reg_alignment(GM_ADDR a, GM_ADDR b)
{
    Run(a, b, [](__ubuf__ float* from, __ubuf__ float*) {
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> v;
            MicroAPI::DataCopy(v, from + 4);  // finds: reg_alignment
        }
    });
}

__global__ __aicore__ void reg_outside(GM_ADDR a, GM_ADDR b)
{
    Run(a, b, [](__ubuf__ float* from, __ubuf__ float*) {
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> v;
            MicroAPI::DataCopy(v, from + 65536);  // finds: reg_outside
        }
    });
}

// 65,537 steps, of which 16 bits are one.
__global__ __aicore__ void reg_loop_cut(GM_ADDR a, GM_ADDR b)
{
    Run(a, b, [](__ubuf__ float*, __ubuf__ float*) {
        uint32_t count = 65537 * kLanes;
        const uint16_t steps = static_cast<uint16_t>((count + kLanes - 1) / kLanes);
        __VEC_SCOPE__  // finds: reg_loop_cut
        {
            MicroAPI::MaskReg mask;
            for (uint16_t i = 0; i < steps; ++i) {
                mask = MicroAPI::UpdateMask<float>(count);
            }
        }
    });
}

// A counter of 16 bits never reaches this bound.
__global__ __aicore__ void reg_loop_endless(GM_ADDR a, GM_ADDR b)
{
    Run(a, b, [](__ubuf__ float*, __ubuf__ float*) {
        uint32_t count = 65536 * kLanes;
        const uint32_t steps = count / kLanes;
        __VEC_SCOPE__
        {
            MicroAPI::MaskReg mask;
            for (uint16_t i = 0; i < steps; ++i) {
                mask = MicroAPI::UpdateMask<float>(count);  // finds: reg_loop_endless
            }
        }
    });
}

__global__ __aicore__ void reg_count_data(GM_ADDR a, GM_ADDR b)
{
    Run(a, b, [](__ubuf__ float*, __ubuf__ float*) {
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> most[32];
            MicroAPI::RegTensor<half> more;  // finds: reg_count_data
            (void)most;
        }
    });
}

__global__ __aicore__ void reg_count_masks(GM_ADDR a, GM_ADDR b)
{
    Run(a, b, [](__ubuf__ float*, __ubuf__ float*) {
        __VEC_SCOPE__
        {
            MicroAPI::MaskReg most[8];
            MicroAPI::MaskReg more;  // finds: reg_count_masks
            (void)most;
        }
    });
}

// The first 60 are on, all are stored.
__global__ __aicore__ void reg_off_the_mask(GM_ADDR a, GM_ADDR b)
{
    Run(a, b, [](__ubuf__ float* from, __ubuf__ float* to) {
        uint32_t count = 60;
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> v;
            MicroAPI::MaskReg mask = MicroAPI::UpdateMask<float>(count);
            MicroAPI::MaskReg all = MicroAPI::CreateMask<float>();
            MicroAPI::DataCopy(v, from);
            MicroAPI::Adds(v, v, 1.0f, mask);
            MicroAPI::DataCopy(to, v, all);  // finds: reg_off_the_mask
        }
    });
}

// What lies behind the data has no value.
__global__ __aicore__ void reg_behind_the_data(GM_ADDR a, GM_ADDR b)
{
    Run(a, b, [](__ubuf__ float* from, __ubuf__ float*) {
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> v;
            MicroAPI::MaskReg all = MicroAPI::CreateMask<float>();
            MicroAPI::DataCopy(v, from + 32);
            MicroAPI::Exp(v, v, all);  // finds: reg_behind_the_data
        }
    });
}

// Unpacked halves lie in every other lane.
__global__ __aicore__ void reg_between_halves(GM_ADDR a, GM_ADDR b)
{
    Run(a, b, [](__ubuf__ float* from, __ubuf__ float*) {
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<half> v;
            MicroAPI::MaskReg all = MicroAPI::CreateMask<half>();
            MicroAPI::DataCopy<half, MicroAPI::LoadDist::DIST_UNPACK_B16>(v, (__ubuf__ half*)from);
            MicroAPI::Mul(v, v, v, all);  // finds: reg_between_halves
        }
    });
}

__global__ __aicore__ void reg_mask_unset(GM_ADDR a, GM_ADDR b)
{
    Run(a, b, [](__ubuf__ float* from, __ubuf__ float*) {
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> v;
            MicroAPI::MaskReg mask;
            MicroAPI::DataCopy(v, from);
            MicroAPI::Abs(v, v, mask);  // finds: reg_mask_unset
        }
    });
}

// Loads may come before stores that stand above them.
__global__ __aicore__ void reg_order(GM_ADDR a, GM_ADDR b)
{
    Run(a, b, [](__ubuf__ float* from, __ubuf__ float* to) {
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> v;
            MicroAPI::MaskReg all = MicroAPI::CreateMask<float>();
            MicroAPI::DataCopy(v, from);
            MicroAPI::DataCopy(to, v, all);
            MicroAPI::LocalMemBar<MicroAPI::MemType::VEC_STORE, MicroAPI::MemType::VEC_LOAD>();
            MicroAPI::DataCopy(v, to);
            MicroAPI::DataCopy(to, v, all);
            MicroAPI::DataCopy(v, to);  // finds: reg_order
        }
    });
}

__global__ __aicore__ void reg_scope(GM_ADDR a, GM_ADDR b)
{
    Run(a, b, [](__ubuf__ float*, __ubuf__ float*) {
        MicroAPI::RegTensor<float> v;  // finds: reg_scope
        (void)v;
    });
}

__global__ __aicore__ void reg_nested(GM_ADDR a, GM_ADDR b)
{
    Run(a, b, [](__ubuf__ float*, __ubuf__ float*) {
        __VEC_SCOPE__
        {
            __VEC_SCOPE__  // finds: reg_nested
            {
            }
        }
    });
}

// Infinity would become the largest number.
__global__ __aicore__ void reg_saturates(GM_ADDR a, GM_ADDR b)
{
    Run(a, b, [](__ubuf__ float* from, __ubuf__ float*) {
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> v;
            MicroAPI::RegTensor<half> h;
            MicroAPI::MaskReg all = MicroAPI::CreateMask<float>();
            MicroAPI::DataCopy(v, from);
            MicroAPI::Cast<half, float, Casts::sat>(h, v, all);  // finds: reg_saturates
        }
    });
}

// A scalar unit's copy of the data would wait for the vector function; so must a copy to GM.
__global__ __aicore__ void reg_missing_wait(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopy(t, bench.x, 64);
    __ubuf__ float* from = (__ubuf__ float*)t.GetPhyAddr();
    __VEC_SCOPE__
    {
        MicroAPI::RegTensor<float> v;
        MicroAPI::DataCopy(v, from);  // finds: reg_missing_wait
    }
}

HOST_MODEL_MAIN(CASE(good_halves), CASE(good_turns), CASE(good_rounding), CASE(good_noise),
                CASE(reg_alignment), CASE(reg_outside), CASE(reg_loop_cut), CASE(reg_loop_endless), CASE(reg_count_data), CASE(reg_count_masks),
                CASE(reg_off_the_mask), CASE(reg_behind_the_data), CASE(reg_between_halves), CASE(reg_mask_unset),
                CASE(reg_order), CASE(reg_scope), CASE(reg_nested), CASE(reg_saturates), CASE(reg_missing_wait))
