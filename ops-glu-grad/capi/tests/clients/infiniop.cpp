// infiniop from C++: every element type, and one descriptor for many threads.
#include "check.h"
#include "infiniop/handle.h"
#include "infiniop/ops/gelu_backward.h"
#include "infiniop/tensor_descriptor.h"

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

struct Operator {
    infiniopHandle_t handle = nullptr;
    infiniopGeLUBackwardDescriptor_t desc = nullptr;

    Operator(const std::vector<size_t>& shape, infiniDtype_t dtype)
    {
        infiniopTensorDescriptor_t tensor = nullptr;
        IS(INFINI_STATUS_SUCCESS, infiniopCreateHandle(&handle));
        IS(INFINI_STATUS_SUCCESS, infiniopCreateTensorDescriptor(&tensor, shape.size(), shape.data(), nullptr, dtype));
        IS(INFINI_STATUS_SUCCESS, infiniopCreateGeLUBackwardDescriptor(handle, &desc, tensor, tensor, tensor));
        IS(INFINI_STATUS_SUCCESS, infiniopDestroyTensorDescriptor(tensor));
    }
    Operator(const Operator&) = delete;
    Operator& operator=(const Operator&) = delete;
    ~Operator()
    {
        IS(INFINI_STATUS_SUCCESS, infiniopDestroyGeLUBackwardDescriptor(desc));
        IS(INFINI_STATUS_SUCCESS, infiniopDestroyHandle(handle));
    }
};

// The numbers that 16 bits are, for numbers that need few of them.
double Value(uint16_t bits, infiniDtype_t dtype)
{
    if (dtype == INFINI_DTYPE_BF16) {
        const uint32_t wide = static_cast<uint32_t>(bits) << 16;
        float value;
        std::memcpy(&value, &wide, 4);
        return value;
    }
    const int exponent = (bits >> 10) & 31;
    const double size = exponent == 0 ? std::ldexp(bits & 1023, -24) : std::ldexp(1024 + (bits & 1023), exponent - 25);
    return bits & 0x8000 ? -size : size;
}

void Halves(infiniDtype_t dtype, double tolerance)
{
    const uint16_t one = dtype == INFINI_DTYPE_BF16 ? 0x3f80 : 0x3c00;
    const size_t n = 1000;
    std::vector<uint16_t> x(n), dy(n, one), dx(n);
    for (size_t i = 0; i < n; i++) { // around 1 and -1
        x[i] = static_cast<uint16_t>(one + i % 100) | static_cast<uint16_t>(i % 2 << 15);
    }
    Operator op({10, 100}, dtype);
    IS(INFINI_STATUS_SUCCESS, infiniopGeLUBackward(op.desc, nullptr, 0, dx.data(), x.data(), dy.data(), nullptr));
    for (size_t i = 0; i < n; i++) {
        const double want = gelu_grad(Value(x[i], dtype), 1);
        CHECK(std::fabs(Value(dx[i], dtype) - want) <= tolerance);
    }
}

void Threads()
{
    const size_t n = 5000;
    Operator op({n}, INFINI_DTYPE_F32);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int k = 1; k <= 8; k++) {
        threads.emplace_back([&, k] {
            std::vector<float> x(n, 0.25f * static_cast<float>(k)), dy(n, 1), dx(n);
            for (int round = 0; round < 50; round++) {
                wrong += infiniopGeLUBackward(op.desc, nullptr, 0, dx.data(), x.data(), dy.data(), nullptr) != 0;
            }
            wrong += !near(dx[n - 1], gelu_grad(0.25 * k, 1), 2e-6);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(wrong == 0);
}

} // namespace

int main()
{
    Halves(INFINI_DTYPE_F16, 1e-3);
    Halves(INFINI_DTYPE_BF16, 8e-3);
    Threads();
    std::printf("%d failures\n", failures);
    return failures != 0;
}
