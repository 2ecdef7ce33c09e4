// GeluGradV2: the formula on one tile.
// The gradient of `GeluV2`.
// Generated from ops_glu_grad::families::gelu::gelu::gelu_v2; do not edit.

// The gradient of `GeluV2`.
//
// GELU in the form that `approximate` names.
//
// Source: aclnnGeluV2 and aclnnGeluBackwardV2 of CANN (ops-nn/activation).
//
// match approximate {
//     Approximate::None => by_erf(x),
//     Approximate::Tanh => by_tanh(x),
// }
//
// fn by_erf(x: Elem) -> Elem {
//     0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2))
// }
//
// fn by_tanh(x: Elem) -> Elem {
//     0.5 * x * (1.0 + tanh(FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * (x + 0.044715 * x.powi(3))))
// }

#ifndef GELU_GRAD_V2_COMPUTE_H
#define GELU_GRAD_V2_COMPUTE_H

#include "kernel_operator.h"
#include "gelu_grad_v2_tiling_data.h"
#include "gelu_grad_v2_tiling_key.h"

namespace GeluGradV2Kernel {

using namespace AscendC;

// Elements that one repeat of a vector instruction covers.
constexpr uint32_t REPEAT_BYTES = 256;
constexpr uint32_t FLOATS = REPEAT_BYTES / sizeof(float);

// Dependent vector calls: the second may start before the first has ended. The compiler sees to it where
// --cce-auto-sync is on; a build where it surely is defines COMPILER_ORDERS_VECTOR_CALLS.
__aicore__ inline void VectorBarrier()
{
#if !defined(COMPILER_ORDERS_VECTOR_CALLS)
    PipeBarrier<PIPE_V>();
#endif
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

{{fragment: kernel/complete.h}}

// The formula on one tile, by element type and form.
template <uint32_t dtype, uint32_t form>
class Compute;

// gelu_grad by T2; 19 vector calls a tile.
template <>
class Compute<GELU_GRAD_V2_HALF, GELU_GRAD_V2_FORM_NONE> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X = 1;
    static constexpr uint32_t INPUTS = 2;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const GeluGradV2TilingData&)
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
                               const LocalTensor<half>& x,
                               const LocalTensor<half>& z,
                               uint32_t count)
    {
        const LocalTensor<float> t0 = t0Buf_.Get<float>();
        const LocalTensor<float> t1 = t1Buf_.Get<float>();
        const LocalTensor<float> t2 = t2Buf_.Get<float>();
        const LocalTensor<float> t3 = t3Buf_.Get<float>();
        const LocalTensor<uint8_t> m0 = m0Buf_.Get<uint8_t>();
        const LocalTensor<float> ones = onesBuf_.Get<float>();
        Complete(dy, count);
        Complete(x, count);
        count = WholeRepeats<half>(count);
        VectorBarrier();
        Abs(z, x, count);
        VectorBarrier();
        Mins(z, z, static_cast<half>(9.0f), count);  // a = |x|
        VectorBarrier();
        Cast(t0, z, RoundMode::CAST_NONE, count);
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
        Compares(m0, x, static_cast<half>(0.0f), CMPMODE::GT, count);
        VectorBarrier();
        Select(t0, m0, t0, t1, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);  // f(x)
        VectorBarrier();
        Cast(t1, dy, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Mul(t0, t0, t1, count);
        VectorBarrier();
        Cast(z, t0, RoundMode::CAST_RINT, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
    TBuf<TPosition::VECCALC> t2Buf_;
    TBuf<TPosition::VECCALC> t3Buf_;
    TBuf<TPosition::VECCALC> m0Buf_;
    TBuf<TPosition::VECCALC> onesBuf_;
};

// gelu_grad by T2; 18 vector calls a tile.
template <>
class Compute<GELU_GRAD_V2_BFLOAT16, GELU_GRAD_V2_FORM_NONE> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X = 1;
    static constexpr uint32_t INPUTS = 2;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const GeluGradV2TilingData&)
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
                               const LocalTensor<bfloat16_t>& x,
                               const LocalTensor<bfloat16_t>& z,
                               uint32_t count)
    {
        const LocalTensor<float> t0 = t0Buf_.Get<float>();
        const LocalTensor<float> t1 = t1Buf_.Get<float>();
        const LocalTensor<float> t2 = t2Buf_.Get<float>();
        const LocalTensor<uint8_t> m0 = m0Buf_.Get<uint8_t>();
        const LocalTensor<float> ones = onesBuf_.Get<float>();
        Complete(dy, count);
        Complete(x, count);
        count = WholeRepeats<bfloat16_t>(count);
        VectorBarrier();
        Cast(t0, x, RoundMode::CAST_NONE, count);
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
        VectorBarrier();
        Cast(z, t0, RoundMode::CAST_RINT, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
    TBuf<TPosition::VECCALC> t2Buf_;
    TBuf<TPosition::VECCALC> m0Buf_;
    TBuf<TPosition::VECCALC> onesBuf_;
};

// gelu_grad by T4; 21 vector calls a tile.
template <>
class Compute<GELU_GRAD_V2_FLOAT, GELU_GRAD_V2_FORM_NONE> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X = 1;
    static constexpr uint32_t INPUTS = 2;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const GeluGradV2TilingData&)
    {
        pipe.InitBuffer(t0Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t1Buf_, capacity * sizeof(float));
        pipe.InitBuffer(m0Buf_, capacity / 8);
        pipe.InitBuffer(onesBuf_, REPEAT_BYTES);
        Duplicate(onesBuf_.Get<float>(), 1.0f, FLOATS);
        VectorBarrier();
    }

    __aicore__ inline void Run(const LocalTensor<float>& dy,
                               const LocalTensor<float>& x,
                               const LocalTensor<float>& z,
                               uint32_t count)
    {
        const LocalTensor<float> t0 = t0Buf_.Get<float>();
        const LocalTensor<float> t1 = t1Buf_.Get<float>();
        const LocalTensor<uint8_t> m0 = m0Buf_.Get<uint8_t>();
        const LocalTensor<float> ones = onesBuf_.Get<float>();
        Complete(dy, count);
        Complete(x, count);
        count = WholeRepeats<float>(count);
        VectorBarrier();
        Compares(m0, x, 0.0f, CMPMODE::GT, count);
        VectorBarrier();
        Abs(x, x, count);
        VectorBarrier();
        Mins(x, x, 14.5f, count);  // a = |x|
        VectorBarrier();
        Mul(z, x, x, count);  // a^2
        VectorBarrier();
        Muls(t0, z, -0.5f, count);
        VectorBarrier();
        Exp(t0, t0, count);  // e^(-s a^2)
        Muls(t1, z, -0.39888644f, count);
        VectorBarrier();
        Axpy(t1, x, -2.355183f, count);
        VectorBarrier();
        Adds(t1, t1, -4.940778f, count);
        VectorBarrier();
        Mul(t1, t1, z, count);
        VectorBarrier();
        Axpy(t1, x, -2.3176508f, count);
        VectorBarrier();
        Adds(t1, t1, 5.663021f, count);  // N(a)
        VectorBarrier();
        Mul(t0, t1, t0, count);
        VectorBarrier();
        Adds(t1, x, 5.8992934f, count);
        VectorBarrier();
        Mul(z, t1, z, count);
        VectorBarrier();
        Axpy(z, x, 13.438553f, count);
        VectorBarrier();
        Adds(z, z, 11.32604f, count);  // D(a)
        VectorBarrier();
        Div(z, t0, z, count);  // G(a)
        VectorBarrier();
        SubSplatFirst(x, ones, z, count);  // the other side
        VectorBarrier();
        Select(z, m0, x, z, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);  // f(x)
        VectorBarrier();
        Mul(z, z, dy, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
    TBuf<TPosition::VECCALC> m0Buf_;
    TBuf<TPosition::VECCALC> onesBuf_;
};

// gelu_tanh_grad by P; 16 vector calls a tile.
template <>
class Compute<GELU_GRAD_V2_HALF, GELU_GRAD_V2_FORM_TANH> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X = 1;
    static constexpr uint32_t INPUTS = 2;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const GeluGradV2TilingData&)
    {
        pipe.InitBuffer(t0Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t1Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t2Buf_, capacity * sizeof(float));
    }

    __aicore__ inline void Run(const LocalTensor<half>& dy,
                               const LocalTensor<half>& x,
                               const LocalTensor<half>& z,
                               uint32_t count)
    {
        const LocalTensor<float> t0 = t0Buf_.Get<float>();
        const LocalTensor<float> t1 = t1Buf_.Get<float>();
        const LocalTensor<float> t2 = t2Buf_.Get<float>();
        Maxs(x, x, static_cast<half>(-15.0f), count);
        VectorBarrier();
        Mins(x, x, static_cast<half>(6.0f), count);
        VectorBarrier();
        Cast(t0, x, RoundMode::CAST_NONE, count);
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
        VectorBarrier();
        Mul(t0, t1, t0, count);
        VectorBarrier();
        Cast(z, t0, RoundMode::CAST_RINT, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
    TBuf<TPosition::VECCALC> t2Buf_;
};

// gelu_tanh_grad by P; 16 vector calls a tile.
template <>
class Compute<GELU_GRAD_V2_BFLOAT16, GELU_GRAD_V2_FORM_TANH> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X = 1;
    static constexpr uint32_t INPUTS = 2;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const GeluGradV2TilingData&)
    {
        pipe.InitBuffer(t0Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t1Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t2Buf_, capacity * sizeof(float));
    }

    __aicore__ inline void Run(const LocalTensor<bfloat16_t>& dy,
                               const LocalTensor<bfloat16_t>& x,
                               const LocalTensor<bfloat16_t>& z,
                               uint32_t count)
    {
        const LocalTensor<float> t0 = t0Buf_.Get<float>();
        const LocalTensor<float> t1 = t1Buf_.Get<float>();
        const LocalTensor<float> t2 = t2Buf_.Get<float>();
        VectorBarrier();
        Cast(t0, x, RoundMode::CAST_NONE, count);
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
        VectorBarrier();
        Mul(t0, t1, t0, count);
        VectorBarrier();
        Cast(z, t0, RoundMode::CAST_RINT, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
    TBuf<TPosition::VECCALC> t2Buf_;
};

// gelu_tanh_grad by PX; 14 vector calls a tile.
template <>
class Compute<GELU_GRAD_V2_FLOAT, GELU_GRAD_V2_FORM_TANH> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t DY = 0;
    static constexpr uint32_t X = 1;
    static constexpr uint32_t INPUTS = 2;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const GeluGradV2TilingData&)
    {
        pipe.InitBuffer(t0Buf_, capacity * sizeof(float));
    }

    __aicore__ inline void Run(const LocalTensor<float>& dy,
                               const LocalTensor<float>& x,
                               const LocalTensor<float>& z,
                               uint32_t count)
    {
        const LocalTensor<float> t0 = t0Buf_.Get<float>();
        Maxs(x, x, -15.0f, count);
        VectorBarrier();
        Mins(x, x, 6.0f, count);
        VectorBarrier();
        Muls(z, x, 1.5957692f, count);  // k x
        Mul(t0, x, x, count);
        VectorBarrier();
        Mul(x, t0, x, count);
        VectorBarrier();
        Axpy(z, x, 0.071354814f, count);  // v = k x + c x^3
        VectorBarrier();
        Exp(t0, z, count);
        VectorBarrier();
        Axpy(z, x, 0.14270963f, count);  // x v'
        VectorBarrier();
        Adds(x, t0, 1.0f, count);
        VectorBarrier();
        Div(z, z, x, count);  // x v' (1 - s)
        VectorBarrier();
        Div(x, t0, x, count);  // s = sigmoid(v)
        Adds(z, z, 1.0f, count);
        VectorBarrier();
        Mul(z, z, x, count);
        VectorBarrier();
        Mul(z, z, dy, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
};

}  // namespace GeluGradV2Kernel

#endif  // GELU_GRAD_V2_COMPUTE_H
