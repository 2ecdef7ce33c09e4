// Runs the operator on files and compares its results with files:
//     <program> [attribute=value ..] input.npy .. result.npy ..
// in the order of the signature; `-` stands for an input that is left out. Exit code 1 if a result is
// off, 2 if the call makes no sense.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "launch.h"
#include "npy.h"

namespace {

// Element types by their number in the tiling key: name in files, bytes, tolerance.
struct Type {
    const char* name;
    size_t size;
    double tolerance;
};
constexpr Type TYPES[] = {{"<f2", 2, 1.0 / 512}, {"<u2", 2, 1.0 / 64}, {"<f4", 4, 1.0 / 1024}};

void Check(int status, const char* what)
{
    if (status != 0) {
        throw std::runtime_error(std::string(what) + " returns " + std::to_string(status));
    }
}

double Widen(const char* at, uint32_t type)
{
    if (type == 2) {
        float value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }
    uint16_t bits;
    std::memcpy(&bits, at, sizeof bits);
    if (type == 1) {
        const uint32_t wide = static_cast<uint32_t>(bits) << 16;
        float value;
        std::memcpy(&value, &wide, sizeof value);
        return value;
    }
    const int exponent = bits >> 10 & 31;
    const double fraction = bits & 1023;
    const double value = exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
                         : exponent == 0 ? std::ldexp(fraction, -24)
                                         : std::ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 != 0 ? -value : value;
}

// The largest error, relative to a result or, if that is smaller, to 1.
double Error(const std::vector<char>& got, const std::vector<char>& want, uint32_t type)
{
    double worst = 0;
    for (size_t at = 0; at < want.size(); at += TYPES[type].size) {
        const double a = Widen(got.data() + at, type);
        const double b = Widen(want.data() + at, type);
        const bool same = a == b || (std::isnan(a) && std::isnan(b));
        const double error = same ? 0 : std::abs(a - b) / std::max(1.0, std::abs(b));
        worst = std::isnan(error) ? INFINITY : std::max(worst, error);
    }
    return worst;
}

std::vector<uint64_t> Doubled(std::vector<uint64_t> dims, size_t dim, bool gated)
{
    if (gated) {
        dims[dim] *= 2;
    }
    return dims;
}

// Whether a call leaves a tensor out.
bool IsAbsent(const Npy& file) { return file.type.empty(); }

// Truth values as the kernel takes them.
std::vector<char> Stored(const std::vector<char>& truths)
{
    if (!BITS) {
        return truths;
    }
    std::vector<char> bits((truths.size() + 7) / 8);
    for (size_t i = 0; i < truths.size(); ++i) {
        bits[i / 8] = static_cast<char>(bits[i / 8] | (truths[i] != 0 ? 1 << i % 8 : 0));
    }
    return bits;
}

@sums@
@along@
// The shape that an input is broadcast by, beside others of a rank: one of one dimension that lies along a dimension of
// its own ends with dimensions of 1.
std::vector<uint64_t> Laid(std::vector<uint64_t> own, size_t i, size_t rank)
{
    if (ALONG[i] >= 0 && own.size() == 1) {
        const size_t dim = static_cast<size_t>(ALONG[i]);
        if (own[0] != 1 && rank <= dim) {
            throw std::runtime_error(std::string(TENSORS[i].name) + " has no dimension to lie along");
        }
        own.resize(own[0] == 1 ? std::min<size_t>(rank, 1) : rank - dim, 1);
    }
    return own;
}

@end@
// Whether a tensor can be broadcast to a shape. A gated one has two parts along `dim`.
bool Spreads(const std::vector<uint64_t>& own, const std::vector<uint64_t>& whole, size_t dim, bool gated)
{
    if (own.size() > whole.size() || (gated && dim + own.size() < whole.size())) {
        return false;
    }
    for (size_t i = 0; i < own.size(); ++i) {
        const size_t at = i + whole.size() - own.size();
        const uint64_t one = gated && at == dim ? 2 : 1;
        if (own[i] != whole[at] && own[i] != one) {
            return false;
        }
    }
    return true;
}

@end@
// Element type and shape of a part, from the files; all of them must agree.
void Describe(Call& call, const std::vector<Npy>& files)
{
    const Npy& first = files[FIRST];
    while (call.type < 3 && first.type != TYPES[call.type].name) {
        ++call.type;
    }
    call.dims = files[LEAD].shape;
    const size_t dim = SplitDim(call);
    if (call.type == 3 || (SPLIT && (dim >= call.dims.size() || call.dims[dim] % 2 != 0))) {
        throw std::runtime_error("wrong element type or shape of " + std::string(TENSORS[LEAD].name));
    }
    if (TENSORS[LEAD].gated) {
        call.dims[dim] /= 2;
    }
    for (size_t i = 0; i < files.size(); ++i) {
        if (IsAbsent(files[i]) && TENSORS[i].optional) {
            continue;
        }
        if (TENSORS[i].counts) {
            const size_t counts = files[i].shape.size() == 1 ? files[i].shape[0] : 0;
            if (files[i].type != "<i8" || counts == 0 || files[i].bytes.size() != counts * sizeof(int64_t)) {
                throw std::runtime_error(std::string(TENSORS[i].name) + " is not of int64 in one dimension of 1 or more");
            }
            call.counts = counts;
            continue;
        }
        size_t bytes = TENSORS[i].mask ? 1 : TYPES[call.type].size;
        const bool truths = files[i].type == "|b1" || files[i].type == "|u1";
        for (uint64_t size : files[i].shape) {
            bytes *= size;
        }
        const bool typed = TENSORS[i].mask ? truths : files[i].type == first.type;
        @sums@
        const std::vector<uint64_t> whole = Doubled(call.dims, dim, TENSORS[i].gated);
        const int64_t sum = i < INPUTS ? -1 : SUM_OF[i - INPUTS];
        @along@
        const std::vector<uint64_t> own = i < INPUTS ? Laid(files[i].shape, i, whole.size()) : files[i].shape;
        const bool shaped = i < INPUTS && !WIDE[i] ? Spreads(own, whole, dim, TENSORS[i].gated) :
        @else@
        const bool shaped = i < INPUTS && !WIDE[i] ? Spreads(files[i].shape, whole, dim, TENSORS[i].gated) :
        @end@
                            files[i].shape == (sum < 0 ? whole : files[sum].shape);
        if (i < INPUTS && shaped) {
            @along@
            call.shapes[i] = own;
            @else@
            call.shapes[i] = files[i].shape;
            @end@
            if (TENSORS[i].gated) {
                call.shapes[i][dim + files[i].shape.size() - whole.size()] /= 2;
            }
        }
        if (!typed || !shaped || files[i].bytes.size() != bytes) {
        @else@
        if (!typed || files[i].shape != Doubled(call.dims, dim, TENSORS[i].gated) ||
            files[i].bytes.size() != bytes) {
        @end@
            throw std::runtime_error("wrong element type or shape of " + std::string(TENSORS[i].name));
        }
    }
}

int Run(Call& call, const std::vector<Npy>& files)
{
    Check(aclInit(nullptr), "aclInit");
    Check(aclrtSetDevice(0), "aclrtSetDevice");
    aclrtStream stream = nullptr;
    Check(aclrtCreateStream(&stream), "aclrtCreateStream");
    for (size_t i = 0; i < files.size(); ++i) {
        if (IsAbsent(files[i])) {
            continue;
        }
        const std::vector<char> bytes = TENSORS[i].mask ? Stored(files[i].bytes) : files[i].bytes;
        const size_t size = std::max<size_t>(bytes.size(), 1);
        Check(aclrtMalloc(&call.tensors[i], size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        if (i < INPUTS) {
            Check(aclrtMemcpy(call.tensors[i], size, bytes.data(), bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE),
                  "aclrtMemcpy");
        }
    }
    @sums@
    const size_t workspace = WorkspaceBytes(call);
    if (workspace > 0) {
        Check(aclrtMalloc(&call.workspace, workspace, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    }
    @end@
    if (!Launch(call, stream)) {
        throw std::runtime_error("there is no kernel for these attributes and this element type");
    }
    Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");

    int status = 0;
    for (size_t i = INPUTS; i < files.size(); ++i) {
        std::vector<char> got(files[i].bytes.size());
        Check(aclrtMemcpy(got.data(), got.size(), call.tensors[i], got.size(), ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
        const double error = Error(got, files[i].bytes, call.type);
        const bool good = error <= TYPES[call.type].tolerance;
        std::printf("%s: largest error %g, %s\n", TENSORS[i].name, error, good ? "good" : "too large");
        status = good ? status : 1;
    }
    @sums@
    if (workspace > 0) {
        Check(aclrtFree(call.workspace), "aclrtFree");
    }
    @end@
    for (void* tensor : call.tensors) {
        if (tensor != nullptr) {
            Check(aclrtFree(tensor), "aclrtFree");
        }
    }
    Check(aclrtDestroyStream(stream), "aclrtDestroyStream");
    Check(aclrtResetDevice(0), "aclrtResetDevice");
    Check(aclFinalize(), "aclFinalize");
    return status;
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        Call call;
        std::vector<Npy> files;
        for (int i = 1; i < argc; ++i) {
            const std::string word = argv[i];
            const size_t at = word.find('=');
            if (at == std::string::npos) {
                files.push_back(word == "-" ? Npy{} : ReadNpy(word));
            } else if (!SetAttribute(call, word.substr(0, at), word.substr(at + 1))) {
                throw std::runtime_error("unknown attribute " + word);
            }
        }
        if (files.size() != COUNT) {
            throw std::runtime_error("needs " + std::to_string(COUNT) + " files: inputs, then results to compare with");
        }
        Describe(call, files);
        return Run(call, files);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "error: %s\n", e.what());
        return 2;
    }
}
