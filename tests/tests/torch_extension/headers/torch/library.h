// A registry that keeps names, schemas and functions as they come.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <map>

namespace at {
enum class Tag { pt2_compliant_tag };
}

namespace c10 {

enum class DispatchKey { Meta, PrivateUse1 };

struct OperatorName {
    std::string name;
    std::string overload;
};

// What is known of an operator, by its qualified name.
struct Known {
    std::string schema;
    const void* meta = nullptr;
    const void* npu = nullptr;
};

class Dispatcher {
public:
    static Dispatcher& singleton()
    {
        static Dispatcher one;
        return one;
    }
    std::optional<int> findSchema(const OperatorName& name) const
    {
        const auto found = known.find(name.name);
        return found == known.end() || found->second.schema.empty() ? std::nullopt : std::optional<int>(0);
    }
    std::map<std::string, Known> known;
};

}  // namespace c10

namespace torch {

struct CppFunction {
    template <typename Function>
    explicit CppFunction(Function* function) : address(reinterpret_cast<const void*>(function))
    {}
    const void* address;
};

struct Dispatched {
    c10::DispatchKey key;
    CppFunction function;
};

inline Dispatched dispatch(c10::DispatchKey key, CppFunction function) { return {key, function}; }

class Library {
public:
    explicit Library(std::string space) : space_(std::move(space)) {}
    void def(const char* schema, const std::vector<at::Tag>&)
    {
        const std::string text = schema;
        Of(text.substr(0, text.find('('))).schema = text;
    }
    void impl(const char* name, Dispatched function) { Of(name).meta = function.function.address; }
    template <typename Function>
    void impl(const char* name, Function* function)
    {
        Of(name).npu = reinterpret_cast<const void*>(function);
    }

private:
    c10::Known& Of(const std::string& name) { return c10::Dispatcher::singleton().known[space_ + "::" + name]; }
    std::string space_;
};

struct Registered {
    Registered(const char* space, void (*fill)(Library&))
    {
        Library library(space);
        fill(library);
    }
};

}  // namespace torch

#define REGISTER_WITH(space, fill, once)               \
    static void fill(torch::Library&);                 \
    static const torch::Registered once(#space, fill); \
    static void fill(torch::Library& library)
#define TORCH_LIBRARY_FRAGMENT(space, library) REGISTER_WITH(space, Fragment_##space, once_fragment_##space)
#define TORCH_LIBRARY_IMPL(space, key, library) REGISTER_WITH(space, Impl_##space, once_impl_##space)
