// GeGluGradV2: the formula on one tile.
// The gradient of `GeGluV2`.
// Generated from ops_glu_grad::families::glu::glu::ge_glu; do not edit.

// The gradient of `GeGluV2`.
//
// GeGLU: `y = B * gelu(A)`, where `A` is the half of `x` along `dim` that `activate_left`
// picks, and `B` the other. `gelu(A)` is kept for the gradient, which is
// `dA = dy * B * gelu'(A)`, `dB = dy * gelu(A)`.
//
// Source: aclnnGeGluV3 and aclnnGeGluV3Backward of CANN (ops-nn/activation).
//
// #[saved]
// let gelu = gelu_by(x.gate, approximate);
// x.value * gelu
//
// fn gelu_by(x: Elem, approximate: Approximate) -> Elem {
//     match approximate {
//         Approximate::None => 0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2)),
//         Approximate::Tanh => {
//             let u = FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * (x + 0.044715 * x.powi(3));
//             0.5 * x * (1.0 + tanh(u))
//         }
//     }
// }

#ifndef GE_GLU_GRAD_V2_COMPUTE_H
#define GE_GLU_GRAD_V2_COMPUTE_H

#include "kernel_operator.h"
#include "ge_glu_grad_v2_tiling_data.h"
#include "ge_glu_grad_v2_tiling_key.h"

namespace GeGluGradV2Kernel {

using namespace AscendC;

// Elements that one repeat of a vector instruction covers.
constexpr uint32_t REPEAT_BYTES = 256;
constexpr uint32_t FLOATS = REPEAT_BYTES / sizeof(float);

// Dependent vector calls: the second may start before the first has ended. The compiler sees to it where
// --cce-auto-sync is on; a build where it surely is defines COMPILER_ORDERS_VECTOR_CALLS.
// Hardware does on 3510.
__aicore__ inline void VectorBarrier()
{
#if !defined(COMPILER_ORDERS_VECTOR_CALLS) && __NPU_ARCH__ != 3510
    PipeBarrier<PIPE_V>();
#endif
}

#if __NPU_ARCH__ == 2201
// Sub where `a` is one repeat of equal numbers, read again and again by stride 0.
__aicore__ inline void SubSplatFirst(const LocalTensor<float>& dst, const LocalTensor<float>& a,
                                     const LocalTensor<float>& b, uint32_t count)
{
    constexpr uint32_t MOST = 255;  // repeats of one call
    const BinaryRepeatParams strides(1, 1, 1, 8, 0, 8);
    uint32_t at = 0;
    while (count - at >= FLOATS) {
        const uint32_t left = (count - at) / FLOATS;
        const uint32_t repeats = left < MOST ? left : MOST;
        Sub(dst[at], a, b[at], static_cast<uint64_t>(FLOATS), static_cast<uint8_t>(repeats), strides);
        at += repeats * FLOATS;
    }
    if (at < count) {
        Sub(dst[at], a, b[at], static_cast<uint64_t>(count - at), 1, strides);
    }
}
#endif

#if __NPU_ARCH__ == 2201
{{fragment: kernel/complete.h}}
#endif

#if __NPU_ARCH__ == 3510
{{fragment: kernel/registers/casts.h}}
#endif

// The formula on one tile, by element type and form.
template <uint32_t dtype, uint32_t form>
class Compute;

#if __NPU_ARCH__ == 2201
// gelu_grad by T2; 22 vector calls a tile.
template <>
class Compute<GE_GLU_GRAD_V2_HALF, GE_GLU_GRAD_V2_FORM_NONE> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t GELU = 3;
    static constexpr uint32_t INPUTS = 4;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const GeGluGradV2TilingData&)
    {
        pipe.InitBuffer(t0Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t1Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t2Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t3Buf_, capacity * sizeof(float));
        pipe.InitBuffer(m0Buf_, capacity / 8);
        pipe.InitBuffer(onesBuf_, REPEAT_BYTES);
        Duplicate(onesBuf_.Get<float>(), 1.0f, FLOATS);
        VectorBarrier();
    }

    __aicore__ inline void Run(const LocalTensor<half>& dy,
                               const LocalTensor<half>& xGate,
                               const LocalTensor<half>& xValue,
                               const LocalTensor<half>& gelu,
                               const LocalTensor<half>& dxGate,
                               const LocalTensor<half>& dxValue,
                               uint32_t count)
    {
        const LocalTensor<float> t0 = t0Buf_.Get<float>();
        const LocalTensor<float> t1 = t1Buf_.Get<float>();
        const LocalTensor<float> t2 = t2Buf_.Get<float>();
        const LocalTensor<float> t3 = t3Buf_.Get<float>();
        const LocalTensor<uint8_t> m0 = m0Buf_.Get<uint8_t>();
        const LocalTensor<float> ones = onesBuf_.Get<float>();
        Complete(dy, count);
        Complete(xGate, count);
        Complete(xValue, count);
        Complete(gelu, count);
        count = WholeRepeats<half>(count);
        VectorBarrier();
        Abs(dxGate, xGate, count);
        VectorBarrier();
        Mins(dxGate, dxGate, static_cast<half>(9.0f), count);  // a = |x|
        VectorBarrier();
        Cast(t0, dxGate, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Mul(t1, t0, t0, count);  // a^2
        VectorBarrier();
        Muls(t2, t1, 3.511918f, count);
        VectorBarrier();
        Axpy(t2, t0, 15.173081f, count);
        VectorBarrier();
        Adds(t2, t2, -13.391897f, count);  // N(a)
        Muls(t3, t1, -0.50811785f, count);
        VectorBarrier();
        Axpy(t1, t0, -12.437409f, count);
        VectorBarrier();
        Adds(t1, t1, -26.782032f, count);  // D(a)
        Exp(t3, t3, count);  // e^(-s a^2)
        VectorBarrier();
        Mul(t2, t2, t3, count);
        VectorBarrier();
        Div(t1, t2, t1, count);  // G(a)
        VectorBarrier();
        SubSplatFirst(t0, ones, t1, count);  // the other side
        Compares(m0, xGate, static_cast<half>(0.0f), CMPMODE::GT, count);
        VectorBarrier();
        Select(t0, m0, t0, t1, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);  // f(x)
        VectorBarrier();
        Cast(t1, dy, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Mul(t0, t0, t1, count);
        VectorBarrier();
        Cast(t1, xValue, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Mul(t0, t0, t1, count);
        VectorBarrier();
        Cast(dxGate, t0, RoundMode::CAST_RINT, count);
        Mul(dxValue, dy, gelu, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
    TBuf<TPosition::VECCALC> t2Buf_;
    TBuf<TPosition::VECCALC> t3Buf_;
    TBuf<TPosition::VECCALC> m0Buf_;
    TBuf<TPosition::VECCALC> onesBuf_;
};
#elif __NPU_ARCH__ == 3510
// gelu_grad by T2; 18 vector calls, 4 casts, 4 loads and 2 stores for 64 elements.
template <>
class Compute<GE_GLU_GRAD_V2_HALF, GE_GLU_GRAD_V2_FORM_NONE> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t GELU = 3;
    static constexpr uint32_t INPUTS = 4;

    __aicore__ inline void Init(TPipe&, uint32_t, const GeGluGradV2TilingData&)
    {
    }

    __aicore__ inline void Run(const LocalTensor<half>& dy,
                               const LocalTensor<half>& xGate,
                               const LocalTensor<half>& xValue,
                               const LocalTensor<half>& gelu,
                               const LocalTensor<half>& dxGate,
                               const LocalTensor<half>& dxValue,
                               uint32_t count)
    {
        __ubuf__ half* dyAt = (__ubuf__ half*)dy.GetPhyAddr();
        __ubuf__ half* xGateAt = (__ubuf__ half*)xGate.GetPhyAddr();
        __ubuf__ half* xValueAt = (__ubuf__ half*)xValue.GetPhyAddr();
        __ubuf__ half* geluAt = (__ubuf__ half*)gelu.GetPhyAddr();
        __ubuf__ half* dxGateAt = (__ubuf__ half*)dxGate.GetPhyAddr();
        __ubuf__ half* dxValueAt = (__ubuf__ half*)dxValue.GetPhyAddr();
        const uint16_t steps = static_cast<uint16_t>((count + FLOATS - 1) / FLOATS);
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> t0, t1, t2, t3, ones;
            MicroAPI::RegTensor<half> h0, h1;
            MicroAPI::MaskReg lanes, m0;
            MicroAPI::Duplicate(ones, 1.0f);
            for (uint16_t i = 0; i < steps; ++i) {
                lanes = MicroAPI::UpdateMask<float>(count);
                MicroAPI::LoadAlign<half, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, xGateAt + i * FLOATS);
                MicroAPI::Compares<half, CMPMODE::GT>(m0, h0, static_cast<half>(0.0f), lanes);
                MicroAPI::Abs(h0, h0, lanes);
                MicroAPI::Mins(h0, h0, static_cast<half>(9.0f), lanes);  // a = |x|
                MicroAPI::Cast<float, half, WIDEN>(t0, h0, lanes);
                MicroAPI::Mul(t1, t0, t0, lanes);  // a^2
                MicroAPI::Muls(t2, t1, 3.511918f, lanes);
                MicroAPI::Axpy(t2, t0, 15.173081f, lanes);
                MicroAPI::Adds(t2, t2, -13.391897f, lanes);  // N(a)
                MicroAPI::Muls(t3, t1, -0.50811785f, lanes);
                MicroAPI::Exp(t3, t3, lanes);  // e^(-s a^2)
                MicroAPI::Mul(t2, t2, t3, lanes);
                MicroAPI::Axpy(t1, t0, -12.437409f, lanes);
                MicroAPI::Adds(t0, t1, -26.782032f, lanes);  // D(a)
                MicroAPI::Div(t0, t2, t0, lanes);  // G(a)
                MicroAPI::Sub(t1, ones, t0, lanes);  // the other side
                MicroAPI::Select(t0, t1, t0, m0);  // f(x)
                MicroAPI::LoadAlign<half, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, dyAt + i * FLOATS);
                MicroAPI::Cast<float, half, WIDEN>(t1, h0, lanes);
                MicroAPI::Mul(t0, t0, t1, lanes);
                MicroAPI::LoadAlign<half, MicroAPI::LoadDist::DIST_UNPACK_B16>(h1, xValueAt + i * FLOATS);
                MicroAPI::Cast<float, half, WIDEN>(t1, h1, lanes);
                MicroAPI::Mul(t0, t0, t1, lanes);
                MicroAPI::Cast<half, float, NARROW>(h1, t0, lanes);
                MicroAPI::StoreAlign<half, MicroAPI::StoreDist::DIST_PACK_B32>(dxGateAt + i * FLOATS, h1, lanes);
                MicroAPI::LoadAlign<half, MicroAPI::LoadDist::DIST_UNPACK_B16>(h1, geluAt + i * FLOATS);
                MicroAPI::Mul(h0, h0, h1, lanes);
                MicroAPI::StoreAlign<half, MicroAPI::StoreDist::DIST_PACK_B32>(dxValueAt + i * FLOATS, h0, lanes);
            }
        }
    }
};
#endif

#if __NPU_ARCH__ == 2201
// gelu_grad by T2; 23 vector calls a tile.
template <>
class Compute<GE_GLU_GRAD_V2_BFLOAT16, GE_GLU_GRAD_V2_FORM_NONE> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t GELU = 3;
    static constexpr uint32_t INPUTS = 4;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const GeGluGradV2TilingData&)
    {
        pipe.InitBuffer(t0Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t1Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t2Buf_, capacity * sizeof(float));
        pipe.InitBuffer(m0Buf_, capacity / 8);
        pipe.InitBuffer(onesBuf_, REPEAT_BYTES);
        Duplicate(onesBuf_.Get<float>(), 1.0f, FLOATS);
        VectorBarrier();
    }

    __aicore__ inline void Run(const LocalTensor<bfloat16_t>& dy,
                               const LocalTensor<bfloat16_t>& xGate,
                               const LocalTensor<bfloat16_t>& xValue,
                               const LocalTensor<bfloat16_t>& gelu,
                               const LocalTensor<bfloat16_t>& dxGate,
                               const LocalTensor<bfloat16_t>& dxValue,
                               uint32_t count)
    {
        const LocalTensor<float> t0 = t0Buf_.Get<float>();
        const LocalTensor<float> t1 = t1Buf_.Get<float>();
        const LocalTensor<float> t2 = t2Buf_.Get<float>();
        const LocalTensor<uint8_t> m0 = m0Buf_.Get<uint8_t>();
        const LocalTensor<float> ones = onesBuf_.Get<float>();
        Complete(dy, count);
        Complete(xGate, count);
        Complete(xValue, count);
        Complete(gelu, count);
        count = WholeRepeats<bfloat16_t>(count);
        VectorBarrier();
        Cast(t0, xGate, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Compares(m0, t0, 0.0f, CMPMODE::GT, count);
        VectorBarrier();
        Abs(t0, t0, count);
        VectorBarrier();
        Mins(t0, t0, 14.5f, count);  // a = |x|
        VectorBarrier();
        Mul(t1, t0, t0, count);  // a^2
        VectorBarrier();
        Muls(t2, t1, -0.49991354f, count);
        VectorBarrier();
        Exp(t2, t2, count);  // e^(-s a^2)
        Muls(t1, t1, -0.3872151f, count);
        VectorBarrier();
        Axpy(t1, t0, -0.68430704f, count);
        VectorBarrier();
        Adds(t1, t1, 0.73330754f, count);  // N(a)
        VectorBarrier();
        Mul(t1, t1, t2, count);
        Adds(t0, t0, 1.4641211f, count);  // D(a)
        VectorBarrier();
        Div(t0, t1, t0, count);  // G(a)
        VectorBarrier();
        SubSplatFirst(t1, ones, t0, count);  // the other side
        VectorBarrier();
        Select(t0, m0, t1, t0, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);  // f(x)
        VectorBarrier();
        Cast(t1, dy, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Mul(t0, t0, t1, count);
        Cast(t2, xValue, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Mul(t0, t0, t2, count);
        VectorBarrier();
        Cast(dxGate, t0, RoundMode::CAST_RINT, count);
        VectorBarrier();
        Cast(t0, gelu, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Mul(t0, t1, t0, count);
        VectorBarrier();
        Cast(dxValue, t0, RoundMode::CAST_RINT, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
    TBuf<TPosition::VECCALC> t2Buf_;
    TBuf<TPosition::VECCALC> m0Buf_;
    TBuf<TPosition::VECCALC> onesBuf_;
};
#elif __NPU_ARCH__ == 3510
// gelu_grad by T2; 17 vector calls, 6 casts, 4 loads and 2 stores for 64 elements.
template <>
class Compute<GE_GLU_GRAD_V2_BFLOAT16, GE_GLU_GRAD_V2_FORM_NONE> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t GELU = 3;
    static constexpr uint32_t INPUTS = 4;

    __aicore__ inline void Init(TPipe&, uint32_t, const GeGluGradV2TilingData&)
    {
    }

    __aicore__ inline void Run(const LocalTensor<bfloat16_t>& dy,
                               const LocalTensor<bfloat16_t>& xGate,
                               const LocalTensor<bfloat16_t>& xValue,
                               const LocalTensor<bfloat16_t>& gelu,
                               const LocalTensor<bfloat16_t>& dxGate,
                               const LocalTensor<bfloat16_t>& dxValue,
                               uint32_t count)
    {
        __ubuf__ bfloat16_t* dyAt = (__ubuf__ bfloat16_t*)dy.GetPhyAddr();
        __ubuf__ bfloat16_t* xGateAt = (__ubuf__ bfloat16_t*)xGate.GetPhyAddr();
        __ubuf__ bfloat16_t* xValueAt = (__ubuf__ bfloat16_t*)xValue.GetPhyAddr();
        __ubuf__ bfloat16_t* geluAt = (__ubuf__ bfloat16_t*)gelu.GetPhyAddr();
        __ubuf__ bfloat16_t* dxGateAt = (__ubuf__ bfloat16_t*)dxGate.GetPhyAddr();
        __ubuf__ bfloat16_t* dxValueAt = (__ubuf__ bfloat16_t*)dxValue.GetPhyAddr();
        const uint16_t steps = static_cast<uint16_t>((count + FLOATS - 1) / FLOATS);
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> t0, t1, t2, ones;
            MicroAPI::RegTensor<bfloat16_t> h0;
            MicroAPI::MaskReg lanes, m0;
            MicroAPI::Duplicate(ones, 1.0f);
            for (uint16_t i = 0; i < steps; ++i) {
                lanes = MicroAPI::UpdateMask<float>(count);
                MicroAPI::LoadAlign<bfloat16_t, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, xGateAt + i * FLOATS);
                MicroAPI::Cast<float, bfloat16_t, WIDEN>(t0, h0, lanes);
                MicroAPI::Compares<float, CMPMODE::GT>(m0, t0, 0.0f, lanes);
                MicroAPI::Abs(t0, t0, lanes);
                MicroAPI::Mins(t0, t0, 14.5f, lanes);  // a = |x|
                MicroAPI::Mul(t1, t0, t0, lanes);  // a^2
                MicroAPI::Muls(t2, t1, -0.3872151f, lanes);
                MicroAPI::Axpy(t2, t0, -0.68430704f, lanes);
                MicroAPI::Adds(t2, t2, 0.73330754f, lanes);  // N(a)
                MicroAPI::Muls(t1, t1, -0.49991354f, lanes);
                MicroAPI::Exp(t1, t1, lanes);  // e^(-s a^2)
                MicroAPI::Mul(t1, t2, t1, lanes);
                MicroAPI::Adds(t0, t0, 1.4641211f, lanes);  // D(a)
                MicroAPI::Div(t0, t1, t0, lanes);  // G(a)
                MicroAPI::Sub(t1, ones, t0, lanes);  // the other side
                MicroAPI::Select(t0, t1, t0, m0);  // f(x)
                MicroAPI::LoadAlign<bfloat16_t, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, dyAt + i * FLOATS);
                MicroAPI::Cast<float, bfloat16_t, WIDEN>(t1, h0, lanes);
                MicroAPI::Mul(t0, t0, t1, lanes);
                MicroAPI::LoadAlign<bfloat16_t, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, xValueAt + i * FLOATS);
                MicroAPI::Cast<float, bfloat16_t, WIDEN>(t2, h0, lanes);
                MicroAPI::Mul(t0, t0, t2, lanes);
                MicroAPI::Cast<bfloat16_t, float, NARROW>(h0, t0, lanes);
                MicroAPI::StoreAlign<bfloat16_t, MicroAPI::StoreDist::DIST_PACK_B32>(dxGateAt + i * FLOATS, h0, lanes);
                MicroAPI::LoadAlign<bfloat16_t, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, geluAt + i * FLOATS);
                MicroAPI::Cast<float, bfloat16_t, WIDEN>(t0, h0, lanes);
                MicroAPI::Mul(t0, t1, t0, lanes);
                MicroAPI::Cast<bfloat16_t, float, NARROW>(h0, t0, lanes);
                MicroAPI::StoreAlign<bfloat16_t, MicroAPI::StoreDist::DIST_PACK_B32>(dxValueAt + i * FLOATS, h0, lanes);
            }
        }
    }
};
#endif

#if __NPU_ARCH__ == 2201
// gelu_grad by T4; 23 vector calls a tile.
template <>
class Compute<GE_GLU_GRAD_V2_FLOAT, GE_GLU_GRAD_V2_FORM_NONE> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t GELU = 3;
    static constexpr uint32_t INPUTS = 4;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const GeGluGradV2TilingData&)
    {
        pipe.InitBuffer(t0Buf_, capacity * sizeof(float));
        pipe.InitBuffer(m0Buf_, capacity / 8);
        pipe.InitBuffer(onesBuf_, REPEAT_BYTES);
        Duplicate(onesBuf_.Get<float>(), 1.0f, FLOATS);
        VectorBarrier();
    }

    __aicore__ inline void Run(const LocalTensor<float>& dy,
                               const LocalTensor<float>& xGate,
                               const LocalTensor<float>& xValue,
                               const LocalTensor<float>& gelu,
                               const LocalTensor<float>& dxGate,
                               const LocalTensor<float>& dxValue,
                               uint32_t count)
    {
        const LocalTensor<float> t0 = t0Buf_.Get<float>();
        const LocalTensor<uint8_t> m0 = m0Buf_.Get<uint8_t>();
        const LocalTensor<float> ones = onesBuf_.Get<float>();
        Complete(dy, count);
        Complete(xGate, count);
        Complete(xValue, count);
        Complete(gelu, count);
        count = WholeRepeats<float>(count);
        VectorBarrier();
        Compares(m0, xGate, 0.0f, CMPMODE::GT, count);
        VectorBarrier();
        Abs(xGate, xGate, count);
        VectorBarrier();
        Mins(xGate, xGate, 14.5f, count);  // a = |x|
        VectorBarrier();
        Mul(dxGate, xGate, xGate, count);  // a^2
        VectorBarrier();
        Muls(dxValue, dxGate, -0.5f, count);
        VectorBarrier();
        Exp(dxValue, dxValue, count);  // e^(-s a^2)
        Muls(t0, dxGate, -0.39888644f, count);
        VectorBarrier();
        Axpy(t0, xGate, -2.355183f, count);
        VectorBarrier();
        Adds(t0, t0, -4.940778f, count);
        VectorBarrier();
        Mul(t0, t0, dxGate, count);
        VectorBarrier();
        Axpy(t0, xGate, -2.3176508f, count);
        VectorBarrier();
        Adds(t0, t0, 5.663021f, count);  // N(a)
        VectorBarrier();
        Mul(dxValue, t0, dxValue, count);
        VectorBarrier();
        Adds(t0, xGate, 5.8992934f, count);
        VectorBarrier();
        Mul(dxGate, t0, dxGate, count);
        VectorBarrier();
        Axpy(dxGate, xGate, 13.438553f, count);
        VectorBarrier();
        Adds(dxGate, dxGate, 11.32604f, count);  // D(a)
        VectorBarrier();
        Div(dxGate, dxValue, dxGate, count);  // G(a)
        VectorBarrier();
        SubSplatFirst(dxValue, ones, dxGate, count);  // the other side
        VectorBarrier();
        Select(dxGate, m0, dxValue, dxGate, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);  // f(x)
        VectorBarrier();
        Mul(dxGate, dxGate, dy, count);
        VectorBarrier();
        Mul(dxGate, dxGate, xValue, count);
        Mul(dxValue, dy, gelu, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> m0Buf_;
    TBuf<TPosition::VECCALC> onesBuf_;
};
#elif __NPU_ARCH__ == 3510
// gelu_grad by T4; 23 vector calls, 4 loads and 2 stores for 64 elements.
template <>
class Compute<GE_GLU_GRAD_V2_FLOAT, GE_GLU_GRAD_V2_FORM_NONE> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t GELU = 3;
    static constexpr uint32_t INPUTS = 4;

    __aicore__ inline void Init(TPipe&, uint32_t, const GeGluGradV2TilingData&)
    {
    }

    __aicore__ inline void Run(const LocalTensor<float>& dy,
                               const LocalTensor<float>& xGate,
                               const LocalTensor<float>& xValue,
                               const LocalTensor<float>& gelu,
                               const LocalTensor<float>& dxGate,
                               const LocalTensor<float>& dxValue,
                               uint32_t count)
    {
        __ubuf__ float* dyAt = (__ubuf__ float*)dy.GetPhyAddr();
        __ubuf__ float* xGateAt = (__ubuf__ float*)xGate.GetPhyAddr();
        __ubuf__ float* xValueAt = (__ubuf__ float*)xValue.GetPhyAddr();
        __ubuf__ float* geluAt = (__ubuf__ float*)gelu.GetPhyAddr();
        __ubuf__ float* dxGateAt = (__ubuf__ float*)dxGate.GetPhyAddr();
        __ubuf__ float* dxValueAt = (__ubuf__ float*)dxValue.GetPhyAddr();
        const uint16_t steps = static_cast<uint16_t>((count + FLOATS - 1) / FLOATS);
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> t0, t1, t2, t3, ones;
            MicroAPI::MaskReg lanes, m0;
            MicroAPI::Duplicate(ones, 1.0f);
            for (uint16_t i = 0; i < steps; ++i) {
                lanes = MicroAPI::UpdateMask<float>(count);
                MicroAPI::LoadAlign(t0, xGateAt + i * FLOATS);
                MicroAPI::Compares<float, CMPMODE::GT>(m0, t0, 0.0f, lanes);
                MicroAPI::Abs(t0, t0, lanes);
                MicroAPI::Mins(t0, t0, 14.5f, lanes);  // a = |x|
                MicroAPI::Mul(t1, t0, t0, lanes);  // a^2
                MicroAPI::Muls(t2, t1, -0.39888644f, lanes);
                MicroAPI::Axpy(t2, t0, -2.355183f, lanes);
                MicroAPI::Adds(t2, t2, -4.940778f, lanes);
                MicroAPI::Mul(t2, t2, t1, lanes);
                MicroAPI::Axpy(t2, t0, -2.3176508f, lanes);
                MicroAPI::Adds(t2, t2, 5.663021f, lanes);  // N(a)
                MicroAPI::Muls(t3, t1, -0.5f, lanes);
                MicroAPI::Exp(t3, t3, lanes);  // e^(-s a^2)
                MicroAPI::Mul(t2, t2, t3, lanes);
                MicroAPI::Adds(t3, t0, 5.8992934f, lanes);
                MicroAPI::Mul(t1, t3, t1, lanes);
                MicroAPI::Axpy(t1, t0, 13.438553f, lanes);
                MicroAPI::Adds(t0, t1, 11.32604f, lanes);  // D(a)
                MicroAPI::Div(t0, t2, t0, lanes);  // G(a)
                MicroAPI::Sub(t1, ones, t0, lanes);  // the other side
                MicroAPI::Select(t0, t1, t0, m0);  // f(x)
                MicroAPI::LoadAlign(t1, dyAt + i * FLOATS);
                MicroAPI::Mul(t0, t0, t1, lanes);
                MicroAPI::LoadAlign(t2, xValueAt + i * FLOATS);
                MicroAPI::Mul(t0, t0, t2, lanes);
                MicroAPI::StoreAlign(dxGateAt + i * FLOATS, t0, lanes);
                MicroAPI::LoadAlign(t0, geluAt + i * FLOATS);
                MicroAPI::Mul(t0, t1, t0, lanes);
                MicroAPI::StoreAlign(dxValueAt + i * FLOATS, t0, lanes);
            }
        }
    }
};
#endif

#if __NPU_ARCH__ == 2201
// gelu_tanh_grad by P; 19 vector calls a tile.
template <>
class Compute<GE_GLU_GRAD_V2_HALF, GE_GLU_GRAD_V2_FORM_TANH> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t GELU = 3;
    static constexpr uint32_t INPUTS = 4;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const GeGluGradV2TilingData&)
    {
        pipe.InitBuffer(t0Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t1Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t2Buf_, capacity * sizeof(float));
    }

    __aicore__ inline void Run(const LocalTensor<half>& dy,
                               const LocalTensor<half>& xGate,
                               const LocalTensor<half>& xValue,
                               const LocalTensor<half>& gelu,
                               const LocalTensor<half>& dxGate,
                               const LocalTensor<half>& dxValue,
                               uint32_t count)
    {
        const LocalTensor<float> t0 = t0Buf_.Get<float>();
        const LocalTensor<float> t1 = t1Buf_.Get<float>();
        const LocalTensor<float> t2 = t2Buf_.Get<float>();
        Maxs(xGate, xGate, static_cast<half>(-15.0f), count);
        VectorBarrier();
        Mins(xGate, xGate, static_cast<half>(6.0f), count);
        VectorBarrier();
        Cast(t0, xGate, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Muls(t1, t0, 1.5957692f, count);  // k x
        Mul(t2, t0, t0, count);
        VectorBarrier();
        Mul(t0, t2, t0, count);
        VectorBarrier();
        Axpy(t1, t0, 0.071354814f, count);  // v = k x + c x^3
        VectorBarrier();
        Exp(t2, t1, count);
        VectorBarrier();
        Axpy(t1, t0, 0.14270963f, count);  // x v'
        VectorBarrier();
        Adds(t0, t2, 1.0f, count);
        VectorBarrier();
        Div(t1, t1, t0, count);  // x v' (1 - s)
        VectorBarrier();
        Div(t0, t2, t0, count);  // s = sigmoid(v)
        VectorBarrier();
        FusedMulAdd(t1, t0, t0, count);
        VectorBarrier();
        Cast(t0, dy, RoundMode::CAST_NONE, count);
        Cast(t2, xValue, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Mul(t0, t1, t0, count);
        VectorBarrier();
        Mul(t0, t0, t2, count);
        VectorBarrier();
        Cast(dxGate, t0, RoundMode::CAST_RINT, count);
        Mul(dxValue, dy, gelu, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
    TBuf<TPosition::VECCALC> t2Buf_;
};
#elif __NPU_ARCH__ == 2002
// gelu_tanh_grad by P; 19 vector calls a tile.
template <>
class Compute<GE_GLU_GRAD_V2_HALF, GE_GLU_GRAD_V2_FORM_TANH> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t GELU = 3;
    static constexpr uint32_t INPUTS = 4;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const GeGluGradV2TilingData&)
    {
        pipe.InitBuffer(t0Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t1Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t2Buf_, capacity * sizeof(float));
    }

    __aicore__ inline void Run(const LocalTensor<half>& dy,
                               const LocalTensor<half>& xGate,
                               const LocalTensor<half>& xValue,
                               const LocalTensor<half>& gelu,
                               const LocalTensor<half>& dxGate,
                               const LocalTensor<half>& dxValue,
                               uint32_t count)
    {
        const LocalTensor<float> t0 = t0Buf_.Get<float>();
        const LocalTensor<float> t1 = t1Buf_.Get<float>();
        const LocalTensor<float> t2 = t2Buf_.Get<float>();
        Maxs(xGate, xGate, static_cast<half>(-15.0f), count);
        VectorBarrier();
        Mins(xGate, xGate, static_cast<half>(6.0f), count);
        VectorBarrier();
        Cast(t0, xGate, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Muls(t1, t0, 1.5957692f, count);  // k x
        Mul(t2, t0, t0, count);
        VectorBarrier();
        Mul(t0, t2, t0, count);
        VectorBarrier();
        Axpy(t1, t0, 0.071354814f, count);  // v = k x + c x^3
        VectorBarrier();
        Exp(t2, t1, count);
        VectorBarrier();
        Axpy(t1, t0, 0.14270963f, count);  // x v'
        VectorBarrier();
        Adds(t0, t2, 1.0f, count);
        VectorBarrier();
        Div(t1, t1, t0, count);  // x v' (1 - s)
        VectorBarrier();
        Div(t0, t2, t0, count);  // s = sigmoid(v)
        VectorBarrier();
        FusedMulAdd(t1, t0, t0, count);
        VectorBarrier();
        Cast(t0, dy, RoundMode::CAST_NONE, count);
        Cast(t2, xValue, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Mul(t0, t1, t0, count);
        VectorBarrier();
        Mul(t0, t0, t2, count);
        VectorBarrier();
        Cast(dxGate, t0, RoundMode::CAST_NONE, count);
        Mul(dxValue, dy, gelu, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
    TBuf<TPosition::VECCALC> t2Buf_;
};
#elif __NPU_ARCH__ == 3510
// gelu_tanh_grad by P; 16 vector calls, 4 casts, 4 loads and 2 stores for 64 elements.
template <>
class Compute<GE_GLU_GRAD_V2_HALF, GE_GLU_GRAD_V2_FORM_TANH> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t GELU = 3;
    static constexpr uint32_t INPUTS = 4;

    __aicore__ inline void Init(TPipe&, uint32_t, const GeGluGradV2TilingData&)
    {
    }

    __aicore__ inline void Run(const LocalTensor<half>& dy,
                               const LocalTensor<half>& xGate,
                               const LocalTensor<half>& xValue,
                               const LocalTensor<half>& gelu,
                               const LocalTensor<half>& dxGate,
                               const LocalTensor<half>& dxValue,
                               uint32_t count)
    {
        __ubuf__ half* dyAt = (__ubuf__ half*)dy.GetPhyAddr();
        __ubuf__ half* xGateAt = (__ubuf__ half*)xGate.GetPhyAddr();
        __ubuf__ half* xValueAt = (__ubuf__ half*)xValue.GetPhyAddr();
        __ubuf__ half* geluAt = (__ubuf__ half*)gelu.GetPhyAddr();
        __ubuf__ half* dxGateAt = (__ubuf__ half*)dxGate.GetPhyAddr();
        __ubuf__ half* dxValueAt = (__ubuf__ half*)dxValue.GetPhyAddr();
        const uint16_t steps = static_cast<uint16_t>((count + FLOATS - 1) / FLOATS);
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> t0, t1, t2, c0, ones;
            MicroAPI::RegTensor<half> h0, h1;
            MicroAPI::MaskReg lanes;
            MicroAPI::Duplicate(c0, 0.14270963f);
            MicroAPI::Duplicate(ones, 1.0f);
            for (uint16_t i = 0; i < steps; ++i) {
                lanes = MicroAPI::UpdateMask<float>(count);
                MicroAPI::LoadAlign<half, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, xGateAt + i * FLOATS);
                MicroAPI::Maxs(h0, h0, static_cast<half>(-15.0f), lanes);
                MicroAPI::Mins(h0, h0, static_cast<half>(6.0f), lanes);
                MicroAPI::Cast<float, half, WIDEN>(t0, h0, lanes);
                MicroAPI::Mul(t1, t0, t0, lanes);
                MicroAPI::Mul(t1, t1, t0, lanes);
                MicroAPI::Muls(t0, t0, 1.5957692f, lanes);  // k x
                MicroAPI::Axpy(t0, t1, 0.071354814f, lanes);  // v = k x + c x^3
                MicroAPI::MulDstAdd(t1, c0, t0, lanes);  // x v'
                MicroAPI::Exp(t0, t0, lanes);
                MicroAPI::Adds(t2, t0, 1.0f, lanes);
                MicroAPI::Div(t2, ones, t2, lanes);
                MicroAPI::Mul(t1, t1, t2, lanes);  // x v' (1 - s)
                MicroAPI::Mul(t0, t0, t2, lanes);  // s = sigmoid(v)
                MicroAPI::MulDstAdd(t1, t0, t0, lanes);
                MicroAPI::LoadAlign<half, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, dyAt + i * FLOATS);
                MicroAPI::Cast<float, half, WIDEN>(t0, h0, lanes);
                MicroAPI::Mul(t0, t1, t0, lanes);
                MicroAPI::LoadAlign<half, MicroAPI::LoadDist::DIST_UNPACK_B16>(h1, xValueAt + i * FLOATS);
                MicroAPI::Cast<float, half, WIDEN>(t1, h1, lanes);
                MicroAPI::Mul(t0, t0, t1, lanes);
                MicroAPI::Cast<half, float, NARROW>(h1, t0, lanes);
                MicroAPI::StoreAlign<half, MicroAPI::StoreDist::DIST_PACK_B32>(dxGateAt + i * FLOATS, h1, lanes);
                MicroAPI::LoadAlign<half, MicroAPI::LoadDist::DIST_UNPACK_B16>(h1, geluAt + i * FLOATS);
                MicroAPI::Mul(h0, h0, h1, lanes);
                MicroAPI::StoreAlign<half, MicroAPI::StoreDist::DIST_PACK_B32>(dxValueAt + i * FLOATS, h0, lanes);
            }
        }
    }
};
#endif

#if __NPU_ARCH__ == 2201
// gelu_tanh_grad by P; 21 vector calls a tile.
template <>
class Compute<GE_GLU_GRAD_V2_BFLOAT16, GE_GLU_GRAD_V2_FORM_TANH> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t GELU = 3;
    static constexpr uint32_t INPUTS = 4;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const GeGluGradV2TilingData&)
    {
        pipe.InitBuffer(t0Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t1Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t2Buf_, capacity * sizeof(float));
    }

    __aicore__ inline void Run(const LocalTensor<bfloat16_t>& dy,
                               const LocalTensor<bfloat16_t>& xGate,
                               const LocalTensor<bfloat16_t>& xValue,
                               const LocalTensor<bfloat16_t>& gelu,
                               const LocalTensor<bfloat16_t>& dxGate,
                               const LocalTensor<bfloat16_t>& dxValue,
                               uint32_t count)
    {
        const LocalTensor<float> t0 = t0Buf_.Get<float>();
        const LocalTensor<float> t1 = t1Buf_.Get<float>();
        const LocalTensor<float> t2 = t2Buf_.Get<float>();
        VectorBarrier();
        Cast(t0, xGate, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Maxs(t0, t0, -15.0f, count);
        VectorBarrier();
        Mins(t0, t0, 6.0f, count);
        VectorBarrier();
        Muls(t1, t0, 1.5957692f, count);  // k x
        Mul(t2, t0, t0, count);
        VectorBarrier();
        Mul(t0, t2, t0, count);
        VectorBarrier();
        Axpy(t1, t0, 0.071354814f, count);  // v = k x + c x^3
        VectorBarrier();
        Exp(t2, t1, count);
        VectorBarrier();
        Axpy(t1, t0, 0.14270963f, count);  // x v'
        VectorBarrier();
        Adds(t0, t2, 1.0f, count);
        VectorBarrier();
        Div(t1, t1, t0, count);  // x v' (1 - s)
        VectorBarrier();
        Div(t0, t2, t0, count);  // s = sigmoid(v)
        VectorBarrier();
        FusedMulAdd(t1, t0, t0, count);
        VectorBarrier();
        Cast(t0, dy, RoundMode::CAST_NONE, count);
        Cast(t2, xValue, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Mul(t1, t1, t0, count);
        VectorBarrier();
        Mul(t1, t1, t2, count);
        VectorBarrier();
        Cast(dxGate, t1, RoundMode::CAST_RINT, count);
        VectorBarrier();
        Cast(t1, gelu, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Mul(t0, t0, t1, count);
        VectorBarrier();
        Cast(dxValue, t0, RoundMode::CAST_RINT, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
    TBuf<TPosition::VECCALC> t2Buf_;
};
#elif __NPU_ARCH__ == 3510
// gelu_tanh_grad by P; 16 vector calls, 6 casts, 4 loads and 2 stores for 64 elements.
template <>
class Compute<GE_GLU_GRAD_V2_BFLOAT16, GE_GLU_GRAD_V2_FORM_TANH> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t GELU = 3;
    static constexpr uint32_t INPUTS = 4;

    __aicore__ inline void Init(TPipe&, uint32_t, const GeGluGradV2TilingData&)
    {
    }

    __aicore__ inline void Run(const LocalTensor<bfloat16_t>& dy,
                               const LocalTensor<bfloat16_t>& xGate,
                               const LocalTensor<bfloat16_t>& xValue,
                               const LocalTensor<bfloat16_t>& gelu,
                               const LocalTensor<bfloat16_t>& dxGate,
                               const LocalTensor<bfloat16_t>& dxValue,
                               uint32_t count)
    {
        __ubuf__ bfloat16_t* dyAt = (__ubuf__ bfloat16_t*)dy.GetPhyAddr();
        __ubuf__ bfloat16_t* xGateAt = (__ubuf__ bfloat16_t*)xGate.GetPhyAddr();
        __ubuf__ bfloat16_t* xValueAt = (__ubuf__ bfloat16_t*)xValue.GetPhyAddr();
        __ubuf__ bfloat16_t* geluAt = (__ubuf__ bfloat16_t*)gelu.GetPhyAddr();
        __ubuf__ bfloat16_t* dxGateAt = (__ubuf__ bfloat16_t*)dxGate.GetPhyAddr();
        __ubuf__ bfloat16_t* dxValueAt = (__ubuf__ bfloat16_t*)dxValue.GetPhyAddr();
        const uint16_t steps = static_cast<uint16_t>((count + FLOATS - 1) / FLOATS);
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> t0, t1, t2, c0, ones;
            MicroAPI::RegTensor<bfloat16_t> h0;
            MicroAPI::MaskReg lanes;
            MicroAPI::Duplicate(c0, 0.14270963f);
            MicroAPI::Duplicate(ones, 1.0f);
            for (uint16_t i = 0; i < steps; ++i) {
                lanes = MicroAPI::UpdateMask<float>(count);
                MicroAPI::LoadAlign<bfloat16_t, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, xGateAt + i * FLOATS);
                MicroAPI::Cast<float, bfloat16_t, WIDEN>(t0, h0, lanes);
                MicroAPI::Maxs(t0, t0, -15.0f, lanes);
                MicroAPI::Mins(t0, t0, 6.0f, lanes);
                MicroAPI::Mul(t1, t0, t0, lanes);
                MicroAPI::Mul(t1, t1, t0, lanes);
                MicroAPI::Muls(t0, t0, 1.5957692f, lanes);  // k x
                MicroAPI::Axpy(t0, t1, 0.071354814f, lanes);  // v = k x + c x^3
                MicroAPI::MulDstAdd(t1, c0, t0, lanes);  // x v'
                MicroAPI::Exp(t0, t0, lanes);
                MicroAPI::Adds(t2, t0, 1.0f, lanes);
                MicroAPI::Div(t2, ones, t2, lanes);
                MicroAPI::Mul(t1, t1, t2, lanes);  // x v' (1 - s)
                MicroAPI::Mul(t0, t0, t2, lanes);  // s = sigmoid(v)
                MicroAPI::MulDstAdd(t1, t0, t0, lanes);
                MicroAPI::LoadAlign<bfloat16_t, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, dyAt + i * FLOATS);
                MicroAPI::Cast<float, bfloat16_t, WIDEN>(t0, h0, lanes);
                MicroAPI::Mul(t1, t1, t0, lanes);
                MicroAPI::LoadAlign<bfloat16_t, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, xValueAt + i * FLOATS);
                MicroAPI::Cast<float, bfloat16_t, WIDEN>(t2, h0, lanes);
                MicroAPI::Mul(t1, t1, t2, lanes);
                MicroAPI::Cast<bfloat16_t, float, NARROW>(h0, t1, lanes);
                MicroAPI::StoreAlign<bfloat16_t, MicroAPI::StoreDist::DIST_PACK_B32>(dxGateAt + i * FLOATS, h0, lanes);
                MicroAPI::LoadAlign<bfloat16_t, MicroAPI::LoadDist::DIST_UNPACK_B16>(h0, geluAt + i * FLOATS);
                MicroAPI::Cast<float, bfloat16_t, WIDEN>(t1, h0, lanes);
                MicroAPI::Mul(t0, t0, t1, lanes);
                MicroAPI::Cast<bfloat16_t, float, NARROW>(h0, t0, lanes);
                MicroAPI::StoreAlign<bfloat16_t, MicroAPI::StoreDist::DIST_PACK_B32>(dxValueAt + i * FLOATS, h0, lanes);
            }
        }
    }
};
#endif

#if __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 2002
// gelu_tanh_grad by P; 15 vector calls a tile.
template <>
class Compute<GE_GLU_GRAD_V2_FLOAT, GE_GLU_GRAD_V2_FORM_TANH> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t GELU = 3;
    static constexpr uint32_t INPUTS = 4;

    __aicore__ inline void Init(TPipe&, uint32_t, const GeGluGradV2TilingData&)
    {
    }

    __aicore__ inline void Run(const LocalTensor<float>& dy,
                               const LocalTensor<float>& xGate,
                               const LocalTensor<float>& xValue,
                               const LocalTensor<float>& gelu,
                               const LocalTensor<float>& dxGate,
                               const LocalTensor<float>& dxValue,
                               uint32_t count)
    {
        Maxs(xGate, xGate, -15.0f, count);
        VectorBarrier();
        Mins(xGate, xGate, 6.0f, count);
        VectorBarrier();
        Muls(dxGate, xGate, 1.5957692f, count);  // k x
        Mul(dxValue, xGate, xGate, count);
        VectorBarrier();
        Mul(dxValue, dxValue, xGate, count);
        VectorBarrier();
        Axpy(dxGate, dxValue, 0.071354814f, count);  // v = k x + c x^3
        VectorBarrier();
        Exp(xGate, dxGate, count);
        VectorBarrier();
        Axpy(dxGate, dxValue, 0.14270963f, count);  // x v'
        VectorBarrier();
        Adds(dxValue, xGate, 1.0f, count);
        VectorBarrier();
        Div(dxGate, dxGate, dxValue, count);  // x v' (1 - s)
        VectorBarrier();
        Div(dxValue, xGate, dxValue, count);  // s = sigmoid(v)
        VectorBarrier();
        FusedMulAdd(dxGate, dxValue, dxValue, count);
        VectorBarrier();
        Mul(dxGate, dxGate, dy, count);
        VectorBarrier();
        Mul(dxGate, dxGate, xValue, count);
        Mul(dxValue, dy, gelu, count);
    }
};
#elif __NPU_ARCH__ == 3510
// gelu_tanh_grad by P; 16 vector calls, 4 loads and 2 stores for 64 elements.
template <>
class Compute<GE_GLU_GRAD_V2_FLOAT, GE_GLU_GRAD_V2_FORM_TANH> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t GELU = 3;
    static constexpr uint32_t INPUTS = 4;

    __aicore__ inline void Init(TPipe&, uint32_t, const GeGluGradV2TilingData&)
    {
    }

    __aicore__ inline void Run(const LocalTensor<float>& dy,
                               const LocalTensor<float>& xGate,
                               const LocalTensor<float>& xValue,
                               const LocalTensor<float>& gelu,
                               const LocalTensor<float>& dxGate,
                               const LocalTensor<float>& dxValue,
                               uint32_t count)
    {
        __ubuf__ float* dyAt = (__ubuf__ float*)dy.GetPhyAddr();
        __ubuf__ float* xGateAt = (__ubuf__ float*)xGate.GetPhyAddr();
        __ubuf__ float* xValueAt = (__ubuf__ float*)xValue.GetPhyAddr();
        __ubuf__ float* geluAt = (__ubuf__ float*)gelu.GetPhyAddr();
        __ubuf__ float* dxGateAt = (__ubuf__ float*)dxGate.GetPhyAddr();
        __ubuf__ float* dxValueAt = (__ubuf__ float*)dxValue.GetPhyAddr();
        const uint16_t steps = static_cast<uint16_t>((count + FLOATS - 1) / FLOATS);
        __VEC_SCOPE__
        {
            MicroAPI::RegTensor<float> t0, t1, t2, c0, ones;
            MicroAPI::MaskReg lanes;
            MicroAPI::Duplicate(c0, 0.14270963f);
            MicroAPI::Duplicate(ones, 1.0f);
            for (uint16_t i = 0; i < steps; ++i) {
                lanes = MicroAPI::UpdateMask<float>(count);
                MicroAPI::LoadAlign(t0, xGateAt + i * FLOATS);
                MicroAPI::Maxs(t0, t0, -15.0f, lanes);
                MicroAPI::Mins(t0, t0, 6.0f, lanes);
                MicroAPI::Mul(t1, t0, t0, lanes);
                MicroAPI::Mul(t1, t1, t0, lanes);
                MicroAPI::Muls(t0, t0, 1.5957692f, lanes);  // k x
                MicroAPI::Axpy(t0, t1, 0.071354814f, lanes);  // v = k x + c x^3
                MicroAPI::MulDstAdd(t1, c0, t0, lanes);  // x v'
                MicroAPI::Exp(t0, t0, lanes);
                MicroAPI::Adds(t2, t0, 1.0f, lanes);
                MicroAPI::Div(t2, ones, t2, lanes);
                MicroAPI::Mul(t1, t1, t2, lanes);  // x v' (1 - s)
                MicroAPI::Mul(t0, t0, t2, lanes);  // s = sigmoid(v)
                MicroAPI::MulDstAdd(t1, t0, t0, lanes);
                MicroAPI::LoadAlign(t0, dyAt + i * FLOATS);
                MicroAPI::Mul(t1, t1, t0, lanes);
                MicroAPI::LoadAlign(t2, xValueAt + i * FLOATS);
                MicroAPI::Mul(t1, t1, t2, lanes);
                MicroAPI::StoreAlign(dxGateAt + i * FLOATS, t1, lanes);
                MicroAPI::LoadAlign(t1, geluAt + i * FLOATS);
                MicroAPI::Mul(t0, t0, t1, lanes);
                MicroAPI::StoreAlign(dxValueAt + i * FLOATS, t0, lanes);
            }
        }
    }
};
#endif

}  // namespace GeGluGradV2Kernel

#endif  // GE_GLU_GRAD_V2_COMPUTE_H
