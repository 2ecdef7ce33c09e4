// Broken kernels: parameters and types an instruction does not take.
#include "bench.h"

__global__ __aicore__ void copy_of_12_bytes(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopy(t, bench.x, 3);  // finds: copy_of_12_bytes
}

__global__ __aicore__ void block_count(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopyPad(t, bench.x, DataCopyExtParams{4096, 4, 0, 0, 0}, DataCopyPadExtParams<float>());  // finds: block_count
}

__global__ __aicore__ void block_len(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopyPad(t, bench.x, DataCopyExtParams{1, 2097152, 0, 0, 0}, DataCopyPadExtParams<float>());  // finds: block_len
}

__global__ __aicore__ void block_len_16(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopyParams params;
    params.blockLen = 65536;
    DataCopyPad(t, bench.x, params, DataCopyPadParams());  // finds: block_len_16
}

__global__ __aicore__ void stride_16(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopyParams params;
    params.blockLen = 1;
    params.srcStride = 70000;
    DataCopy(t, bench.x, params);  // finds: stride_16
}

__global__ __aicore__ void stride_32(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopyExtParams params;
    params.blockLen = 32;
    params.srcStride = uint64_t{1} << 32;
    DataCopyPad(t, bench.x, params, DataCopyPadExtParams<float>());  // finds: stride_32
}

__global__ __aicore__ void block_len_element(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopyPad(t, bench.x, DataCopyExtParams{1, 6, 0, 0, 0}, DataCopyPadExtParams<float>());  // finds: block_len_element
}

__global__ __aicore__ void padding(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopyPad(t, bench.x, DataCopyExtParams{1, 4, 0, 0, 0}, DataCopyPadExtParams<float>(true, 0, 9, 0));  // finds: padding
}

__global__ __aicore__ void repeat_time(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    Adds(t, t, 1.0f, 64, 256, UnaryRepeatParams(1, 1, 0, 0));  // finds: repeat_time
}

__global__ __aicore__ void mask_64(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    Adds(t, t, 1.0f, 65, 1, UnaryRepeatParams());  // finds: mask_64
}

__global__ __aicore__ void mask_128(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<half> t = bench.Load().ReinterpretCast<half>();
    Add(t, t, t, 129, 1, BinaryRepeatParams());  // finds: mask_128
}

__global__ __aicore__ void compares_count(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    Compares(bench.temp.Get<uint8_t>(), t, 0.0f, CMPMODE::LT, 56);  // finds: compares_count
}

__global__ __aicore__ void negative_count(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    Adds(t, t, 1.0f, -8);  // finds: negative_count
}

__global__ __aicore__ void exp_of_integers(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<int32_t> t = bench.Load().ReinterpretCast<int32_t>();
    Exp(t, t, 8);  // finds: exp_of_integers
}

__global__ __aicore__ void bf16_arithmetic(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<bfloat16_t> t = bench.Load().ReinterpretCast<bfloat16_t>();
    Mul(t, t, t, 16);  // finds: bf16_arithmetic
}

__global__ __aicore__ void cast_bf16_none(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    Cast(bench.temp.Get<bfloat16_t>(), bench.Load(), RoundMode::CAST_NONE, 64);  // finds: cast_bf16_none
}

__global__ __aicore__ void cast_half_rint(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    Cast(bench.temp.Get<float>(), bench.Load().ReinterpretCast<half>(), RoundMode::CAST_RINT, 64);  // finds: cast_half_rint
}

__global__ __aicore__ void cast_half_to_bf16(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<half> t = bench.Load().ReinterpretCast<half>();
    Cast(bench.temp.Get<bfloat16_t>(), t, RoundMode::CAST_RINT, 64);  // finds: cast_half_to_bf16
}

__global__ __aicore__ void gather_element(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    LocalTensor<uint32_t> at = bench.temp.Get<uint32_t>();
    Duplicate(at, uint32_t{2}, 64);
    LocalTensor<float> r = bench.out.AllocTensor<float>();
    Gather(r, t, at, 0, 64);  // finds: gather_element
}

__global__ __aicore__ void gather_bounds(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    LocalTensor<uint32_t> at = bench.temp.Get<uint32_t>();
    Duplicate(at, uint32_t{1024}, 64);
    LocalTensor<float> r = bench.out.AllocTensor<float>();
    Gather(r, t, at, 0, 64);  // finds: gather_bounds
}

__global__ __aicore__ void gather_pattern(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    uint64_t kept = 0;
    GatherMask(t, t, 8, false, 0, GatherMaskParams(1, 1, 8, 0), kept);  // finds: gather_pattern
}

struct Wide {
    uint64_t fields[9];
};

__global__ __aicore__ void tiling_size(GM_ADDR, GM_ADDR, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(Wide, data, tiling);  // finds: tiling_size
    static_cast<void>(data);
}

__global__ __aicore__ void atomic_left_on(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    SetAtomicAdd<float>();
}

HOST_MODEL_MAIN(CASE(copy_of_12_bytes), CASE(block_count), CASE(block_len), CASE(block_len_16), CASE(stride_16),
                CASE(stride_32), CASE(block_len_element), CASE(padding), CASE(repeat_time), CASE(mask_64),
                CASE(mask_128), CASE(compares_count), CASE(negative_count), CASE(exp_of_integers),
                CASE(bf16_arithmetic), CASE(cast_bf16_none), CASE(cast_half_rint), CASE(cast_half_to_bf16),
                CASE(gather_element), CASE(gather_bounds), CASE(gather_pattern), CASE(tiling_size),
                CASE(atomic_left_on))
