// A correct kernel that casts its whole input; the tiling key is the rounding mode.
#include "bench.h"

template <typename D, typename S>
__global__ __aicore__ void cast(GM_ADDR a, GM_ADDR b)
{
    constexpr uint32_t kTile = 128;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, kTile * sizeof(S));
    pipe.InitBuffer(out, 2, kTile * sizeof(D));
    GlobalTensor<S> x;
    GlobalTensor<D> y;
    x.SetGlobalBuffer(reinterpret_cast<__gm__ S*>(a));
    y.SetGlobalBuffer(reinterpret_cast<__gm__ D*>(b));
    RoundMode mode = RoundMode::CAST_NONE;
    for (int i = 1; i <= 6; ++i) {
        if (TILING_KEY_IS(i)) {
            mode = static_cast<RoundMode>(i);
        }
    }
    const uint64_t count = host_model::TheDevice().Find(a)->size / sizeof(S);
    for (uint64_t i = 0; i < count; i += kTile) {
        LocalTensor<S> t = in.AllocTensor<S>();
        DataCopy(t, x[i], kTile);
        in.EnQue(t);
        t = in.DeQue<S>();
        LocalTensor<D> r = out.AllocTensor<D>();
        Cast(r, t, mode, kTile);
        in.FreeTensor(t);
        out.EnQue(r);
        r = out.DeQue<D>();
        DataCopy(y[i], r, kTile);
        out.FreeTensor(r);
    }
}

#if HOST_MODEL_ARCH == 2201
HOST_MODEL_MAIN({"float_half", host_model::Bind(cast<half, float>)}, {"half_float", host_model::Bind(cast<float, half>)},
                {"float_bfloat16", host_model::Bind(cast<bfloat16_t, float>)},
                {"bfloat16_float", host_model::Bind(cast<float, bfloat16_t>)},
                {"float_int32", host_model::Bind(cast<int32_t, float>)})
#else
__global__ __aicore__ void mins(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    Mins(t, t, 1.0f, 64);  // finds: mins
}

__global__ __aicore__ void fused(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    FusedMulAdd(t, t, t, 64);  // finds: fused
}

__global__ __aicore__ void compares(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    Compares(bench.temp.Get<uint8_t>(), t, 1.0f, CMPMODE::LT, 64);  // finds: compares
}

__global__ __aicore__ void relu_float(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    Relu(t, t, 64);  // finds: relu_float
}

__global__ __aicore__ void select_tensors(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    Select(t, bench.temp.Get<uint8_t>(), t, t, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);  // finds: select_tensors
}

__global__ __aicore__ void gather(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    Gather(bench.temp.Get<float>(), t, t.ReinterpretCast<uint32_t>(), 0, 64);  // finds: gather
}

// Four events of a kind, not eight.
__global__ __aicore__ void buffers(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    TQue<TPosition::VECIN, 1> more;
    bench.pipe.InitBuffer(more, 3, 32);  // finds: buffers
}

HOST_MODEL_MAIN({"float_half", host_model::Bind(cast<half, float>)}, {"half_float", host_model::Bind(cast<float, half>)},
                CASE(mins), CASE(fused), CASE(compares), CASE(relu_float), CASE(select_tensors), CASE(gather),
                CASE(buffers))
#endif
