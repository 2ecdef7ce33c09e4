// Broken kernels: a wait is missing, or one never ends.
#include "bench.h"

__global__ __aicore__ void compute_without_deque(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopy(t, bench.x, 64);
    Adds(t, t, 1.0f, 64);  // finds: compute_without_deque
}

__global__ __aicore__ void copy_out_without_enque(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.out.AllocTensor<float>();
    Duplicate(t, 1.0f, 64);
    DataCopy(bench.y, t, 64);  // finds: copy_out_without_enque
}

__global__ __aicore__ void reuse_while_copied_out(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.temp.Get<float>();
    Duplicate(t, 1.0f, 64);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(bench.y, t, 64);
    Duplicate(t, 2.0f, 64);  // finds: reuse_while_copied_out
}

__global__ __aicore__ void load_over_use(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.temp.Get<float>();
    Duplicate(t, 1.0f, 64);
    DataCopy(t, bench.x, 64);  // finds: load_over_use
}

__global__ __aicore__ void copies_overlap(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopy(t, bench.x, 64);
    DataCopy(t[32], bench.x, 64);  // finds: copies_overlap
}

__global__ __aicore__ void wrong_event(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.temp.Get<float>();
    DataCopy(t, bench.x, 64);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    Adds(t, t, 1.0f, 64);  // finds: wrong_event
}

__global__ __aicore__ void scalar_write(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    PipeBarrier<PIPE_ALL>();
    t.SetValue(0, 2.0f);
    Adds(t, t, 1.0f, 64);  // finds: scalar_write
}

__global__ __aicore__ void scalar_read(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    Adds(t, t, 1.0f, 64);
    static_cast<void>(t.GetValue(0));  // finds: scalar_read
}

// The next three are right where hardware or the compiler orders vector instructions.
__global__ __aicore__ void read_after_write(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    LocalTensor<float> u = bench.out.AllocTensor<float>();
    Adds(t, t, 1.0f, 64);
    PipeBarrier<PIPE_V>();
    Adds(t, t, 1.0f, 64);
    Adds(u, t, 1.0f, 64);  // finds: read_after_write
    bench.in.FreeTensor(t);
    bench.Store(u);
}

__global__ __aicore__ void write_after_read(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    LocalTensor<float> u = bench.out.AllocTensor<float>();
    Adds(u, t, 3.0f, 64);
    Duplicate(t, 9.0f, 64);  // finds: write_after_read
    bench.in.FreeTensor(t);
    bench.Store(u);
}

__global__ __aicore__ void write_after_write(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    LocalTensor<float> u = bench.out.AllocTensor<float>();
    Duplicate(u, 9.0f, 64);
    Adds(u, t, 3.0f, 64);  // finds: write_after_write
    bench.in.FreeTensor(t);
    bench.Store(u);
}

// One barrier is enough for all that comes before it, and independent instructions need none.
__global__ __aicore__ void good_barrier(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.Load();
    LocalTensor<float> u = bench.out.AllocTensor<float>();
    LocalTensor<float> v = bench.temp.Get<float>();
    Adds(u, t, 1.0f, 64);
    Adds(v, t, 2.0f, 64);
    PipeBarrier<PIPE_V>();
    Sub(u, v, u, 64);
    Duplicate(t, 9.0f, 64);
    bench.in.FreeTensor(t);
    bench.Store(u);
}

__global__ __aicore__ void flag_twice(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);  // finds: flag_twice
}

__global__ __aicore__ void wait_unset(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);  // finds: wait_unset
}

__global__ __aicore__ void flag_left(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);  // finds: flag_left
}

__global__ __aicore__ void flag_number(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    SetFlag<HardEvent::V_MTE3>(8);  // finds: flag_number
}

__global__ __aicore__ void event_ids(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    for (int i = 0; i < 9; ++i) {
        bench.pipe.AllocEventID<HardEvent::V_MTE3>();  // finds: event_ids
    }
}

__global__ __aicore__ void sync_all(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    if (GetBlockIdx() == 0) {
        SyncAll();
    }
}

// Nothing is missing here: events alone, then the same buffer again.
__global__ __aicore__ void good_events(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.temp.Get<float>();
    const TEventID loaded = bench.pipe.AllocEventID<HardEvent::MTE2_V>();
    for (uint64_t i = 0; i < 2; ++i) {
        DataCopy(t, bench.x[i * 32], 32);
        SetFlag<HardEvent::MTE2_V>(loaded);
        WaitFlag<HardEvent::MTE2_V>(loaded);
        Adds(t, t, 1.0f, 32);
        TQueSync<PIPE_V, PIPE_MTE3> computed;
        computed.SetFlag(0);
        computed.WaitFlag(0);
        DataCopy(bench.y[i * 32], t, 32);
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    }
    bench.pipe.ReleaseEventID<HardEvent::MTE2_V>(loaded);
}

HOST_MODEL_MAIN(CASE(compute_without_deque), CASE(copy_out_without_enque), CASE(reuse_while_copied_out),
                CASE(load_over_use), CASE(copies_overlap), CASE(wrong_event), CASE(scalar_write), CASE(scalar_read),
                CASE(read_after_write), CASE(write_after_read),
                CASE(write_after_write), CASE(good_barrier), CASE(flag_twice), CASE(wait_unset), CASE(flag_left), CASE(flag_number),
                CASE(event_ids), CASE(sync_all), CASE(good_events))
