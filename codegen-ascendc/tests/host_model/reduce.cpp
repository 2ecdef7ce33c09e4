// Reducing blocks, and repeating numbers along blocks: correct kernels, and broken ones.
#include "bench.h"

// The mask with these lanes of every block.
constexpr uint64_t EachBlock(uint64_t lanes) { return lanes * 0x0101010101010101; }

// Sums of the first three elements of each block, then the largest of them, then one of them along a block.
__global__ __aicore__ void good_reduce(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> x = bench.Load();
    LocalTensor<float> t = bench.temp.Get<float>();
    LocalTensor<float> y = bench.out.AllocTensor<float>();
    const uint64_t three[2] = {EachBlock(7), 0};
    const uint64_t all[2] = {EachBlock(255), 0};
    const uint64_t first[2] = {1, 0};
    Duplicate(y, 0.0f, 64);
    Duplicate(t, 0.0f, 64);
    PipeBarrier<PIPE_V>();
    ReduceDataBlock<ReduceType::SUM, float, float>(t, x, three, 1, 1, 1, 8);
    PipeBarrier<PIPE_V>();
    BlockReduceMax<float>(y, x, 1, all, 1, 1, 8);
    ReduceDataBlock<ReduceType::MAX, float, float>(y[8], t, first, 1, 1, 1, 8);
    PipeBarrier<PIPE_V>();
    // Blocks that lie apart.
    BlockReduceSum<float>(y[16], y, 1, first, 1, 2, 16);
    PipeBarrier<PIPE_V>();
    Brcb(y, t, 1, BrcbRepeatParams(1, 8));
    bench.in.FreeTensor(x);
    bench.Store(y);
}

__global__ __aicore__ void reduce_alignment(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> x = bench.Load();
    const uint64_t all[2] = {EachBlock(255), 0};
    ReduceDataBlock<ReduceType::SUM, float, float>(bench.temp.Get<float>()[4], x, all, 1, 1, 1, 8);  // finds: reduce_alignment
}

__global__ __aicore__ void reduce_repeats(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> x = bench.Load();
    const uint64_t all[2] = {EachBlock(255), 0};
    ReduceDataBlock<ReduceType::SUM, float, float>(bench.temp.Get<float>(), x, all, 256, 1, 1, 8);  // finds: reduce_repeats
}

__global__ __aicore__ void reduce_stride(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> x = bench.Load();
    const uint64_t all[2] = {EachBlock(255), 0};
    BlockReduceSum<float>(bench.temp.Get<float>(), x, 1, all, 1, 65536, 8);  // finds: reduce_stride
}

__global__ __aicore__ void reduce_no_lane(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> x = bench.Load();
    const uint64_t none[2] = {0, 0};
    BlockReduceSum<float>(bench.temp.Get<float>(), x, 1, none, 1, 1, 8);  // finds: reduce_no_lane
}

// Rows beyond the last that came in.
__global__ __aicore__ void reduce_bounds(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> x = bench.Load();
    const uint64_t all[2] = {EachBlock(255), 0};
    BlockReduceSum<float>(bench.temp.Get<float>(), x, 2, all, 1, 1, 8);  // finds: reduce_bounds
}

// A block of which no element takes part has no result.
__global__ __aicore__ void reduce_left_out(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> x = bench.Load();
    LocalTensor<float> t = bench.temp.Get<float>();
    const uint64_t seven[2] = {EachBlock(255) >> 8, 0};
    BlockReduceSum<float>(t, x, 1, seven, 1, 1, 8);
    PipeBarrier<PIPE_V>();
    Adds(x, t, 1.0f, 8);  // finds: reduce_left_out
}

__global__ __aicore__ void reduce_without_barrier(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> x = bench.Load();
    const uint64_t all[2] = {EachBlock(255), 0};
    Adds(x, x, 1.0f, 64);
    BlockReduceSum<float>(bench.temp.Get<float>(), x, 1, all, 1, 1, 8);  // finds: reduce_without_barrier
}

__global__ __aicore__ void repeat_overlap(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> x = bench.Load();
    Brcb(x, x, 1, BrcbRepeatParams(1, 8));  // finds: repeat_overlap
}

__global__ __aicore__ void repeat_stride(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> x = bench.Load();
    Brcb(bench.temp.Get<float>(), x, 1, BrcbRepeatParams(0, 8));  // finds: repeat_stride
}

__global__ __aicore__ void repeat_without_barrier(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> x = bench.Load();
    Adds(x, x, 1.0f, 64);
    Brcb(bench.temp.Get<float>(), x, 1, BrcbRepeatParams(1, 8));  // finds: repeat_without_barrier
}

// Operands with strides may interleave: here every other block is added to the block before it.
__global__ __aicore__ void good_interleaved(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> x = bench.Load();
    LocalTensor<float> y = bench.out.AllocTensor<float>();
    Duplicate(y, 1.0f, 64);
    PipeBarrier<PIPE_V>();
    Add(y, y, x, 64);
    PipeBarrier<PIPE_V>();
    Add(y, y, y[8], static_cast<uint64_t>(8), 4, BinaryRepeatParams(1, 1, 1, 2, 2, 2));
    bench.in.FreeTensor(x);
    bench.Store(y);
}

// Here each block is added to the one before it, which is a source of the repeat before.
__global__ __aicore__ void overlap_interleaved(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> x = bench.Load();
    Add(x, x, x[8], static_cast<uint64_t>(8), 4, BinaryRepeatParams(1, 1, 1, 1, 1, 1));  // finds: overlap_interleaved
}

HOST_MODEL_MAIN(CASE(good_reduce), CASE(reduce_alignment), CASE(reduce_repeats), CASE(reduce_stride), CASE(reduce_no_lane),
                CASE(reduce_bounds), CASE(reduce_left_out), CASE(reduce_without_barrier), CASE(repeat_overlap),
                CASE(repeat_stride), CASE(repeat_without_barrier), CASE(good_interleaved), CASE(overlap_interleaved))
