// ClippedSwigluGrad: the formula on one tile.
// The gradient of `ClippedSwiglu`.
// Generated from ops_glu_grad::families::gated::gated::clipped_swiglu; do not edit.

// The gradient of `ClippedSwiglu`.
//
// `a * sigmoid(alpha * a) * (b + bias)`, where `a` is even elements (or the first half) cut off
// at `limit`, and `b` odd ones (or the other half) cut off at `-limit` and `limit`. Derivatives
// at the limits are those within. Of a mixture of experts, `group_index` has the rows of each.
//
// Source: clipped_swiglu and clipped_swiglu_grad of CANN (ops-nn/activation).
//
// swish(below(x.gate, limit), alpha) * (-below(-below(x.value, limit), limit) + bias)
//
// fn swish(x: Elem, alpha: f32) -> Elem {
//     x * sigmoid(alpha * x)
// }
//
// fn below(x: Elem, limit: f32) -> Elem {
//     if x > limit { limit } else { x }
// }

#ifndef CLIPPED_SWIGLU_GRAD_COMPUTE_H
#define CLIPPED_SWIGLU_GRAD_COMPUTE_H

#include "kernel_operator.h"
#include "clipped_swiglu_grad_tiling_data.h"
#include "clipped_swiglu_grad_tiling_key.h"

namespace ClippedSwigluGradKernel {

using namespace AscendC;

// Elements that one repeat of a vector instruction covers.
constexpr uint32_t REPEAT_BYTES = 256;
constexpr uint32_t FLOATS = REPEAT_BYTES / sizeof(float);

{{fragment: kernel/registers/casts.h}}

{{fragment: kernel/registers/upper_casts.h}}

// The formula on one tile, by element type and form.
template <uint32_t dtype, uint32_t form>
class Compute;

// sigmoid by shared; 28 vector calls, 5 casts, 3 loads and 2 stores for 64 elements.
template <>
class Compute<CLIPPED_SWIGLU_GRAD_HALF, CLIPPED_SWIGLU_GRAD_FORM> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t GRAD_Y = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t INPUTS = 3;
    // Whether it is also there for gate and value that take turns.
    static constexpr bool PAIRS = true;

    __aicore__ inline void Init(TPipe&, uint32_t, const ClippedSwigluGradTilingData& tiling)
    {
        u1_ = tiling.limit;
        u7_ = tiling.alpha;
        u19_ = tiling.bias;
    }

    __aicore__ inline void Run(const LocalTensor<half>& gradY,
                               const LocalTensor<half>& xGate,
                               const LocalTensor<half>& xValue,
                               const LocalTensor<half>& gradXGate,
                               const LocalTensor<half>& gradXValue,
                               uint32_t count)
    {
        __ubuf__ half* gradYAt = (__ubuf__ half*)gradY.GetPhyAddr();
        __ubuf__ half* xGateAt = (__ubuf__ half*)xGate.GetPhyAddr();
        __ubuf__ half* xValueAt = (__ubuf__ half*)xValue.GetPhyAddr();
        __ubuf__ half* gradXGateAt = (__ubuf__ half*)gradXGate.GetPhyAddr();
        __ubuf__ half* gradXValueAt = (__ubuf__ half*)gradXValue.GetPhyAddr();
        const float u1 = u1_;
        const float u7 = u7_;
        const float u19 = u19_;
        const uint16_t steps = static_cast<uint16_t>((count + FLOATS - 1) / FLOATS);
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> t0, t1, t2, t3, t4, t5, c0, ones, c2, c3, c4;
            MicroAPI::RegTensor<half> h0, h1;
            MicroAPI::MaskReg lanes, m0, m1;
            MicroAPI::Duplicate(c0, u1);
            MicroAPI::Duplicate(ones, 1.0f);
            MicroAPI::Duplicate(c2, 0.0f);
            MicroAPI::Duplicate(c3, u19);
            MicroAPI::Duplicate(c4, -1.0f);
            for (uint16_t i = 0; i < steps; ++i) {
                lanes = MicroAPI::UpdateMask<float>(count);
                MicroAPI::LoadAlign<half, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, gradYAt + i * FLOATS);
                MicroAPI::Cast<float, half, WIDEN>(t0, h0, lanes);
                MicroAPI::LoadAlign<half, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, xGateAt + i * FLOATS);
                MicroAPI::LoadAlign<half, MicroAPI::LoadDist::DIST_UNPACK_B16>(h1, xValueAt + i * FLOATS);
                MicroAPI::Cast<float, half, WIDEN>(t1, h0, lanes);
                MicroAPI::Cast<float, half, WIDEN>(t2, h1, lanes);
                MicroAPI::Maxs(t1, t1, -3.4028235e38f, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m0, t1, u1, lanes);
                MicroAPI::Select(t1, c0, t1, m0);
                MicroAPI::Muls(t3, t1, u7, lanes);
                MicroAPI::Exp(t3, t3, lanes);  // e^x
                MicroAPI::Adds(t4, t3, 1.0f, lanes);
                MicroAPI::Div(t4, ones, t4, lanes);  // 1 - s
                MicroAPI::Mins(t3, t3, 1099511600000.0f, lanes);
                MicroAPI::Adds(t5, t3, 1.0f, lanes);
                MicroAPI::Div(t3, t3, t5, lanes);  // s = sigmoid(x)
                MicroAPI::Muls(t5, t3, u7, lanes);
                MicroAPI::Mul(t4, t4, t5, lanes);
                MicroAPI::MulDstAdd(t4, t1, t3, lanes);
                MicroAPI::Select(t4, c2, t4, m0);
                MicroAPI::Mul(t4, t0, t4, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m0, t2, u1, lanes);
                MicroAPI::Select(t2, c0, t2, m0);
                MicroAPI::Muls(t2, t2, -1.0f, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m1, t2, u1, lanes);
                MicroAPI::Select(t2, c0, t2, m1);
                MicroAPI::Sub(t2, c3, t2, lanes);
                MicroAPI::Mul(t2, t4, t2, lanes);
                MicroAPI::Cast<half, float, NARROW>(h0, t2, lanes);
                MicroAPI::Select(t2, c2, c4, m0);
                MicroAPI::Select(t2, c2, t2, m1);
                MicroAPI::Mul(t2, t2, t3, lanes);
                MicroAPI::Mul(t0, t2, t0, lanes);
                MicroAPI::Mul(t0, t0, t1, lanes);
                MicroAPI::Muls(t0, t0, -1.0f, lanes);
                MicroAPI::Cast<half, float, NARROW>(h1, t0, lanes);
                MicroAPI::StoreAlign<half, MicroAPI::StoreDist::DIST_PACK_B32>(gradXGateAt + i * FLOATS, h0, lanes);
                MicroAPI::StoreAlign<half, MicroAPI::StoreDist::DIST_PACK_B32>(gradXValueAt + i * FLOATS, h1, lanes);
            }
        }
    }

    // The same where gate and value take turns.
    __aicore__ inline void RunPairs(const LocalTensor<half>& gradY,
                                    const LocalTensor<half>& x,
                                    const LocalTensor<half>& gradX,
                                    uint32_t count)
    {
        __ubuf__ half* gradYAt = (__ubuf__ half*)gradY.GetPhyAddr();
        __ubuf__ half* xAt = (__ubuf__ half*)x.GetPhyAddr();
        __ubuf__ half* gradXAt = (__ubuf__ half*)gradX.GetPhyAddr();
        const float u1 = u1_;
        const float u7 = u7_;
        const float u19 = u19_;
        const uint16_t steps = static_cast<uint16_t>((count + FLOATS - 1) / FLOATS);
        uint32_t both = 2 * count;
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> t0, t1, t2, t3, t4, t5, c0, ones, c2, c3, c4;
            MicroAPI::RegTensor<half> h0, h1;
            MicroAPI::MaskReg lanes, halves, m0, m1;
            MicroAPI::Duplicate(c0, u1);
            MicroAPI::Duplicate(ones, 1.0f);
            MicroAPI::Duplicate(c2, 0.0f);
            MicroAPI::Duplicate(c3, u19);
            MicroAPI::Duplicate(c4, -1.0f);
            for (uint16_t i = 0; i < steps; ++i) {
                lanes = MicroAPI::UpdateMask<float>(count);
                halves = MicroAPI::UpdateMask<half>(both);
                MicroAPI::LoadAlign<half, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, gradYAt + i * FLOATS);
                MicroAPI::Cast<float, half, WIDEN>(t0, h0, lanes);
                MicroAPI::LoadAlign(h0, xAt + 2 * i * FLOATS);
                MicroAPI::Cast<float, half, WIDEN>(t1, h0, lanes);
                MicroAPI::Cast<float, half, WIDEN_UPPER>(t2, h0, halves);
                MicroAPI::Maxs(t1, t1, -3.4028235e38f, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m0, t1, u1, lanes);
                MicroAPI::Select(t1, c0, t1, m0);
                MicroAPI::Muls(t3, t1, u7, lanes);
                MicroAPI::Exp(t3, t3, lanes);  // e^x
                MicroAPI::Adds(t4, t3, 1.0f, lanes);
                MicroAPI::Div(t4, ones, t4, lanes);  // 1 - s
                MicroAPI::Mins(t3, t3, 1099511600000.0f, lanes);
                MicroAPI::Adds(t5, t3, 1.0f, lanes);
                MicroAPI::Div(t3, t3, t5, lanes);  // s = sigmoid(x)
                MicroAPI::Muls(t5, t3, u7, lanes);
                MicroAPI::Mul(t4, t4, t5, lanes);
                MicroAPI::MulDstAdd(t4, t1, t3, lanes);
                MicroAPI::Select(t4, c2, t4, m0);
                MicroAPI::Mul(t4, t0, t4, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m0, t2, u1, lanes);
                MicroAPI::Select(t2, c0, t2, m0);
                MicroAPI::Muls(t2, t2, -1.0f, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m1, t2, u1, lanes);
                MicroAPI::Select(t2, c0, t2, m1);
                MicroAPI::Sub(t2, c3, t2, lanes);
                MicroAPI::Mul(t2, t4, t2, lanes);
                MicroAPI::Cast<half, float, NARROW>(h0, t2, lanes);
                MicroAPI::Select(t2, c2, c4, m0);
                MicroAPI::Select(t2, c2, t2, m1);
                MicroAPI::Mul(t2, t2, t3, lanes);
                MicroAPI::Mul(t0, t2, t0, lanes);
                MicroAPI::Mul(t0, t0, t1, lanes);
                MicroAPI::Muls(t0, t0, -1.0f, lanes);
                MicroAPI::Cast<half, float, NARROW_UPPER>(h1, t0, lanes);
                MicroAPI::Or((MicroAPI::RegTensor<uint16_t>&)h0, (MicroAPI::RegTensor<uint16_t>&)h0, (MicroAPI::RegTensor<uint16_t>&)h1, halves);
                MicroAPI::StoreAlign(gradXAt + 2 * i * FLOATS, h0, halves);
            }
        }
    }

private:
    float u1_;
    float u7_;
    float u19_;
};

// sigmoid by G; 31 vector calls, 5 casts, 3 loads and 2 stores for 64 elements.
template <>
class Compute<CLIPPED_SWIGLU_GRAD_BFLOAT16, CLIPPED_SWIGLU_GRAD_FORM> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t GRAD_Y = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t INPUTS = 3;
    // Whether it is also there for gate and value that take turns.
    static constexpr bool PAIRS = true;

    __aicore__ inline void Init(TPipe&, uint32_t, const ClippedSwigluGradTilingData& tiling)
    {
        u1_ = tiling.limit;
        u6_ = tiling.alpha;
        u8_ = ((tiling.alpha < 0.0f) ? (-1.0f / 0.0f) : -3.4028235e38f);
        u16_ = tiling.bias;
    }

    __aicore__ inline void Run(const LocalTensor<bfloat16_t>& gradY,
                               const LocalTensor<bfloat16_t>& xGate,
                               const LocalTensor<bfloat16_t>& xValue,
                               const LocalTensor<bfloat16_t>& gradXGate,
                               const LocalTensor<bfloat16_t>& gradXValue,
                               uint32_t count)
    {
        __ubuf__ bfloat16_t* gradYAt = (__ubuf__ bfloat16_t*)gradY.GetPhyAddr();
        __ubuf__ bfloat16_t* xGateAt = (__ubuf__ bfloat16_t*)xGate.GetPhyAddr();
        __ubuf__ bfloat16_t* xValueAt = (__ubuf__ bfloat16_t*)xValue.GetPhyAddr();
        __ubuf__ bfloat16_t* gradXGateAt = (__ubuf__ bfloat16_t*)gradXGate.GetPhyAddr();
        __ubuf__ bfloat16_t* gradXValueAt = (__ubuf__ bfloat16_t*)gradXValue.GetPhyAddr();
        const float u1 = u1_;
        const float u6 = u6_;
        const float u8 = u8_;
        const float u16 = u16_;
        const uint16_t steps = static_cast<uint16_t>((count + FLOATS - 1) / FLOATS);
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> t0, t1, t2, t3, t4, t5, t6, t7, c0, c1, c2, c3;
            MicroAPI::RegTensor<bfloat16_t> h0, h1;
            MicroAPI::MaskReg lanes, m0, m1;
            MicroAPI::Duplicate(c0, u1);
            MicroAPI::Duplicate(c1, 0.0f);
            MicroAPI::Duplicate(c2, u16);
            MicroAPI::Duplicate(c3, -1.0f);
            for (uint16_t i = 0; i < steps; ++i) {
                lanes = MicroAPI::UpdateMask<float>(count);
                MicroAPI::LoadAlign<bfloat16_t, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, gradYAt + i * FLOATS);
                MicroAPI::Cast<float, bfloat16_t, WIDEN>(t0, h0, lanes);
                MicroAPI::LoadAlign<bfloat16_t, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, xGateAt + i * FLOATS);
                MicroAPI::LoadAlign<bfloat16_t, MicroAPI::LoadDist::DIST_UNPACK_B16>(h1, xValueAt + i * FLOATS);
                MicroAPI::Cast<float, bfloat16_t, WIDEN>(t1, h0, lanes);
                MicroAPI::Cast<float, bfloat16_t, WIDEN>(t2, h1, lanes);
                MicroAPI::Maxs(t1, t1, u8, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m0, t1, u1, lanes);
                MicroAPI::Select(t1, c0, t1, m0);
                MicroAPI::Muls(t3, t1, u6, lanes);
                MicroAPI::Maxs(t4, t3, -110.0f, lanes);
                MicroAPI::Mins(t4, t4, 40.0f, lanes);
                MicroAPI::Exp(t5, t4, lanes);  // e
                MicroAPI::Adds(t6, t5, 1.0f, lanes);  // D(e)
                MicroAPI::Mul(t7, t6, t5, lanes);
                MicroAPI::MulAddDst(t7, t5, t4, lanes);
                MicroAPI::Mul(t4, t6, t6, lanes);
                MicroAPI::Div(t4, t7, t4, lanes);
                MicroAPI::Select(t4, c1, t4, m0);
                MicroAPI::Mul(t4, t0, t4, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m0, t2, u1, lanes);
                MicroAPI::Select(t2, c0, t2, m0);
                MicroAPI::Muls(t2, t2, -1.0f, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m1, t2, u1, lanes);
                MicroAPI::Select(t2, c0, t2, m1);
                MicroAPI::Sub(t2, c2, t2, lanes);
                MicroAPI::Mul(t2, t4, t2, lanes);
                MicroAPI::Cast<bfloat16_t, float, NARROW>(h0, t2, lanes);
                MicroAPI::Mins(t2, t3, 20.0f, lanes);
                MicroAPI::Exp(t2, t2, lanes);  // e^x
                MicroAPI::Adds(t3, t2, 1.0f, lanes);
                MicroAPI::Div(t2, t2, t3, lanes);  // s = sigmoid(x)
                MicroAPI::Select(t3, c1, c3, m0);
                MicroAPI::Select(t3, c1, t3, m1);
                MicroAPI::Mul(t2, t2, t3, lanes);
                MicroAPI::Mul(t0, t2, t0, lanes);
                MicroAPI::Mul(t0, t0, t1, lanes);
                MicroAPI::Muls(t0, t0, -1.0f, lanes);
                MicroAPI::Cast<bfloat16_t, float, NARROW>(h1, t0, lanes);
                MicroAPI::StoreAlign<bfloat16_t, MicroAPI::StoreDist::DIST_PACK_B32>(gradXGateAt + i * FLOATS, h0, lanes);
                MicroAPI::StoreAlign<bfloat16_t, MicroAPI::StoreDist::DIST_PACK_B32>(gradXValueAt + i * FLOATS, h1, lanes);
            }
        }
    }

    // The same where gate and value take turns.
    __aicore__ inline void RunPairs(const LocalTensor<bfloat16_t>& gradY,
                                    const LocalTensor<bfloat16_t>& x,
                                    const LocalTensor<bfloat16_t>& gradX,
                                    uint32_t count)
    {
        __ubuf__ bfloat16_t* gradYAt = (__ubuf__ bfloat16_t*)gradY.GetPhyAddr();
        __ubuf__ bfloat16_t* xAt = (__ubuf__ bfloat16_t*)x.GetPhyAddr();
        __ubuf__ bfloat16_t* gradXAt = (__ubuf__ bfloat16_t*)gradX.GetPhyAddr();
        const float u1 = u1_;
        const float u6 = u6_;
        const float u8 = u8_;
        const float u16 = u16_;
        const uint16_t steps = static_cast<uint16_t>((count + FLOATS - 1) / FLOATS);
        uint32_t both = 2 * count;
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> t0, t1, t2, t3, t4, t5, t6, t7, c0, c1, c2, c3;
            MicroAPI::RegTensor<bfloat16_t> h0, h1;
            MicroAPI::MaskReg lanes, halves, m0, m1;
            MicroAPI::Duplicate(c0, u1);
            MicroAPI::Duplicate(c1, 0.0f);
            MicroAPI::Duplicate(c2, u16);
            MicroAPI::Duplicate(c3, -1.0f);
            for (uint16_t i = 0; i < steps; ++i) {
                lanes = MicroAPI::UpdateMask<float>(count);
                halves = MicroAPI::UpdateMask<bfloat16_t>(both);
                MicroAPI::LoadAlign<bfloat16_t, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, gradYAt + i * FLOATS);
                MicroAPI::Cast<float, bfloat16_t, WIDEN>(t0, h0, lanes);
                MicroAPI::LoadAlign(h0, xAt + 2 * i * FLOATS);
                MicroAPI::Cast<float, bfloat16_t, WIDEN>(t1, h0, lanes);
                MicroAPI::Cast<float, bfloat16_t, WIDEN_UPPER>(t2, h0, halves);
                MicroAPI::Maxs(t1, t1, u8, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m0, t1, u1, lanes);
                MicroAPI::Select(t1, c0, t1, m0);
                MicroAPI::Muls(t3, t1, u6, lanes);
                MicroAPI::Maxs(t4, t3, -110.0f, lanes);
                MicroAPI::Mins(t4, t4, 40.0f, lanes);
                MicroAPI::Exp(t5, t4, lanes);  // e
                MicroAPI::Adds(t6, t5, 1.0f, lanes);  // D(e)
                MicroAPI::Mul(t7, t6, t5, lanes);
                MicroAPI::MulAddDst(t7, t5, t4, lanes);
                MicroAPI::Mul(t4, t6, t6, lanes);
                MicroAPI::Div(t4, t7, t4, lanes);
                MicroAPI::Select(t4, c1, t4, m0);
                MicroAPI::Mul(t4, t0, t4, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m0, t2, u1, lanes);
                MicroAPI::Select(t2, c0, t2, m0);
                MicroAPI::Muls(t2, t2, -1.0f, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m1, t2, u1, lanes);
                MicroAPI::Select(t2, c0, t2, m1);
                MicroAPI::Sub(t2, c2, t2, lanes);
                MicroAPI::Mul(t2, t4, t2, lanes);
                MicroAPI::Cast<bfloat16_t, float, NARROW>(h0, t2, lanes);
                MicroAPI::Mins(t2, t3, 20.0f, lanes);
                MicroAPI::Exp(t2, t2, lanes);  // e^x
                MicroAPI::Adds(t3, t2, 1.0f, lanes);
                MicroAPI::Div(t2, t2, t3, lanes);  // s = sigmoid(x)
                MicroAPI::Select(t3, c1, c3, m0);
                MicroAPI::Select(t3, c1, t3, m1);
                MicroAPI::Mul(t2, t2, t3, lanes);
                MicroAPI::Mul(t0, t2, t0, lanes);
                MicroAPI::Mul(t0, t0, t1, lanes);
                MicroAPI::Muls(t0, t0, -1.0f, lanes);
                MicroAPI::Cast<bfloat16_t, float, NARROW_UPPER>(h1, t0, lanes);
                MicroAPI::Or((MicroAPI::RegTensor<uint16_t>&)h0, (MicroAPI::RegTensor<uint16_t>&)h0, (MicroAPI::RegTensor<uint16_t>&)h1, halves);
                MicroAPI::StoreAlign(gradXAt + 2 * i * FLOATS, h0, halves);
            }
        }
    }

private:
    float u1_;
    float u6_;
    float u8_;
    float u16_;
};

// sigmoid by G; 31 vector calls, 3 loads and 2 stores for 64 elements.
template <>
class Compute<CLIPPED_SWIGLU_GRAD_FLOAT, CLIPPED_SWIGLU_GRAD_FORM> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t GRAD_Y = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t INPUTS = 3;
    // Whether it is also there for gate and value that take turns.
    static constexpr bool PAIRS = true;

    __aicore__ inline void Init(TPipe&, uint32_t, const ClippedSwigluGradTilingData& tiling)
    {
        u1_ = tiling.limit;
        u6_ = tiling.alpha;
        u8_ = ((tiling.alpha < 0.0f) ? (-1.0f / 0.0f) : -3.4028235e38f);
        u16_ = tiling.bias;
    }

    __aicore__ inline void Run(const LocalTensor<float>& gradY,
                               const LocalTensor<float>& xGate,
                               const LocalTensor<float>& xValue,
                               const LocalTensor<float>& gradXGate,
                               const LocalTensor<float>& gradXValue,
                               uint32_t count)
    {
        __ubuf__ float* gradYAt = (__ubuf__ float*)gradY.GetPhyAddr();
        __ubuf__ float* xGateAt = (__ubuf__ float*)xGate.GetPhyAddr();
        __ubuf__ float* xValueAt = (__ubuf__ float*)xValue.GetPhyAddr();
        __ubuf__ float* gradXGateAt = (__ubuf__ float*)gradXGate.GetPhyAddr();
        __ubuf__ float* gradXValueAt = (__ubuf__ float*)gradXValue.GetPhyAddr();
        const float u1 = u1_;
        const float u6 = u6_;
        const float u8 = u8_;
        const float u16 = u16_;
        const uint16_t steps = static_cast<uint16_t>((count + FLOATS - 1) / FLOATS);
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> t0, t1, t2, t3, t4, t5, t6, t7, c0, c1, c2, c3;
            MicroAPI::MaskReg lanes, m0, m1;
            MicroAPI::Duplicate(c0, u1);
            MicroAPI::Duplicate(c1, 0.0f);
            MicroAPI::Duplicate(c2, u16);
            MicroAPI::Duplicate(c3, -1.0f);
            for (uint16_t i = 0; i < steps; ++i) {
                lanes = MicroAPI::UpdateMask<float>(count);
                MicroAPI::LoadAlign(t0, gradYAt + i * FLOATS);
                MicroAPI::LoadAlign(t1, xGateAt + i * FLOATS);
                MicroAPI::LoadAlign(t2, xValueAt + i * FLOATS);
                MicroAPI::Maxs(t1, t1, u8, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m0, t1, u1, lanes);
                MicroAPI::Select(t1, c0, t1, m0);
                MicroAPI::Muls(t3, t1, u6, lanes);
                MicroAPI::Maxs(t4, t3, -110.0f, lanes);
                MicroAPI::Mins(t4, t4, 40.0f, lanes);
                MicroAPI::Exp(t5, t4, lanes);  // e
                MicroAPI::Adds(t6, t5, 1.0f, lanes);  // D(e)
                MicroAPI::Mul(t7, t6, t5, lanes);
                MicroAPI::MulAddDst(t7, t5, t4, lanes);
                MicroAPI::Mul(t4, t6, t6, lanes);
                MicroAPI::Div(t4, t7, t4, lanes);
                MicroAPI::Select(t4, c1, t4, m0);
                MicroAPI::Mul(t4, t0, t4, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m0, t2, u1, lanes);
                MicroAPI::Select(t2, c0, t2, m0);
                MicroAPI::Muls(t2, t2, -1.0f, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m1, t2, u1, lanes);
                MicroAPI::Select(t2, c0, t2, m1);
                MicroAPI::Sub(t2, c2, t2, lanes);
                MicroAPI::Mul(t2, t4, t2, lanes);
                MicroAPI::Mins(t3, t3, 20.0f, lanes);
                MicroAPI::Exp(t3, t3, lanes);  // e^x
                MicroAPI::Adds(t4, t3, 1.0f, lanes);
                MicroAPI::Div(t3, t3, t4, lanes);  // s = sigmoid(x)
                MicroAPI::Select(t4, c1, c3, m0);
                MicroAPI::Select(t4, c1, t4, m1);
                MicroAPI::Mul(t3, t3, t4, lanes);
                MicroAPI::Mul(t0, t3, t0, lanes);
                MicroAPI::Mul(t0, t0, t1, lanes);
                MicroAPI::Muls(t0, t0, -1.0f, lanes);
                MicroAPI::StoreAlign(gradXGateAt + i * FLOATS, t2, lanes);
                MicroAPI::StoreAlign(gradXValueAt + i * FLOATS, t0, lanes);
            }
        }
    }

    // The same where gate and value take turns.
    __aicore__ inline void RunPairs(const LocalTensor<float>& gradY,
                                    const LocalTensor<float>& x,
                                    const LocalTensor<float>& gradX,
                                    uint32_t count)
    {
        __ubuf__ float* gradYAt = (__ubuf__ float*)gradY.GetPhyAddr();
        __ubuf__ float* xAt = (__ubuf__ float*)x.GetPhyAddr();
        __ubuf__ float* gradXAt = (__ubuf__ float*)gradX.GetPhyAddr();
        const float u1 = u1_;
        const float u6 = u6_;
        const float u8 = u8_;
        const float u16 = u16_;
        const uint16_t steps = static_cast<uint16_t>((count + FLOATS - 1) / FLOATS);
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> t0, t1, t2, t3, t4, t5, t6, t7, c0, c1, c2, c3;
            MicroAPI::MaskReg lanes, m0, m1;
            MicroAPI::Duplicate(c0, u1);
            MicroAPI::Duplicate(c1, 0.0f);
            MicroAPI::Duplicate(c2, u16);
            MicroAPI::Duplicate(c3, -1.0f);
            for (uint16_t i = 0; i < steps; ++i) {
                lanes = MicroAPI::UpdateMask<float>(count);
                MicroAPI::LoadAlign(t0, gradYAt + i * FLOATS);
                MicroAPI::LoadAlign<float, MicroAPI::LoadDist::DIST_DINTLV_B32>(t1, t2, xAt + 2 * i * FLOATS);
                MicroAPI::Maxs(t1, t1, u8, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m0, t1, u1, lanes);
                MicroAPI::Select(t1, c0, t1, m0);
                MicroAPI::Muls(t3, t1, u6, lanes);
                MicroAPI::Maxs(t4, t3, -110.0f, lanes);
                MicroAPI::Mins(t4, t4, 40.0f, lanes);
                MicroAPI::Exp(t5, t4, lanes);  // e
                MicroAPI::Adds(t6, t5, 1.0f, lanes);  // D(e)
                MicroAPI::Mul(t7, t6, t5, lanes);
                MicroAPI::MulAddDst(t7, t5, t4, lanes);
                MicroAPI::Mul(t4, t6, t6, lanes);
                MicroAPI::Div(t4, t7, t4, lanes);
                MicroAPI::Select(t4, c1, t4, m0);
                MicroAPI::Mul(t4, t0, t4, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m0, t2, u1, lanes);
                MicroAPI::Select(t2, c0, t2, m0);
                MicroAPI::Muls(t2, t2, -1.0f, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m1, t2, u1, lanes);
                MicroAPI::Select(t2, c0, t2, m1);
                MicroAPI::Sub(t2, c2, t2, lanes);
                MicroAPI::Mul(t2, t4, t2, lanes);
                MicroAPI::Mins(t3, t3, 20.0f, lanes);
                MicroAPI::Exp(t3, t3, lanes);  // e^x
                MicroAPI::Adds(t4, t3, 1.0f, lanes);
                MicroAPI::Div(t3, t3, t4, lanes);  // s = sigmoid(x)
                MicroAPI::Select(t4, c1, c3, m0);
                MicroAPI::Select(t4, c1, t4, m1);
                MicroAPI::Mul(t3, t3, t4, lanes);
                MicroAPI::Mul(t0, t3, t0, lanes);
                MicroAPI::Mul(t0, t0, t1, lanes);
                MicroAPI::Muls(t0, t0, -1.0f, lanes);
                MicroAPI::StoreAlign<float, MicroAPI::StoreDist::DIST_INTLV_B32>(gradXAt + 2 * i * FLOATS, t2, t0, lanes);
            }
        }
    }

private:
    float u1_;
    float u6_;
    float u8_;
    float u16_;
};

}  // namespace ClippedSwigluGradKernel

#endif  // CLIPPED_SWIGLU_GRAD_COMPUTE_H
