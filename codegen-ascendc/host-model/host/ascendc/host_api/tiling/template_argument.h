// The tiling key on the host: arguments of the kernel's template, packed in their order, integers as
// their place in the list of values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace host_model {

/// An argument of the template: its bits in the key, and its values if they are listed.
struct TemplateArgument {
    bool listed;
    uint32_t bits;
    std::vector<uint64_t> values;
};

using TemplateArguments = std::vector<TemplateArgument>;

/// All ones for what no instance of the template has.
inline uint64_t PackTilingKey(const TemplateArguments& arguments, std::initializer_list<uint64_t> given)
{
    uint64_t key = 0;
    uint32_t shift = 0;
    auto value = given.begin();
    for (const TemplateArgument& argument : arguments) {
        if (value == given.end()) {
            return UINT64_MAX;
        }
        const auto begin = argument.values.begin();
        const auto at = std::find(begin, argument.values.end(), *value);
        if (at == argument.values.end()) {
            return UINT64_MAX;
        }
        key |= (argument.listed ? static_cast<uint64_t>(at - begin) : *value) << shift;
        shift += argument.bits;
        ++value;
    }
    return value == given.end() ? key : UINT64_MAX;
}

}  // namespace host_model

#define ASCENDC_TPL_2_BW 2
#define ASCENDC_TPL_8_BW 8
#define ASCENDC_TPL_UI_LIST
#define ASCENDC_TPL_UINT_DECL(name, width, list, ...) host_model::TemplateArgument{true, width, {__VA_ARGS__}}
#define ASCENDC_TPL_BOOL_DECL(name, ...) host_model::TemplateArgument{false, 1, {__VA_ARGS__}}
#define ASCENDC_TPL_ARGS_DECL(op, ...) static const host_model::TemplateArguments g_tilingDeclareParams{__VA_ARGS__}
// Which of them exist is the kernel's business.
#define ASCENDC_TPL_SEL(...) static_assert(true, "")
#define GET_TPL_TILING_KEY(...) host_model::PackTilingKey(g_tilingDeclareParams, {__VA_ARGS__})
