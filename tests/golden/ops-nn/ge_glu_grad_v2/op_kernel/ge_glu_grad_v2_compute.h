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
// let gelu = gelu(x.gate, approximate);
// x.value * gelu
//
// fn gelu(x: Elem, approximate: Approximate) -> Elem {
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

// What one repeat of a vector instruction covers.
constexpr uint32_t REPEAT_BYTES = 256;
constexpr uint32_t FLOATS = REPEAT_BYTES / sizeof(float);

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

// Elements in whole repeats, as comparisons take them.
template <typename T>
__aicore__ inline uint32_t WholeRepeats(uint32_t count)
{
    constexpr uint32_t REPEAT = REPEAT_BYTES / sizeof(T);
    return (count + REPEAT - 1) / REPEAT * REPEAT;
}

// Zeros behind the last block that came in, up to a whole repeat.
template <typename T>
__aicore__ inline void Complete(const LocalTensor<T>& data, uint32_t count)
{
    constexpr uint32_t BLOCK = 32 / sizeof(T);
    const uint32_t from = (count + BLOCK - 1) / BLOCK * BLOCK;
    const uint32_t to = WholeRepeats<T>(count);
    if (from < to) {
        Duplicate(data[from], static_cast<T>(0.0f), to - from);
    }
}

// The formula on one tile, by element type and form.
template <uint32_t dtype, uint32_t form>
class Compute;

#if __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 3510
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
        Abs(dxGate, xGate, count);
        Mins(dxGate, dxGate, static_cast<half>(9.0f), count);  // a = |x|
        Cast(t0, dxGate, RoundMode::CAST_NONE, count);
        Mul(t1, t0, t0, count);  // a^2
        Muls(t2, t1, 3.3499763f, count);
        Axpy(t2, t0, 14.728554f, count);
        Adds(t2, t2, -12.966178f, count);  // N(a)
        Muls(t3, t1, -0.50857925f, count);
        Axpy(t1, t0, -11.966519f, count);
        Adds(t1, t1, -25.930693f, count);  // D(a)
        Exp(t3, t3, count);  // e^(-s a^2)
        Mul(t2, t2, t3, count);
        Div(t1, t2, t1, count);  // G(a)
        SubSplatFirst(t0, ones, t1, count);  // the other side
        Compares(m0, xGate, static_cast<half>(0.0f), CMPMODE::GT, count);
        Select(t0, m0, t0, t1, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);  // f(x)
        Cast(t1, dy, RoundMode::CAST_NONE, count);
        Mul(t0, t0, t1, count);
        Cast(t1, xValue, RoundMode::CAST_NONE, count);
        Mul(t0, t0, t1, count);
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
#endif

#if __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 3510
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
        Cast(t0, xGate, RoundMode::CAST_NONE, count);
        Compares(m0, t0, 0.0f, CMPMODE::GT, count);
        Abs(t0, t0, count);
        Mins(t0, t0, 15.0f, count);  // a = |x|
        Mul(t1, t0, t0, count);  // a^2
        Muls(t2, t1, -0.49990708f, count);
        Exp(t2, t2, count);  // e^(-s a^2)
        Muls(t1, t1, -0.38688964f, count);
        Axpy(t1, t0, -0.6873966f, count);
        Adds(t1, t1, 0.7354467f, count);  // N(a)
        Mul(t1, t1, t2, count);
        Adds(t0, t0, 1.4683841f, count);  // D(a)
        Div(t0, t1, t0, count);  // G(a)
        SubSplatFirst(t1, ones, t0, count);  // the other side
        Select(t0, m0, t1, t0, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);  // f(x)
        Cast(t1, dy, RoundMode::CAST_NONE, count);
        Mul(t0, t0, t1, count);
        Cast(t2, xValue, RoundMode::CAST_NONE, count);
        Mul(t0, t0, t2, count);
        Cast(dxGate, t0, RoundMode::CAST_RINT, count);
        Cast(t0, gelu, RoundMode::CAST_NONE, count);
        Mul(t0, t1, t0, count);
        Cast(dxValue, t0, RoundMode::CAST_RINT, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
    TBuf<TPosition::VECCALC> t2Buf_;
    TBuf<TPosition::VECCALC> m0Buf_;
    TBuf<TPosition::VECCALC> onesBuf_;
};
#endif

#if __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 3510
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
        Compares(m0, xGate, 0.0f, CMPMODE::GT, count);
        Abs(xGate, xGate, count);
        Mins(xGate, xGate, 15.0f, count);  // a = |x|
        Mul(dxGate, xGate, xGate, count);  // a^2
        Muls(dxValue, dxGate, -0.5f, count);
        Exp(dxValue, dxValue, count);  // e^(-s a^2)
        Muls(t0, dxGate, -0.39887136f, count);
        Axpy(t0, xGate, -2.3778076f, count);
        Adds(t0, t0, -5.0236015f, count);
        Mul(t0, t0, dxGate, count);
        Axpy(t0, xGate, -2.4004884f, count);
        Adds(t0, t0, 5.781717f, count);  // N(a)
        Mul(dxValue, t0, dxValue, count);
        Adds(t0, xGate, 5.9553084f, count);
        Mul(dxGate, t0, dxGate, count);
        Axpy(dxGate, xGate, 13.651652f, count);
        Adds(dxGate, dxGate, 11.563433f, count);  // D(a)
        Div(dxGate, dxValue, dxGate, count);  // G(a)
        SubSplatFirst(dxValue, ones, dxGate, count);  // the other side
        Select(dxGate, m0, dxValue, dxGate, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);  // f(x)
        Mul(dxGate, dxGate, dy, count);
        Mul(dxGate, dxGate, xValue, count);
        Mul(dxValue, dy, gelu, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> m0Buf_;
    TBuf<TPosition::VECCALC> onesBuf_;
};
#endif

#if __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 3510
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
        Mins(xGate, xGate, static_cast<half>(6.0f), count);
        Cast(t0, xGate, RoundMode::CAST_NONE, count);
        Muls(t0, t0, 1.5957692f, count);  // z = k x
        Mul(t1, t0, t0, count);
        Mul(t1, t1, t0, count);
        Axpy(t0, t1, 0.01755954f, count);  // v = z + al z^3
        Exp(t2, t0, count);
        Axpy(t0, t1, 0.03511908f, count);  // x v'
        Adds(t1, t2, 1.0f, count);
        Div(t0, t0, t1, count);  // x v' (1 - s)
        Div(t1, t2, t1, count);  // s = sigmoid(v)
        FusedMulAdd(t0, t1, t1, count);
        Cast(t1, dy, RoundMode::CAST_NONE, count);
        Cast(t2, xValue, RoundMode::CAST_NONE, count);
        Mul(t0, t0, t1, count);
        Mul(t0, t0, t2, count);
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
        Mins(xGate, xGate, static_cast<half>(6.0f), count);
        Cast(t0, xGate, RoundMode::CAST_NONE, count);
        Muls(t0, t0, 1.5957692f, count);  // z = k x
        Mul(t1, t0, t0, count);
        Mul(t1, t1, t0, count);
        Axpy(t0, t1, 0.01755954f, count);  // v = z + al z^3
        Exp(t2, t0, count);
        Axpy(t0, t1, 0.03511908f, count);  // x v'
        Adds(t1, t2, 1.0f, count);
        Div(t0, t0, t1, count);  // x v' (1 - s)
        Div(t1, t2, t1, count);  // s = sigmoid(v)
        FusedMulAdd(t0, t1, t1, count);
        Cast(t1, dy, RoundMode::CAST_NONE, count);
        Cast(t2, xValue, RoundMode::CAST_NONE, count);
        Mul(t0, t0, t1, count);
        Mul(t0, t0, t2, count);
        Cast(dxGate, t0, RoundMode::CAST_NONE, count);
        Mul(dxValue, dy, gelu, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
    TBuf<TPosition::VECCALC> t2Buf_;
};
#endif

#if __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 3510
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
        Cast(t0, xGate, RoundMode::CAST_NONE, count);
        Maxs(t0, t0, -15.0f, count);
        Mins(t0, t0, 6.0f, count);
        Muls(t0, t0, 1.5957692f, count);  // z = k x
        Mul(t1, t0, t0, count);
        Mul(t1, t1, t0, count);
        Axpy(t0, t1, 0.01755954f, count);  // v = z + al z^3
        Exp(t2, t0, count);
        Axpy(t0, t1, 0.03511908f, count);  // x v'
        Adds(t1, t2, 1.0f, count);
        Div(t0, t0, t1, count);  // x v' (1 - s)
        Div(t1, t2, t1, count);  // s = sigmoid(v)
        FusedMulAdd(t0, t1, t1, count);
        Cast(t1, dy, RoundMode::CAST_NONE, count);
        Cast(t2, xValue, RoundMode::CAST_NONE, count);
        Mul(t0, t0, t1, count);
        Mul(t0, t0, t2, count);
        Cast(dxGate, t0, RoundMode::CAST_RINT, count);
        Cast(t0, gelu, RoundMode::CAST_NONE, count);
        Mul(t0, t1, t0, count);
        Cast(dxValue, t0, RoundMode::CAST_RINT, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
    TBuf<TPosition::VECCALC> t2Buf_;
};
#endif

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
        Mins(xGate, xGate, 6.0f, count);
        Muls(xGate, xGate, 1.5957692f, count);  // z = k x
        Mul(dxGate, xGate, xGate, count);
        Mul(dxGate, dxGate, xGate, count);
        Axpy(xGate, dxGate, 0.01755954f, count);  // v = z + al z^3
        Exp(dxValue, xGate, count);
        Axpy(xGate, dxGate, 0.03511908f, count);  // x v'
        Adds(dxGate, dxValue, 1.0f, count);
        Div(xGate, xGate, dxGate, count);  // x v' (1 - s)
        Div(dxGate, dxValue, dxGate, count);  // s = sigmoid(v)
        FusedMulAdd(xGate, dxGate, dxGate, count);
        Mul(xGate, xGate, dy, count);
        Mul(dxGate, xGate, xValue, count);
        Mul(dxValue, dy, gelu, count);
    }
};

}  // namespace GeGluGradV2Kernel

#endif  // GE_GLU_GRAD_V2_COMPUTE_H
