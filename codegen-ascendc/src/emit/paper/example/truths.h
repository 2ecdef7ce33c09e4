// Truth values: numbers on the host, and as the operator takes them on the device.
struct Truths : Numbers {
    Truths(const std::vector<int64_t>& dims, float phase) : Numbers(dims, phase)
    {
        for (float& value : host) {
            value = value > 0.0f ? 1.0f : 0.0f;
        }
    }
    bool ToDevice()
    {
        std::vector<unsigned char> stored(@bytes@);
        for (size_t i = 0; i < host.size(); ++i) {
            if (host[i] != 0.0f) {
                @stored@
            }
        }
        REQUIRE(aclrtMalloc(&device, stored.size(), ACL_MEM_MALLOC_HUGE_FIRST));
        REQUIRE(aclrtMemcpy(device, stored.size(), stored.data(), stored.size(), ACL_MEMCPY_HOST_TO_DEVICE));
        const int64_t strides[] = {shape[1], 1};
        tensor = aclCreateTensor(shape.data(), shape.size(), @type@, strides, 0, ACL_FORMAT_ND, shape.data(),
                                 shape.size(), device);
        return tensor != nullptr;
    }
};
