// Broken kernels: queues used out of order or beyond their size.
#include "bench.h"

__global__ __aicore__ void alloc_without_free(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    for (int i = 0; i < 3; ++i) {
        bench.in.AllocTensor<float>();  // finds: alloc_without_free
    }
}

__global__ __aicore__ void enque_foreign(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    bench.out.EnQue(t);  // finds: enque_foreign
}

__global__ __aicore__ void enque_part(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    bench.in.EnQue(t[8]);  // finds: enque_part
}

__global__ __aicore__ void enque_twice(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    bench.in.EnQue(t);
    bench.in.EnQue(t);  // finds: enque_twice
}

__global__ __aicore__ void enque_beyond_depth(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    LocalTensor<float> u = bench.in.AllocTensor<float>();
    bench.in.EnQue(t);
    bench.in.EnQue(u);  // finds: enque_beyond_depth
}

__global__ __aicore__ void deque_empty(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    bench.in.DeQue<float>();  // finds: deque_empty
}

__global__ __aicore__ void free_twice(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    bench.in.FreeTensor(t);
    bench.in.FreeTensor(t);  // finds: free_twice
}

__global__ __aicore__ void free_queued(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    bench.in.EnQue(t);
    bench.in.FreeTensor(t);  // finds: free_queued
}

__global__ __aicore__ void leak(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();  // finds: leak
    bench.in.EnQue(t);
}

__global__ __aicore__ void use_after_free(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    bench.in.FreeTensor(t);
    Adds(t, t, 1.0f, 64);  // finds: use_after_free
}

__global__ __aicore__ void use_while_queued(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.out.AllocTensor<float>();
    Duplicate(t, 1.0f, 64);
    bench.out.EnQue(t);
    Adds(t, t, 1.0f, 64);  // finds: use_while_queued
}

__global__ __aicore__ void buffers_of_position(GM_ADDR, GM_ADDR)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queues[5];
    for (auto& queue : queues) {
        pipe.InitBuffer(queue, 2, 32);  // finds: buffers_of_position
    }
}

__global__ __aicore__ void buffers_in_all(GM_ADDR, GM_ADDR)
{
    TPipe pipe;
    TBuf<> buffers[65];
    for (auto& buffer : buffers) {
        pipe.InitBuffer(buffer, 32);  // finds: buffers_in_all
    }
}

__global__ __aicore__ void no_buffers(GM_ADDR, GM_ADDR)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    queue.AllocTensor<float>();  // finds: no_buffers
}

__global__ __aicore__ void init_twice(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    bench.pipe.InitBuffer(bench.in, 2, 32);  // finds: init_twice
}

__global__ __aicore__ void part_of_buffer(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    bench.temp.Get<float>(257);  // finds: part_of_buffer
}

HOST_MODEL_MAIN(CASE(alloc_without_free), CASE(enque_foreign), CASE(enque_part), CASE(enque_twice),
                CASE(enque_beyond_depth), CASE(deque_empty), CASE(free_twice), CASE(free_queued), CASE(leak),
                CASE(use_after_free), CASE(use_while_queued), CASE(buffers_of_position), CASE(buffers_in_all),
                CASE(no_buffers), CASE(init_twice), CASE(part_of_buffer))
