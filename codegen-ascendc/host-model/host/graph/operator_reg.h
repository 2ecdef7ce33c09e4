// Prototypes of operators in graphs: here, lines of text that say what was registered.
#pragma once

#include <map>
#include <string>

namespace ge {

class Prototype {
public:
    explicit Prototype(const char* name) : name_(name), text_(name) {}
    Prototype& Add(const char* what, const char* name, const char* text)
    {
        text_ += std::string("; ") + what + " " + name + " " + text;
        return *this;
    }
    bool Register() const { return All().emplace(name_, text_).second; }

    static std::map<std::string, std::string>& All()
    {
        static std::map<std::string, std::string> all;
        return all;
    }

private:
    std::string name_;
    std::string text_;
};

}  // namespace ge

#define REG_OP(x) static const bool g_##x##_prototype __attribute__((unused)) = Prototype(#x)
#define INPUT(x, t) Add("in", #x, #t)
#define OUTPUT(x, t) Add("out", #x, #t)
#define DATATYPE(x, t) Add("type", #x, #t)
#define ATTR(x, t, ...) Add("attr", #x, #t " " #__VA_ARGS__)
#define OP_END_FACTORY_REG(x) Register();
