// The executor of a call: it owns what phase 1 makes, and remembers each step as a line of text.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "opdev/common_types.h"
#include "opdev/op_errno.h"
#include "opdev/op_log.h"

struct aclOpExecutor {
    std::vector<std::string> steps;

    aclTensor* AllocTensor(const op::Shape& shape, op::DataType dtype, op::Format format = ge::FORMAT_ND)
    {
        tensors_.push_back(aclTensor{shape, dtype, "", format});
        return &tensors_.back();
    }
    aclTensor* AllocTensor(op::DataType dtype, op::Format storageFormat, op::Format originFormat)
    {
        (void)originFormat;
        return AllocTensor(op::Shape(), dtype, storageFormat);
    }
    aclIntArray* AllocIntArray(const int64_t* value, uint64_t size)
    {
        arrays_.push_back(aclIntArray{std::vector<int64_t>(value, value + size)});
        return &arrays_.back();
    }
    uint64_t GetWorkspaceSize() const { return 16; }

private:
    std::deque<aclTensor> tensors_; // addresses stay
    std::deque<aclIntArray> arrays_;
};

class UniqueExecutor {
public:
    explicit UniqueExecutor(const char*) : executor_(new aclOpExecutor) {}
    aclOpExecutor* get() const { return executor_.get(); }
    aclOpExecutor* operator->() const { return executor_.get(); }
    void ReleaseTo(aclOpExecutor** executor) { *executor = executor_.release(); }

private:
    std::unique_ptr<aclOpExecutor> executor_;
};

inline aclnnStatus CommonOpExecutorRun(void*, uint64_t, aclOpExecutor* executor, aclrtStream)
{
    return executor == nullptr ? ACLNN_ERR_PARAM_NULLPTR : ACLNN_SUCCESS;
}

namespace host_model {

/// A tensor made from another by a step.
inline const aclTensor* Step(const char* what, const aclTensor* from, const op::Shape& shape,
                             op::DataType dtype, aclOpExecutor* executor)
{
    aclTensor* made = executor->AllocTensor(shape, dtype);
    made->name = from->name;
    executor->steps.push_back(std::string(what) + " " + from->name + " " +
                              op::ToString(dtype).GetString() + op::ToString(shape).GetString());
    return made;
}

} // namespace host_model
