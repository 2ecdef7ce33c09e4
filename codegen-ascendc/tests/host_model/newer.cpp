// Kernels for what only the newest architecture has.
#include "bench.h"

// Arithmetic on bfloat16, and copies whose bursts lie end to end.
__global__ __aicore__ void good_compact(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    GlobalTensor<bfloat16_t> x = bench.x.ReinterpretCast<bfloat16_t>();
    GlobalTensor<bfloat16_t> y = bench.y.ReinterpretCast<bfloat16_t>();
    LocalTensor<bfloat16_t> t = bench.in.AllocTensor<bfloat16_t>();
    // Every other three of 24 elements.
    DataCopyPad<bfloat16_t, PaddingMode::Compact>(t, x, DataCopyExtParams{4, 6, 6, 0, 0},
                                                  DataCopyPadExtParams<bfloat16_t>(false, 0, 0, 0));
    bench.in.EnQue(t);
    t = bench.in.DeQue<bfloat16_t>();
    LocalTensor<bfloat16_t> r = bench.out.AllocTensor<bfloat16_t>();
    Muls(r, t, bfloat16_t(3.0f), 12);
    Add(r, r, t, 12);
    bench.in.FreeTensor(t);
    bench.out.EnQue(r);
    r = bench.out.DeQue<bfloat16_t>();
    DataCopyPad<bfloat16_t, PaddingMode::Compact>(y, r, DataCopyExtParams{4, 6, 0, 0, 0});
    bench.out.FreeTensor(r);
}

// Forms with repeats work in a part of UB beyond what the platform reports.
__global__ __aicore__ void good_repeats(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    TBuf<> rest;
    bench.pipe.InitBuffer(rest, 190000);
    LocalTensor<float> t = bench.Load();
    LocalTensor<float> r = bench.out.AllocTensor<float>();
    Add(r, t, t, 64, 1, BinaryRepeatParams());
    bench.in.FreeTensor(t);
    bench.Store(r);
}

__global__ __aicore__ void empty_copy(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopyPad(t, bench.x, DataCopyExtParams{1, 0, 0, 0, 0}, DataCopyPadExtParams<float>());  // finds: empty_copy
}

__global__ __aicore__ void bf16_exp(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<bfloat16_t> t = bench.Load().ReinterpretCast<bfloat16_t>();
    Exp(t, t, 16);  // finds: bf16_exp
}

HOST_MODEL_MAIN(CASE(good_compact), CASE(good_repeats), CASE(empty_copy), CASE(bf16_exp))
