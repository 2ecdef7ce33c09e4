// Kernels for the architectures without byte-exact copies: what they lack, and the
// way around it that works.
#include "bench.h"

__global__ __aicore__ void copy_pad(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopyPad(t, bench.x, DataCopyExtParams{1, 4, 0, 0, 0}, DataCopyPadExtParams<float>());  // finds: copy_pad
}

__global__ __aicore__ void copy_pad_out(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.out.AllocTensor<float>();
    DataCopyPad(bench.y, t, DataCopyExtParams{1, 4, 0, 0, 0});  // finds: copy_pad_out
}

__global__ __aicore__ void bf16_copy(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<bfloat16_t> t = bench.in.AllocTensor<bfloat16_t>();
    DataCopy(t, bench.x.ReinterpretCast<bfloat16_t>(), 16);  // finds: bf16_copy
}

__global__ __aicore__ void bf16_cast(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    Cast(bench.temp.Get<bfloat16_t>(), bench.Load(), RoundMode::CAST_RINT, 64);  // finds: bf16_cast
}

__global__ __aicore__ void cast_rint(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    Cast(bench.temp.Get<half>(), bench.Load(), RoundMode::CAST_RINT, 64);  // finds: cast_rint
}

__global__ __aicore__ void hard_sync(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    SyncAll();  // finds: hard_sync
}

__global__ __aicore__ void soft_sync_small(GM_ADDR a, GM_ADDR b, GM_ADDR workspace)
{
    Bench bench(a, b);
    GlobalTensor<int32_t> flags;
    flags.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(workspace));
    SyncAll(flags, bench.temp.Get<int32_t>(8));  // finds: soft_sync_small
}

// Every block sets all of the output to zero in part, then all add to it.
__global__ __aicore__ void good_add(GM_ADDR a, GM_ADDR b, GM_ADDR workspace)
{
    Bench bench(a, b);
    const uint64_t part = static_cast<uint64_t>(GetBlockIdx()) * 32;
    LocalTensor<float> zero = bench.out.AllocTensor<float>();
    Duplicate(zero, 0.0f, 32);
    bench.out.EnQue(zero);
    zero = bench.out.DeQue<float>();
    DataCopy(bench.y[part], zero, 32);
    bench.out.FreeTensor(zero);
    GlobalTensor<int32_t> flags;
    flags.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(workspace));
    SyncAll(flags, bench.temp.Get<int32_t>());
    LocalTensor<float> t = bench.Load();
    LocalTensor<float> sum = bench.out.AllocTensor<float>();
    Adds(sum, t, 1.0f, 64);
    bench.in.FreeTensor(t);
    SetAtomicAdd<float>();
    bench.Store(sum);
    SetAtomicNone();
}

// The last block of a row covers what was written before it.
__aicore__ inline void Repeat(Bench& bench, uint32_t from, bool waits)
{
    LocalTensor<float> y = bench.out.AllocTensor<float>();
    Duplicate(y, 1.0f, 64);
    Duplicate(y[8], 2.0f, 8);
    bench.out.EnQue(y);
    y = bench.out.DeQue<float>();
    DataCopy(bench.y, y, 64);
    if (waits) {
        PipeBarrier<PIPE_MTE3>();
        DataCopy(bench.y[52], y[from], 8);  // finds: repeat_unequal
    } else {
        DataCopy(bench.y[52], y[from], 8);  // finds: repeat_at_once
    }
    bench.out.FreeTensor(y);
}

__global__ __aicore__ void good_repeat(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    Repeat(bench, 48, true);
}

// Each may be the last that arrives.
__global__ __aicore__ void repeat_at_once(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    Repeat(bench, 48, false);
}

__global__ __aicore__ void repeat_unequal(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    Repeat(bench, 8, true);
}

__global__ __aicore__ void repeat_of_another(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> y = bench.out.AllocTensor<float>();
    Duplicate(y, 1.0f, 64);
    bench.out.EnQue(y);
    y = bench.out.DeQue<float>();
    if (GetBlockIdx() == 0) {
        DataCopy(bench.y, y, 64);
    } else {
        DataCopy(bench.y[56], y, 8);  // finds: repeat_of_another
    }
    bench.out.FreeTensor(y);
}

// Elements next to each other by the scalar code of two cores.
__global__ __aicore__ void cache_line(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    bench.y.SetValue(static_cast<uint64_t>(GetBlockIdx()) * 15, 1.0f);  // finds: cache_line
}

// The same, and a copy by another.
__global__ __aicore__ void cache_line_and_copy(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> y = bench.out.AllocTensor<float>();
    Duplicate(y, 1.0f, 64);
    bench.out.EnQue(y);
    y = bench.out.DeQue<float>();
    if (GetBlockIdx() == 0) {
        DataCopy(bench.y[8], y, 8);
    } else {
        bench.y.SetValue(0, 1.0f);  // finds: cache_line_and_copy
    }
    bench.out.FreeTensor(y);
}

// Words of 16 blocks, so many times; addresses lie `gap` bytes apart, on both sides.
__aicore__ inline void Turn(Bench& bench, uint32_t gap, uint8_t repeats, uint16_t step, uint32_t shift)
{
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopy(t, bench.x, 128);
    bench.in.EnQue(t);
    t = bench.in.DeQue<float>();
    LocalTensor<float> y = bench.out.AllocTensor<float>();
    uint64_t to[NCHW_CONV_ADDR_LIST_SIZE];
    uint64_t from[NCHW_CONV_ADDR_LIST_SIZE];
    for (uint32_t i = 0; i < 16; ++i) {
        to[i] = y.GetPhyAddr() + i * gap + shift;
        from[i] = t.GetPhyAddr() + i * 32;
    }
    TransDataTo5HD<uint16_t>(to, from, TransDataTo5HDParams(false, false, repeats, step, step));  // finds: turn
    bench.in.FreeTensor(t);
    bench.out.EnQue(y);
    y = bench.out.DeQue<float>();
    DataCopy(bench.y, y, 64);
    bench.out.FreeTensor(y);
}

__global__ __aicore__ void good_turn(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    Turn(bench, 32, 1, 0, 0);
}

// The step of a single repeat comes before it.
__global__ __aicore__ void turn_step(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    Turn(bench, 32, 1, 16, 0);
}

__global__ __aicore__ void turn_unaligned(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    Turn(bench, 32, 1, 0, 16);
}

__global__ __aicore__ void turn_twice(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    Turn(bench, 0, 1, 0, 0);
}

__global__ __aicore__ void turn_again(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    Turn(bench, 32, 2, 17, 0);
}

// Bursts within UB, every other block.
__global__ __aicore__ void good_bursts(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    LocalTensor<float> y = bench.out.AllocTensor<float>();
    Duplicate(y, 0.0f, 64);
    DataCopy(y, t, DataCopyParams(4, 1, 1, 0));
    bench.in.FreeTensor(t);
    bench.Store(y);
}

__global__ __aicore__ void bursts_overlap(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    DataCopy(t[8], t, DataCopyParams(2, 1, 1, 1));  // finds: bursts_overlap
}

HOST_MODEL_MAIN(CASE(good_turn), CASE(turn_step), CASE(turn_unaligned), CASE(turn_twice), CASE(turn_again),
                CASE(good_bursts), CASE(bursts_overlap), CASE(copy_pad), CASE(copy_pad_out), CASE(bf16_copy), CASE(bf16_cast), CASE(cast_rint), CASE(hard_sync),
                CASE(soft_sync_small), CASE(good_add), CASE(good_repeat), CASE(repeat_unequal), CASE(repeat_at_once),
                CASE(repeat_of_another),
                CASE(cache_line), CASE(cache_line_and_copy))
