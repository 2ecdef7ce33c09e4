// Broken kernels: UB and GM used beyond what is there, before it is written, or twice.
#include "bench.h"

__global__ __aicore__ void ub_capacity(GM_ADDR, GM_ADDR)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    pipe.InitBuffer(queue, 2, 100 * 1024);  // finds: ub_capacity
}

__global__ __aicore__ void ub_reserved(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    TBuf<> rest;
    bench.pipe.InitBuffer(rest, 190000);
    LocalTensor<float> t = bench.Load();
    LocalTensor<uint8_t> bits = bench.temp.Get<uint8_t>();
    Compares(bits, t, 0.5f, CMPMODE::GE, 64);
    Select(t, bits, t, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);  // finds: ub_reserved
}

__global__ __aicore__ void ub_alignment(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    Adds(t[1], t[1], 1.0f, 8);  // finds: ub_alignment
}

__global__ __aicore__ void copy_alignment(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopy(t[4], bench.x, 8);  // finds: copy_alignment
}

__global__ __aicore__ void ub_bounds(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    Duplicate(bench.temp.Get<float>(), 1.0f, 257);  // finds: ub_bounds
}

__global__ __aicore__ void uninitialised(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.temp.Get<float>();
    Adds(t, t, 1.0f, 8);  // finds: uninitialised
}

__global__ __aicore__ void uninitialised_tail(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopyPad(t, bench.x, DataCopyExtParams{1, 12, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 0, 0});
    bench.in.EnQue(t);
    t = bench.in.DeQue<float>();
    Adds(t, t, 1.0f, 9);  // finds: uninitialised_tail
}

// Padding asked for without a value holds nothing to rely on.
__global__ __aicore__ void uninitialised_pad(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopyPad(t, bench.x, DataCopyExtParams{1, 12, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 2, 0});
    bench.in.EnQue(t);
    t = bench.in.DeQue<float>();
    Adds(t, t, 1.0f, 8);  // finds: uninitialised_pad
}

__global__ __aicore__ void stale(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    for (int i = 0; i < 3; ++i) {
        LocalTensor<float> t = bench.in.AllocTensor<float>();
        if (i < 2) {
            DataCopy(t, bench.x, 64);
        }
        bench.in.EnQue(t);
        t = bench.in.DeQue<float>();
        Adds(t, t, 1.0f, 64);  // finds: stale
        bench.in.FreeTensor(t);
    }
}

__global__ __aicore__ void overlap(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    Adds(t[8], t, 1.0f, 16);  // finds: overlap
}

__global__ __aicore__ void overlap_repeats(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    Add(t, t, t, 8, 8, BinaryRepeatParams(1, 1, 1, 1, 0, 0));  // finds: overlap_repeats
}

__global__ __aicore__ void overlap_widening(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    Cast(t, t.ReinterpretCast<half>(), RoundMode::CAST_NONE, 64);  // finds: overlap_widening
}

__global__ __aicore__ void gm_read_bounds(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopy(t, bench.x[2048 - 32], 64);  // finds: gm_read_bounds
}

__global__ __aicore__ void gm_write_bounds(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.out.AllocTensor<float>();
    Duplicate(t, 1.0f, 64);
    bench.out.EnQue(t);
    t = bench.out.DeQue<float>();
    DataCopyPad(bench.y, t, DataCopyExtParams{2, 128, 0, 4, 0});  // finds: gm_write_bounds
}

__global__ __aicore__ void gm_alignment(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    bench.x.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(a + 2));
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopy(t, bench.x, 8);  // finds: gm_alignment
}

__global__ __aicore__ void gm_read_only(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(bench.x, t, 64);  // finds: gm_read_only
}

__global__ __aicore__ void gm_unwritten(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.out.AllocTensor<float>();
    Duplicate(t, 1.0f, 64);
    bench.out.EnQue(t);
    t = bench.out.DeQue<float>();
    DataCopyPad(bench.y, t, DataCopyExtParams{1, 252, 0, 0, 0});
    bench.out.FreeTensor(t);
}

__global__ __aicore__ void gm_written_twice(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    for (int i = 0; i < 2; ++i) {
        LocalTensor<float> t = bench.out.AllocTensor<float>();
        Duplicate(t, 1.0f, 64);
        bench.out.EnQue(t);
        t = bench.out.DeQue<float>();
        DataCopy(bench.y, t, 64);  // finds: gm_written_twice
        bench.out.FreeTensor(t);
    }
}

// With two blocks, both write everything.
__global__ __aicore__ void gm_two_cores(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.out.AllocTensor<float>();
    Duplicate(t, 1.0f, 64);
    bench.Store(t);
}

// The second tile reads what the first has written over.
__global__ __aicore__ void gm_in_place(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    for (int i = 0; i < 2; ++i) {
        LocalTensor<float> t = bench.in.AllocTensor<float>();
        DataCopy(t, bench.y[static_cast<uint64_t>(i) * 32], 64);  // finds: gm_in_place
        bench.in.EnQue(t);
        t = bench.in.DeQue<float>();
        LocalTensor<float> r = bench.out.AllocTensor<float>();
        Adds(r, t, 1.0f, 64);
        bench.in.FreeTensor(t);
        bench.Store(r);
    }
}

// Block 1 reads what block 0 has written, without waiting for it.
__global__ __aicore__ void gm_race(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    if (GetBlockIdx() == 0) {
        LocalTensor<float> t = bench.out.AllocTensor<float>();
        Duplicate(t, 1.0f, 64);
        bench.Store(t);
    } else {
        LocalTensor<float> t = bench.in.AllocTensor<float>();
        DataCopy(t, bench.y, 64);  // finds: gm_race
    }
}

__global__ __aicore__ void gm_uninitialised(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopy(t, bench.y, 64);  // finds: gm_uninitialised
}

__global__ __aicore__ void gm_atomic(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.out.AllocTensor<float>();
    Duplicate(t, 1.0f, 64);
    bench.out.EnQue(t);
    t = bench.out.DeQue<float>();
    SetAtomicAdd<float>();
    DataCopy(bench.y, t, 64);  // finds: gm_atomic
}

__global__ __aicore__ void gm_foreign(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    static float elsewhere[64];
    bench.x.SetGlobalBuffer(elsewhere);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopy(t, bench.x, 64);  // finds: gm_foreign
}

HOST_MODEL_MAIN(CASE(ub_capacity), CASE(ub_reserved), CASE(ub_alignment), CASE(copy_alignment), CASE(ub_bounds),
                CASE(uninitialised), CASE(uninitialised_tail), CASE(uninitialised_pad), CASE(stale), CASE(overlap),
                CASE(overlap_repeats), CASE(overlap_widening), CASE(gm_read_bounds), CASE(gm_write_bounds),
                CASE(gm_alignment), CASE(gm_read_only), CASE(gm_unwritten), CASE(gm_written_twice),
                CASE(gm_two_cores), CASE(gm_in_place), CASE(gm_race), CASE(gm_uninitialised), CASE(gm_atomic),
                CASE(gm_foreign))
