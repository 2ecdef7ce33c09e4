// Tensors: typed views of UB and of GM.
#pragma once

#include <cstdint>

#include "core.h"
#include "types.h"

namespace AscendC {

/// A view of a UB buffer.
template <typename T>
class LocalTensor {
public:
    using PrimType = T;

    LocalTensor() = default;
    /// For the model's own use: a view of `span`.
    LocalTensor(const host_model::Span& span, TPosition position) : span_(span), position_(position) {}

    /// The part from element `offset` on.
    LocalTensor operator[](uint32_t offset) const
    {
        host_model::Span span = span_;
        const uint64_t bytes = static_cast<uint64_t>(offset) * sizeof(T);
        span.address += static_cast<uint32_t>(bytes);
        span.length = bytes > span.length ? 0 : span.length - static_cast<uint32_t>(bytes);
        return LocalTensor(span, position_);
    }

    /// The same bytes as elements of another type.
    template <typename U>
    LocalTensor<U> ReinterpretCast() const
    {
        return LocalTensor<U>(span_, position_);
    }

    /// Elements up to the end of the buffer.
    uint32_t GetSize() const { return span_.length / static_cast<uint32_t>(sizeof(T)); }
    uint32_t GetLength() const { return span_.length; }
    void SetSize(uint32_t size) { span_.length = size * static_cast<uint32_t>(sizeof(T)); }
    int32_t GetPosition() const { return static_cast<int32_t>(position_); }
    uint64_t GetPhyAddr() const { return span_.address; }
    uint64_t GetPhyAddr(uint32_t offset) const { return span_.address + offset * sizeof(T); }

    /// One element, read by the scalar pipe.
    HOST_MODEL_ONCE T GetValue(uint32_t index, host_model::Where where = host_model::Where::Here()) const
    {
        host_model::Core& core = host_model::CurrentCore();
        const uint32_t address = span_.address + index * static_cast<uint32_t>(sizeof(T));
        core.CheckSpan(span_, address, sizeof(T), sizeof(T), "GetValue", where);
        core.Read(span_, address, sizeof(T), host_model::Pipe::kScalar,
                  core.clocks.Issue(host_model::Pipe::kScalar, where.line), "GetValue", where);
        return host_model::Load<T>(core.Ub(address));
    }

    /// One element, written by the scalar pipe.
    HOST_MODEL_ONCE void SetValue(uint32_t index, T value, host_model::Where where = host_model::Where::Here()) const
    {
        host_model::Core& core = host_model::CurrentCore();
        const uint32_t address = span_.address + index * static_cast<uint32_t>(sizeof(T));
        core.CheckSpan(span_, address, sizeof(T), sizeof(T), "SetValue", where);
        core.Write(span_, address, sizeof(T), host_model::Pipe::kScalar,
                   core.clocks.Issue(host_model::Pipe::kScalar, where.line), "SetValue", where);
        core.ub_scalar_stores += 1;
        host_model::Store<T>(core.Ub(address), value);
    }

    /// For the model's own use.
    const host_model::Span& Span() const { return span_; }

private:
    host_model::Span span_;
    TPosition position_ = TPosition::VECCALC;
};

/// A view of GM.
template <typename T>
class GlobalTensor {
public:
    using PrimType = T;

    GlobalTensor() = default;

    void SetGlobalBuffer(__gm__ T* buffer) { SetGlobalBuffer(buffer, 0); }

    /// The size is what the kernel says of itself; bounds are those of the argument.
    void SetGlobalBuffer(__gm__ T* buffer, uint64_t size)
    {
        address_ = reinterpret_cast<uint8_t*>(buffer);
        size_ = size;
        region_ = host_model::TheDevice().Find(buffer);
    }

    GlobalTensor operator[](uint64_t offset) const
    {
        GlobalTensor part = *this;
        part.address_ += offset * sizeof(T);
        part.size_ = offset > size_ ? 0 : size_ - offset;
        return part;
    }

    template <typename U>
    GlobalTensor<U> ReinterpretCast() const
    {
        GlobalTensor<U> other;
        other.SetGlobalBuffer(reinterpret_cast<U*>(address_), size_ * sizeof(T) / sizeof(U));
        return other;
    }

    const __gm__ T* GetPhyAddr() const { return reinterpret_cast<const T*>(address_); }
    __gm__ T* GetPhyAddr(uint64_t offset) const { return reinterpret_cast<T*>(address_) + offset; }
    uint64_t GetSize() const { return size_; }
    void SetL2CacheHint(CacheMode) {}

    /// One element, read by the scalar pipe.
    HOST_MODEL_ONCE T GetValue(uint64_t offset, host_model::Where where = host_model::Where::Here()) const
    {
        const int64_t at = Locate(offset * sizeof(T), "GetValue", where);
        region_->Read(at, sizeof(T), host_model::RunningCore(), host_model::TheDevice().epoch, where);
        return host_model::Load<T>(region_->Base() + at);
    }

    /// One element, written by the scalar pipe.
    HOST_MODEL_ONCE void SetValue(uint64_t offset, T value, host_model::Where where = host_model::Where::Here())
    {
        const int64_t at = Locate(offset * sizeof(T), "SetValue", where);
        region_->Write(at, sizeof(T), host_model::RunningCore(), host_model::TheDevice().epoch, false, where);
        region_->Cache(at, host_model::RunningCore(), where);
        host_model::CurrentCore().gm_scalar_stores += 1;
        host_model::Store<T>(region_->Base() + at, value);
    }

    /// For the model's own use: the argument.
    host_model::Region* Region() const { return region_; }

    /// For the model's own use: the offset in the argument, after a check that there
    /// is one and that the address suits the type.
    int64_t Locate(uint64_t bytes, const char* api, host_model::Where where, uint32_t align = sizeof(T)) const
    {
        if (region_ == nullptr) {
            host_model::Fail("gm-bounds", where,
                             "%s: the GM address belongs to no argument of the kernel", api);
        }
        const int64_t at = region_->Offset(address_) + static_cast<int64_t>(bytes);
        if (at % align != 0) {
            host_model::Fail("gm-alignment", where,
                             "%s at byte %lld of '%s': must be a multiple of %u", api,
                                                static_cast<long long>(at), region_->name.c_str(), align);
        }
        return at;
    }

private:
    uint8_t* address_ = nullptr;
    uint64_t size_ = 0;
    host_model::Region* region_ = nullptr;
};

/// Writes back what scalar code wrote; the model has no cache in between.
template <typename T, CacheLine line>
void DataCacheCleanAndInvalid(const GlobalTensor<T>&, host_model::Where where = host_model::Where::Here())
{
    if (host_model::kArch == 1001) {
        host_model::Fail("not-on-arch", where, "DataCacheCleanAndInvalid does not exist on 1001");
    }
}

}  // namespace AscendC
