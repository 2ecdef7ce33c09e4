// A correct kernel: out = a * b, double-buffered, with a ragged end.
#include "kernel_operator.h"
#include "run.h"

using namespace AscendC;

struct MulTiling {
    uint64_t total;
    uint32_t perBlock;
    uint32_t tile;
};

template <typename T>
class Mul3 {
public:
    __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR out, const MulTiling& tiling, TPipe* pipe)
    {
        const uint64_t start = static_cast<uint64_t>(GetBlockIdx()) * tiling.perBlock;
        const uint64_t left = start < tiling.total ? tiling.total - start : 0;
        count = static_cast<uint32_t>(left < tiling.perBlock ? left : tiling.perBlock);
        tile = tiling.tile;
        aGm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(a) + start, count);
        bGm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(b) + start, count);
        outGm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(out) + start, count);
        pipe->InitBuffer(aQueue, 2, tile * sizeof(T));
        pipe->InitBuffer(bQueue, 2, tile * sizeof(T));
        pipe->InitBuffer(outQueue, 2, tile * sizeof(T));
        if constexpr (IsSameType<T, bfloat16_t>::value) {
            pipe->InitBuffer(wideA, tile * sizeof(float));
            pipe->InitBuffer(wideB, tile * sizeof(float));
        }
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = 0; at < count; at += tile) {
            const uint32_t n = count - at < tile ? count - at : tile;
            CopyIn(at, n);
            Compute(n);
            CopyOut(at, n);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t at, uint32_t n)
    {
        LocalTensor<T> a = aQueue.template AllocTensor<T>();
        LocalTensor<T> b = bQueue.template AllocTensor<T>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
        DataCopyPadExtParams<T> pad{false, 0, 0, 0};
        DataCopyPad(a, aGm[at], copy, pad);
        DataCopyPad(b, bGm[at], copy, pad);
        aQueue.EnQue(a);
        bQueue.EnQue(b);
    }

    __aicore__ inline void Compute(uint32_t n)
    {
        LocalTensor<T> a = aQueue.template DeQue<T>();
        LocalTensor<T> b = bQueue.template DeQue<T>();
        LocalTensor<T> out = outQueue.template AllocTensor<T>();
        if constexpr (IsSameType<T, bfloat16_t>::value) {
            LocalTensor<float> x = wideA.Get<float>();
            LocalTensor<float> y = wideB.Get<float>();
            Cast(x, a, RoundMode::CAST_NONE, n);
            Cast(y, b, RoundMode::CAST_NONE, n);
            PipeBarrier<PIPE_V>();
            Mul(x, x, y, n);
            PipeBarrier<PIPE_V>();
            Cast(out, x, RoundMode::CAST_RINT, n);
        } else {
            Mul(out, a, b, n);
        }
        outQueue.EnQue(out);
        aQueue.FreeTensor(a);
        bQueue.FreeTensor(b);
    }

    __aicore__ inline void CopyOut(uint32_t at, uint32_t n)
    {
        LocalTensor<T> out = outQueue.template DeQue<T>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
        DataCopyPad(outGm[at], out, copy);
        outQueue.FreeTensor(out);
    }

    GlobalTensor<T> aGm, bGm, outGm;
    TQue<TPosition::VECIN, 1> aQueue, bQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> wideA, wideB;
    uint32_t count = 0;
    uint32_t tile = 0;
};

template <typename T>
__global__ __aicore__ void mul(GM_ADDR a, GM_ADDR b, GM_ADDR out, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(MulTiling);
    GET_TILING_DATA_WITH_STRUCT(MulTiling, data, tiling);
    TPipe pipe;
    Mul3<T> op;
    op.Init(a, b, out, data, &pipe);
    op.Process();
}

HOST_MODEL_MAIN({"float", host_model::Bind(mul<float>)}, {"half", host_model::Bind(mul<half>)},
                {"bfloat16", host_model::Bind(mul<bfloat16_t>)})
