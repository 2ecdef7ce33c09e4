// What the small kernels of the tests have in common: one queue in, one queue out,
// a plain buffer, and a GM tensor at each end.
#pragma once

#include "kernel_operator.h"
#include "run.h"

using namespace AscendC;

struct Bench {
    Bench(GM_ADDR a, GM_ADDR b)
    {
        pipe.InitBuffer(in, 2, kBytes);
        pipe.InitBuffer(out, 2, kBytes);
        pipe.InitBuffer(temp, kBytes);
        x.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(a));
        y.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(b));
    }

    // The first 64 elements, ready for vector code.
    LocalTensor<float> Load()
    {
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, x, 64);
        in.EnQue(t);
        return in.DeQue<float>();
    }

    // Sends 64 elements to element `at` of the output.
    void Store(LocalTensor<float> t, uint64_t at = 0)
    {
        out.EnQue(t);
        t = out.DeQue<float>();
        DataCopy(y[at], t, 64);
        out.FreeTensor(t);
    }

    static constexpr uint32_t kBytes = 1024;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> temp;
    GlobalTensor<float> x, y;
};

#define CASE(NAME) {#NAME, host_model::Bind(NAME)}
