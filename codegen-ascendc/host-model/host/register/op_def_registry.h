// Definitions of operators: here, lines of text that say what was defined.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "register/op_impl_registry.h"

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3 };

class OpParamDef {
public:
    explicit OpParamDef(const char* name) : text(name) {}
    OpParamDef& ParamType(Option type) { return Add(type == REQUIRED ? " required" : " other"); }
    OpParamDef& DataType(const std::vector<ge::DataType>& types)
    {
        text += " types";
        for (ge::DataType type : types) {
            text += " " + std::to_string(type);
        }
        return *this;
    }
    OpParamDef& Format(const std::vector<ge::Format>& formats) { return Add(" formats " + std::to_string(formats.size())); }
    OpParamDef& AutoContiguous() { return Add(" contiguous"); }

    std::string text;

private:
    OpParamDef& Add(const std::string& more)
    {
        text += more;
        return *this;
    }
};

class OpAttrDef {
public:
    explicit OpAttrDef(const char* name) : text(name) {}
    OpAttrDef& AttrType(Option type) { return Add(type == OPTIONAL ? " optional" : " other"); }
    OpAttrDef& Bool(bool value) { return Add(value ? " bool true" : " bool false"); }
    OpAttrDef& Float(float value) { return Add(" float " + std::to_string(value)); }
    OpAttrDef& Int(int64_t value) { return Add(" int " + std::to_string(value)); }
    OpAttrDef& String(const char* value) { return Add(std::string(" string ") + value); }

    std::string text;

private:
    OpAttrDef& Add(const std::string& more)
    {
        text += more;
        return *this;
    }
};

class OpAICoreConfig {
public:
    OpParamDef& Input(const char* name) { return params_.emplace_back(name); }
    OpParamDef& Output(const char* name) { return params_.emplace_back(name); }
    OpAICoreConfig& DynamicCompileStaticFlag(bool) { return *this; }
    OpAICoreConfig& DynamicFormatFlag(bool) { return *this; }
    OpAICoreConfig& DynamicRankSupportFlag(bool) { return *this; }
    OpAICoreConfig& DynamicShapeSupportFlag(bool) { return *this; }
    OpAICoreConfig& NeedCheckSupportFlag(bool) { return *this; }
    OpAICoreConfig& PrecisionReduceFlag(bool) { return *this; }
    OpAICoreConfig& ExtendCfgInfo(const char* key, const char* value)
    {
        text += std::string(" ") + key + " " + value;
        return *this;
    }

    /// All of it in one line.
    std::string Text() const
    {
        std::string all = text;
        for (const OpParamDef& p : params_) {
            all += ", " + p.text;
        }
        return all;
    }

    std::string text;

private:
    std::deque<OpParamDef> params_;
};

class OpAICoreDef {
public:
    OpAICoreDef& AddConfig(const char* soc, OpAICoreConfig& config)
    {
        text += std::string("; soc ") + soc + config.Text();
        return *this;
    }

    std::string text;
};

class OpDef {
public:
    explicit OpDef(const char* type) : type_(type) {}
    OpParamDef& Input(const char* name) { return inputs_.emplace_back(name); }
    OpParamDef& Output(const char* name) { return outputs_.emplace_back(name); }
    OpAttrDef& Attr(const char* name) { return attrs_.emplace_back(name); }
    OpAICoreDef& AICore() { return core_; }

    /// All of it in one line.
    std::string Text() const
    {
        std::string text = type_;
        for (const OpParamDef& p : inputs_) {
            text += "; in " + p.text;
        }
        for (const OpParamDef& p : outputs_) {
            text += "; out " + p.text;
        }
        for (const OpAttrDef& a : attrs_) {
            text += "; attr " + a.text;
        }
        return text + core_.text;
    }

    static std::map<std::string, std::string>& All()
    {
        static std::map<std::string, std::string> all;
        return all;
    }

private:
    std::string type_;
    std::deque<OpParamDef> inputs_, outputs_;  // references to elements stay good
    std::deque<OpAttrDef> attrs_;
    OpAICoreDef core_;
};

}  // namespace ops

#define OP_ADD(opType)                                          \
    static const bool g_##opType##_added __attribute__((unused)) = [] { \
        return ops::OpDef::All().emplace(#opType, opType(#opType).Text()).second; \
    }()
