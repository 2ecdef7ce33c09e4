// ClippedSwigluGrad: files of tensors.
// The gradient of `ClippedSwiglu`.
// Generated from ops_glu_grad::families::gated::gated::clipped_swiglu; do not edit.

// Plain .npy files: little-endian, innermost dimension last.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

struct Npy {
    std::string type;  // "<f2", "<f4"; "<u2" are the bits of bfloat16
    std::vector<uint64_t> shape;
    std::vector<char> bytes;
};

// The text between `begin` and `end`, the first after `key`.
inline std::string Between(const std::string& text, const std::string& key, char begin, char end)
{
    const size_t at = text.find(key);
    const size_t from = at == std::string::npos ? at : text.find(begin, at + key.size());
    const size_t to = from == std::string::npos ? from : text.find(end, from + 1);
    if (to == std::string::npos) {
        throw std::runtime_error("no " + key + " in the header");
    }
    return text.substr(from + 1, to - from - 1);
}

inline Npy ReadNpy(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    constexpr size_t HEAD = 10;  // magic, version 1.0, length of the header
    if (all.size() < HEAD || std::memcmp(all.data(), "\x93NUMPY\x01", 7) != 0) {
        throw std::runtime_error(path + " is no .npy file of version 1");
    }
    const size_t length = static_cast<uint8_t>(all[8]) + 256u * static_cast<uint8_t>(all[9]);
    if (all.size() < HEAD + length) {
        throw std::runtime_error(path + " ends within its header");
    }
    const std::string header(all.data() + HEAD, length);
    if (header.find("'fortran_order': False") == std::string::npos) {
        throw std::runtime_error(path + " is in Fortran order");
    }
    Npy npy;
    npy.type = Between(header, "'descr':", '\'', '\'');
    std::string dims = Between(header, "'shape':", '(', ')');
    for (size_t at = 0; at < dims.size();) {
        size_t used = 0;
        npy.shape.push_back(std::stoull(dims.substr(at), &used));
        at = dims.find(',', at + used);
        at = at == std::string::npos ? dims.size() : dims.find_first_not_of(", ", at);
    }
    npy.bytes.assign(all.begin() + static_cast<std::ptrdiff_t>(HEAD + length), all.end());
    return npy;
}
