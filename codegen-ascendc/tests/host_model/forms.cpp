// A correct kernel that uses every form of every vector instruction: row r of the
// output holds one result.
#include "bench.h"

class Forms {
public:
    Forms(GM_ADDR a, GM_ADDR b) : bench(a, b)
    {
        bench.pipe.InitBuffer(ones, 256);
        bench.pipe.InitBuffer(more, 1024);
        one = ones.Get<float>();
        Duplicate(one, 2.0f, 64);
    }

    // x holds 128 floats.
    LocalTensor<float> Start()
    {
        LocalTensor<float> t = bench.in.AllocTensor<float>();
        DataCopy(t, bench.x, 128);
        bench.in.EnQue(t);
        return bench.in.DeQue<float>();
    }

    LocalTensor<float> Fresh() { return bench.out.AllocTensor<float>(); }

    void Row(LocalTensor<float> t) { bench.Store(t, 64 * row++); }

    void Process()
    {
        LocalTensor<float> x = Start();
        LocalTensor<float> r = Fresh();
        // Both repeats with the same constant.
        Mul(r, x, one, 64, 2, BinaryRepeatParams(1, 1, 1, 8, 8, 0));
        DataCopy(bench.temp.Get<float>(), r, 128);
        Row(r);
        r = Fresh();
        DataCopy(r, bench.temp.Get<float>()[64], 64);
        Row(r);
        r = Fresh();
        Adds(r, x, 0.0f, 64);
        Axpy(r, x, 0.1f, 64);
        Row(r);
        r = Fresh();
        Muls(r, x, 3.0f, 64);
        FusedMulAdd(r, x, x, 64);
        Row(r);
        r = Fresh();
        Muls(r, x, 3.0f, 64);
        MulAddDst(r, x, x[64], 64);
        Row(r);
        r = Fresh();
        LocalTensor<uint8_t> bits = bench.temp.Get<uint8_t>();
        LocalTensor<float> minus = more.Get<float>();
        Muls(minus, x, -1.0f, 64);
        Compares(bits, x, 3.0f, CMPMODE::GE, 64);
        Select(r, bits, x, minus, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
        Row(r);
        r = Fresh();
        Compare(bits, x, x[64], CMPMODE::LT, 64);
        Select(r, bits, x, 7.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
        Row(r);
        r = Fresh();
        uint64_t odd[2] = {0xaaaaaaaaaaaaaaaaull, 0};
        Duplicate(r, 0.0f, 64);
        Adds(r, x, 1.0f, odd, 1, UnaryRepeatParams());
        Row(r);
        r = Fresh();
        LocalTensor<uint32_t> at = more.Get<uint32_t>();
        for (uint32_t i = 0; i < 64; ++i) {
            if (i == 0) {
                SetFlag<HardEvent::V_S>(EVENT_ID0);
                WaitFlag<HardEvent::V_S>(EVENT_ID0);
            }
            at.SetValue(i, (63 - i) * 4);
        }
        SetFlag<HardEvent::S_V>(EVENT_ID0);
        WaitFlag<HardEvent::S_V>(EVENT_ID0);
        Gather(r, x, at, 0, 64);
        Row(r);
        r = Fresh();
        uint64_t kept = 0;
        GatherMask(r, x, 2, false, 0, GatherMaskParams(1, 2, 8, 0), kept);
        Muls(r, r, static_cast<float>(kept), 64);
        Row(r);
        r = Fresh();
        GatherMask(r, x, 1, true, 128, GatherMaskParams(1, 1, 0, 0), kept);
        Row(r);
        Unaries(x);
        Halves(x);
        Choices(x);
        bench.in.FreeTensor(x);
    }

    // A constant first, and two of them: both repeats with the same, each with its own bits.
    void Choices(LocalTensor<float> x)
    {
        LocalTensor<uint8_t> bits = bench.temp.Get<uint8_t>();
        LocalTensor<float> both = more.Get<float>();
        Compares(bits, x, 1.0f, CMPMODE::LT, 128);
        LocalTensor<float> r = Fresh();
        Select(r, bits, one, x, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64, 2, BinaryRepeatParams(1, 1, 1, 8, 0, 8));
        DataCopy(both, r, 128);
        Row(r);
        r = Fresh();
        DataCopy(r, both[64], 64);
        Row(r);
        r = Fresh();
        Select(r, bits, one, one, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64, 1, BinaryRepeatParams(1, 1, 1, 8, 0, 0));
        Row(r);
    }

    void Unaries(LocalTensor<float> x)
    {
        LocalTensor<float> r = Fresh();
        Abs(r, x, 64);
        Sqrt(r, r, 64);
        Row(r);
        r = Fresh();
        Exp(r, x, 64);
        Row(r);
        r = Fresh();
        Abs(r, x, 64);
        Ln(r, r, 64);
        Row(r);
        r = Fresh();
        Relu(r, x, 64);
        Sub(r, r, x[64], 64);
        Row(r);
        r = Fresh();
        Div(r, one, x, 64);
        Maxs(r, r, -2.0f, 64);
        Mins(r, r, 2.0f, 64);
        Row(r);
        r = Fresh();
        Max(r, x, x[64], 64);
        LocalTensor<float> least = more.Get<float>();
        Min(least, x, x[64], 64);
        Sub(r, r, least, 64);
        Row(r);
    }

    void Halves(LocalTensor<float> x)
    {
        LocalTensor<half> h = bench.temp.Get<half>();
        // A half is read and a float written: lanes of the wider type, strides of both.
        Cast(h, x, RoundMode::CAST_RINT, 64, 1, UnaryRepeatParams(1, 1, 4, 8));
        LocalTensor<float> r = Fresh();
        Duplicate(r, 1.0f, 64);
        Axpy(r, h, half(0.1f), 64);
        Row(r);
        r = Fresh();
        Mul(h, h, h, 64);
        Cast(r, h, RoundMode::CAST_NONE, 64);
        Row(r);
    }

private:
    Bench bench;
    TBuf<> ones, more;
    LocalTensor<float> one;
    uint64_t row = 0;
};

__global__ __aicore__ void forms(GM_ADDR a, GM_ADDR b)
{
    Forms op(a, b);
    op.Process();
}

// Rows of 5 floats, brought in with two more on the left and one on the right, and
// sent out with a gap between them.
__global__ __aicore__ void rows(GM_ADDR a, GM_ADDR b)
{
    Bench bench(a, b);
    LocalTensor<float> t = bench.in.AllocTensor<float>();
    DataCopyPad(t, bench.x, DataCopyExtParams{3, 20, 8, 1, 0}, DataCopyPadExtParams<float>(true, 2, 1, 9.0f));
    bench.in.EnQue(t);
    t = bench.in.DeQue<float>();
    LocalTensor<float> r = bench.out.AllocTensor<float>();
    for (uint32_t i = 0; i < 3; ++i) {
        Adds(r[i * 8], t[i * 16], 0.0f, 8);
    }
    bench.in.FreeTensor(t);
    bench.out.EnQue(r);
    r = bench.out.DeQue<float>();
    DataCopyPad(bench.y, r, DataCopyExtParams{3, 32, 0, 0, 0});
    bench.out.FreeTensor(r);
}

HOST_MODEL_MAIN(CASE(forms), CASE(rows))
