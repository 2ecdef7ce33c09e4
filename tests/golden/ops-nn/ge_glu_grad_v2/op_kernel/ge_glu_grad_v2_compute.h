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

// Div where `a` is one repeat of equal numbers, read again and again by stride 0.
__aicore__ inline void DivSplatFirst(const LocalTensor<float>& dst, const LocalTensor<float>& a,
                                     const LocalTensor<float>& b, uint32_t count)
{
    constexpr uint32_t MOST = 255;  // repeats of one call
    const BinaryRepeatParams strides(1, 1, 1, 8, 0, 8);
    uint32_t at = 0;
    while (count - at >= FLOATS) {
        const uint32_t left = (count - at) / FLOATS;
        const uint32_t repeats = left < MOST ? left : MOST;
        Div(dst[at], a, b[at], static_cast<uint64_t>(FLOATS), static_cast<uint8_t>(repeats), strides);
        at += repeats * FLOATS;
    }
    if (at < count) {
        Div(dst[at], a, b[at], static_cast<uint64_t>(count - at), 1, strides);
    }
}

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

// The formula on one tile, by element type and form.
template <uint32_t dtype, uint32_t form>
class Compute;

#if __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 3510
// gelu_grad by S6; 22 vector calls a tile.
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
        const LocalTensor<float> ones = onesBuf_.Get<float>();
        Maxs(xGate, xGate, static_cast<half>(-15.0f), count);
        Mins(xGate, xGate, static_cast<half>(15.0f), count);
        Cast(t0, xGate, RoundMode::CAST_NONE, count);
        Muls(t0, t0, -0.7034657f, count);  // z = -k x
        Mul(t1, t0, t0, count);  // u = z^2
        Muls(t2, t1, 0.5528499f, count);
        Adds(t2, t2, 4.619473f, count);
        Sqrt(t2, t2, count);
        Axpy(t2, t1, 0.031102324f, count);  // h(u)
        Mul(t2, t2, t0, count);
        Exp(t2, t2, count);
        Adds(t2, t2, 1.0f, count);
        DivSplatFirst(t2, ones, t2, count);  // Phi(x)
        Exp(t1, t1, count);  // e^(x^2/2)
        Div(t0, t0, t1, count);  // z phi
        Axpy(t2, t0, -0.59686196f, count);  // gelu'(x)
        Cast(t0, dy, RoundMode::CAST_NONE, count);
        Mul(t0, t2, t0, count);
        Cast(t1, xValue, RoundMode::CAST_NONE, count);
        Mul(t0, t0, t1, count);
        Cast(dxGate, t0, RoundMode::CAST_RINT, count);
        Mul(dxValue, dy, gelu, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
    TBuf<TPosition::VECCALC> t2Buf_;
    TBuf<TPosition::VECCALC> onesBuf_;
};
#endif

#if __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 3510
// gelu_grad by S4; 23 vector calls a tile.
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
        const LocalTensor<float> ones = onesBuf_.Get<float>();
        Cast(t0, xGate, RoundMode::CAST_NONE, count);
        Maxs(t0, t0, -15.0f, count);
        Mins(t0, t0, 15.0f, count);
        Muls(t0, t0, -0.70702446f, count);  // z = -k x
        Mul(t1, t0, t0, count);  // u = z^2
        Adds(t2, t1, 5.3190913f, count);
        Sqrt(t2, t2, count);
        Axpy(t2, t1, 0.019746102f, count);  // h(u)
        Mul(t2, t2, t0, count);
        Exp(t2, t2, count);
        Adds(t2, t2, 1.0f, count);
        DivSplatFirst(t2, ones, t2, count);  // Phi(x)
        Exp(t1, t1, count);  // e^(x^2/2)
        Div(t0, t0, t1, count);  // z phi
        Axpy(t2, t0, -0.55102825f, count);  // gelu'(x)
        Cast(t0, dy, RoundMode::CAST_NONE, count);
        Mul(t2, t2, t0, count);
        Cast(t1, xValue, RoundMode::CAST_NONE, count);
        Mul(t1, t2, t1, count);
        Cast(dxGate, t1, RoundMode::CAST_RINT, count);
        Cast(t1, gelu, RoundMode::CAST_NONE, count);
        Mul(t0, t0, t1, count);
        Cast(dxValue, t0, RoundMode::CAST_RINT, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
    TBuf<TPosition::VECCALC> t2Buf_;
    TBuf<TPosition::VECCALC> onesBuf_;
};
#endif

#if __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 3510
// gelu_grad by R; 24 vector calls a tile.
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
        pipe.InitBuffer(t1Buf_, capacity * sizeof(float));
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
        const LocalTensor<float> t1 = t1Buf_.Get<float>();
        const LocalTensor<float> ones = onesBuf_.Get<float>();
        Muls(dxGate, xGate, 1e18f, count);  // the sign of x, huge
        Abs(xGate, xGate, count);
        Mins(xGate, xGate, 15.0f, count);  // a = |x|
        Mul(dxValue, xGate, xGate, count);  // a^2
        Muls(t0, dxValue, -0.39887136f, count);
        Axpy(t0, xGate, -2.3778076f, count);
        Adds(t0, t0, -5.0236015f, count);
        Mul(t0, t0, dxValue, count);
        Axpy(t0, xGate, -2.4004884f, count);
        Adds(t0, t0, 5.781717f, count);  // N(a)
        Adds(t1, xGate, 5.9553084f, count);
        Mul(t1, t1, dxValue, count);
        Axpy(t1, xGate, 13.651652f, count);
        Adds(t1, t1, 11.563433f, count);  // D(a)
        Div(t0, t0, t1, count);
        Muls(dxValue, dxValue, -0.5f, count);
        Exp(dxValue, dxValue, count);  // e^(-a^2/2)
        Mul(dxValue, t0, dxValue, count);  // gelu'(-a)
        SubSplatFirst(xGate, ones, dxValue, count);  // gelu'(a)
        Min(dxGate, dxGate, xGate, count);
        Max(dxGate, dxValue, dxGate, count);  // gelu'(x)
        Mul(dxGate, dxGate, dy, count);
        Mul(dxGate, dxGate, xValue, count);
        Mul(dxValue, dy, gelu, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
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
