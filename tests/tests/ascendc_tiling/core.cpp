// Runs the tiling maths of every operator: a case per line of stdin, a result per line of stdout.
//
//   operator arch form type ub cores outer split rank dimensions..  ->  bytes of the tiling data in hex,
//                                                                      or `ub` and the bytes it needs
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

struct Case {
    uint32_t arch, form, type;
    uint64_t ub, cores;
    size_t outer;
    bool split;
    std::vector<uint64_t> dims;
};

// Includes every operator's core; names the functions in `RUN`, in order.
#include "operators.inc"

int main()
{
    size_t operation = 0, rank = 0;
    Case c;
    while (std::cin >> operation >> c.arch >> c.form >> c.type >> c.ub >> c.cores >> c.outer >> c.split >> rank) {
        c.dims.resize(rank);
        for (uint64_t& d : c.dims) {
            std::cin >> d;
        }
        std::puts(RUN[operation](c).c_str());
    }
    return 0;
}
