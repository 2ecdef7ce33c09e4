// Shape inference and the launch of a kernel, as steps of the executor.
#pragma once

#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "opdev/op_executor.h"

namespace host_model {

template <int kind, typename... A>
struct Arguments {
    std::tuple<A...> values;
};

template <int kind, typename... A>
Arguments<kind, A...> Pack(A... values)
{
    return {std::make_tuple(values...)};
}

inline std::string Shown(const aclTensor* t)
{
    return t == nullptr ? "nullptr" : t->name + op::ToString(t->shape).GetString();
}
inline std::string Shown(std::nullptr_t) { return "nullptr"; }
inline std::string Shown(aclTensor* t) { return op::ToString(t->shape).GetString(); }
inline std::string Shown(const char* text) { return text; }
inline std::string Shown(bool value) { return value ? "true" : "false"; }
inline std::string Shown(int64_t value) { return std::to_string(value); }
inline std::string Shown(float value) { return std::to_string(value); }

template <int kind, typename... A>
std::string Shown(const Arguments<kind, A...>& packed)
{
    std::string text;
    std::apply([&](auto... value) { ((text += " " + Shown(value)), ...); }, packed.values);
    return text;
}

/// The shape rule of the operator under test; by default an output is as the first input.
inline std::function<op::Shape(const std::vector<const aclTensor*>&, size_t)> shapeOf =
    [](const std::vector<const aclTensor*>& inputs, size_t) { return inputs[0]->shape; };

template <typename In, typename Out, typename Attr>
aclnnStatus InferShape(const In& in, const Out& out, const Attr&)
{
    std::vector<const aclTensor*> inputs;
    std::apply([&](auto... tensor) { (inputs.push_back(tensor), ...); }, in.values);
    size_t next = 0;
    std::apply([&](auto... tensor) { ((tensor->shape = shapeOf(inputs, next++)), ...); }, out.values);
    return ACLNN_SUCCESS;
}

template <typename... A>
aclnnStatus Launch(const char* name, aclOpExecutor* executor, const A&... args)
{
    std::string text = std::string("Launch ") + name;
    ((text += Shown(args)), ...);
    executor->steps.push_back(text);
    return ACLNN_SUCCESS;
}

} // namespace host_model

#define CREATE_EXECUTOR() UniqueExecutor(__func__)

#define OP_INPUT(...) host_model::Pack<0>(__VA_ARGS__)
#define OP_OUTPUT(...) host_model::Pack<1>(__VA_ARGS__)
#define OP_ATTR(...) host_model::Pack<2>(__VA_ARGS__)
#define OP_EMPTY_ARG host_model::Pack<2>()

#define INFER_SHAPE(KERNEL_NAME, ...) \
    (static_cast<void>(KERNEL_NAME##OpTypeId()), host_model::InferShape(__VA_ARGS__))

#define ADD_TO_LAUNCHER_LIST_AICORE(KERNEL_NAME, ...) \
    host_model::Launch(KERNEL_NAME##OpTypeId(), executor, __VA_ARGS__)
