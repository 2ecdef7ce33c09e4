// SwiGluGrad: the formula on one tile.
// The gradient of `SwiGlu`.
// Generated from ops_glu_grad::families::glu::glu::swi_glu; do not edit.

// The gradient of `SwiGlu`.
//
// SwiGLU: `y = A * sigmoid(A) * B` over the halves `A`, `B` of `x` along `dim`.
//
// The gradient, with `s = sigmoid(A)`, is `dA = dy * B * (s + A * s * (1 - s))` and
// `dB = dy * A * s`. The formula published for aclnnSwiGluGrad writes `s * (1 - s * A)` for
// the last part of `dA`: a parenthesis is misplaced there. What CANN computes is the true
// derivative, as here.
//
// Source: aclnnSwiGlu and aclnnSwiGluGrad of CANN (ops-nn/activation).
//
// x.gate * sigmoid(x.gate) * x.value

#ifndef SWI_GLU_GRAD_COMPUTE_H
#define SWI_GLU_GRAD_COMPUTE_H

#include "kernel_operator.h"
#include "swi_glu_grad_tiling_data.h"
#include "swi_glu_grad_tiling_key.h"

namespace SwiGluGradKernel {

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

// The formula on one tile, by element type and form.
template <uint32_t dtype, uint32_t form>
class Compute;

// silu_grad by shared, silu by shared; 15 vector calls a tile.
template <>
class Compute<SWI_GLU_GRAD_HALF, SWI_GLU_GRAD_FORM> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t Y_GRAD = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t INPUTS = 3;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const SwiGluGradTilingData&)
    {
        pipe.InitBuffer(t0Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t1Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t2Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t3Buf_, capacity * sizeof(float));
    }

    __aicore__ inline void Run(const LocalTensor<half>& yGrad,
                               const LocalTensor<half>& xGate,
                               const LocalTensor<half>& xValue,
                               const LocalTensor<half>& xGradGate,
                               const LocalTensor<half>& xGradValue,
                               uint32_t count)
    {
        const LocalTensor<float> t0 = t0Buf_.Get<float>();
        const LocalTensor<float> t1 = t1Buf_.Get<float>();
        const LocalTensor<float> t2 = t2Buf_.Get<float>();
        const LocalTensor<float> t3 = t3Buf_.Get<float>();
        Maxs(xGate, xGate, static_cast<half>(-110.0f), count);
        VectorBarrier();
        Cast(t0, xGate, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Mins(t1, t0, 20.0f, count);
        VectorBarrier();
        Exp(t2, t1, count);  // e^x
        VectorBarrier();
        Adds(t3, t2, 1.0f, count);
        VectorBarrier();
        Div(t1, t1, t3, count);  // x (1 - s)
        Div(t2, t2, t3, count);  // s = sigmoid(x)
        VectorBarrier();
        Cast(t3, yGrad, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Mul(t2, t2, t3, count);
        VectorBarrier();
        FusedMulAdd(t1, t2, t2, count);
        Cast(t3, xValue, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Mul(t1, t1, t3, count);
        VectorBarrier();
        Cast(xGradGate, t1, RoundMode::CAST_RINT, count);
        Mul(t0, t0, t2, count);
        VectorBarrier();
        Cast(xGradValue, t0, RoundMode::CAST_RINT, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
    TBuf<TPosition::VECCALC> t2Buf_;
    TBuf<TPosition::VECCALC> t3Buf_;
};

// silu_grad by shared, silu by shared; 15 vector calls a tile.
template <>
class Compute<SWI_GLU_GRAD_BFLOAT16, SWI_GLU_GRAD_FORM> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t Y_GRAD = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t INPUTS = 3;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const SwiGluGradTilingData&)
    {
        pipe.InitBuffer(t0Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t1Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t2Buf_, capacity * sizeof(float));
        pipe.InitBuffer(t3Buf_, capacity * sizeof(float));
    }

    __aicore__ inline void Run(const LocalTensor<bfloat16_t>& yGrad,
                               const LocalTensor<bfloat16_t>& xGate,
                               const LocalTensor<bfloat16_t>& xValue,
                               const LocalTensor<bfloat16_t>& xGradGate,
                               const LocalTensor<bfloat16_t>& xGradValue,
                               uint32_t count)
    {
        const LocalTensor<float> t0 = t0Buf_.Get<float>();
        const LocalTensor<float> t1 = t1Buf_.Get<float>();
        const LocalTensor<float> t2 = t2Buf_.Get<float>();
        const LocalTensor<float> t3 = t3Buf_.Get<float>();
        VectorBarrier();
        Cast(t0, xGate, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Maxs(t0, t0, -110.0f, count);
        VectorBarrier();
        Mins(t1, t0, 20.0f, count);
        VectorBarrier();
        Exp(t2, t1, count);  // e^x
        VectorBarrier();
        Adds(t3, t2, 1.0f, count);
        VectorBarrier();
        Div(t1, t1, t3, count);  // x (1 - s)
        Div(t2, t2, t3, count);  // s = sigmoid(x)
        VectorBarrier();
        Cast(t3, yGrad, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Mul(t2, t2, t3, count);
        VectorBarrier();
        FusedMulAdd(t1, t2, t2, count);
        Cast(t3, xValue, RoundMode::CAST_NONE, count);
        VectorBarrier();
        Mul(t1, t1, t3, count);
        VectorBarrier();
        Cast(xGradGate, t1, RoundMode::CAST_RINT, count);
        Mul(t0, t0, t2, count);
        VectorBarrier();
        Cast(xGradValue, t0, RoundMode::CAST_RINT, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
    TBuf<TPosition::VECCALC> t1Buf_;
    TBuf<TPosition::VECCALC> t2Buf_;
    TBuf<TPosition::VECCALC> t3Buf_;
};

// silu_grad by shared, silu by shared; 10 vector calls a tile.
template <>
class Compute<SWI_GLU_GRAD_FLOAT, SWI_GLU_GRAD_FORM> {
public:
    // Slots of the streams in a buffer of the input queue.
    static constexpr uint32_t Y_GRAD = 0;
    static constexpr uint32_t X_GATE = 1;
    static constexpr uint32_t X_VALUE = 2;
    static constexpr uint32_t INPUTS = 3;

    __aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const SwiGluGradTilingData&)
    {
        pipe.InitBuffer(t0Buf_, capacity * sizeof(float));
    }

    __aicore__ inline void Run(const LocalTensor<float>& yGrad,
                               const LocalTensor<float>& xGate,
                               const LocalTensor<float>& xValue,
                               const LocalTensor<float>& xGradGate,
                               const LocalTensor<float>& xGradValue,
                               uint32_t count)
    {
        const LocalTensor<float> t0 = t0Buf_.Get<float>();
        Maxs(xGate, xGate, -110.0f, count);
        VectorBarrier();
        Mins(xGradGate, xGate, 20.0f, count);
        VectorBarrier();
        Exp(xGradValue, xGradGate, count);  // e^x
        VectorBarrier();
        Adds(t0, xGradValue, 1.0f, count);
        VectorBarrier();
        Div(xGradGate, xGradGate, t0, count);  // x (1 - s)
        Div(xGradValue, xGradValue, t0, count);  // s = sigmoid(x)
        VectorBarrier();
        Mul(xGradValue, xGradValue, yGrad, count);
        VectorBarrier();
        FusedMulAdd(xGradGate, xGradValue, xGradValue, count);
        VectorBarrier();
        Mul(xGradGate, xGradGate, xValue, count);
        Mul(xGradValue, xGate, xGradValue, count);
    }

private:
    TBuf<TPosition::VECCALC> t0Buf_;
};

}  // namespace SwiGluGradKernel

#endif  // SWI_GLU_GRAD_COMPUTE_H
