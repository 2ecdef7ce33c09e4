// Rounding between binary formats, exact for every mode.
#pragma once

#include <cstdint>
#include <cstring>

namespace host_model {

/// Rounding rules, as the API numbers them.
enum class Rounding { kNone, kRint, kFloor, kCeil, kRound, kTrunc, kOdd };

/// Reads a `T` at any address.
template <typename T>
T Load(const void* from)
{
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

/// Writes a `T` at any address.
template <typename T>
void Store(void* to, const T& value)
{
    std::memcpy(to, &value, sizeof(T));
}

/// Whether the kept digits go up by one, given the digits dropped (as twice the
/// fraction of the last kept one: below, at or above the middle).
inline bool RoundsUp(Rounding mode, bool negative, bool odd, int against_half, bool exact)
{
    if (exact) {
        return false;
    }
    switch (mode) {
        case Rounding::kNone:
        case Rounding::kRint:
            return against_half > 0 || (against_half == 0 && odd);
        case Rounding::kRound:
            return against_half >= 0;
        case Rounding::kFloor:
            return negative;
        case Rounding::kCeil:
            return !negative;
        case Rounding::kOdd:
            return !odd;
        case Rounding::kTrunc:
            break;
    }
    return false;
}

/// Whether bit 48 of CTRL is 0: results of 16 bits saturate, so that infinity is the largest number, and NaN is 0.
inline bool& Saturates()
{
    static bool saturates = false;
    return saturates;
}

/// A float in the nearest number of a 16-bit format, of two the even one. Without branches, as it is
/// where most time goes.
template <int Mantissa>
uint16_t NearestTo16(float value)
{
    static_assert(Mantissa == 10 || Mantissa == 7, "binary16, or the upper half of a float");
    constexpr int dropped = 23 - Mantissa;
    // How much lower the exponents of the format begin.
    constexpr uint32_t shift = Mantissa == 10 ? 112u << 23 : 0u;
    constexpr uint32_t infinite = Mantissa == 10 ? 0x7c00u : 0x7f80u;
    const uint32_t bits = Load<uint32_t>(&value);
    const uint32_t magnitude = bits & 0x7fffffff;
    const uint32_t odd = (magnitude >> dropped) & 1;
    // A carry moves into the exponent, and from the largest number to infinity.
    uint32_t out = (magnitude - shift + (1u << (dropped - 1)) - 1 + odd) >> dropped;
    if constexpr (Mantissa == 10) {
        // The last digit of 0.5 is the smallest subnormal of the format.
        const float sum = Load<float>(&magnitude) + 0.5f;
        const uint32_t subnormal = Load<uint32_t>(&sum) - 0x3f000000;
        out = magnitude < 0x38800000 ? subnormal : out;
        out = magnitude >= 0x47800000 ? infinite : out;
    }
    const bool saturates = Saturates();
    out = out >= infinite ? infinite - saturates : out;
    const uint32_t quiet = infinite | (1u << (Mantissa - 1)) | ((magnitude & 0x7fffff) >> dropped);
    out = magnitude > 0x7f800000 ? (saturates ? 0u : quiet) : out;
    return static_cast<uint16_t>((bits >> 16 & 0x8000) | out);
}

/// A float in a 16-bit format of `Mantissa` stored digits, with subnormals. A value beyond the range becomes infinite
/// or the largest number, as IEEE 754 has it for the mode, unless it saturates.
template <int Mantissa>
uint16_t FloatTo16(float value, Rounding mode)
{
    if (mode == Rounding::kNone || mode == Rounding::kRint) {
        return NearestTo16<Mantissa>(value);
    }
    constexpr int exponent_bits = 15 - Mantissa;
    constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    constexpr uint32_t infinite = ((1u << exponent_bits) - 1) << Mantissa;
    const uint32_t bits = Load<uint32_t>(&value);
    const bool negative = bits >> 31;
    const uint32_t sign = negative ? 0x8000u : 0u;
    const uint32_t field = (bits >> 23) & 0xff;
    uint32_t digits = bits & 0x7fffff;
    if (field == 0xff) {
        const uint32_t quiet = digits == 0 ? 0 : (1u << (Mantissa - 1)) | (digits >> (23 - Mantissa));
        if (Saturates()) {
            return static_cast<uint16_t>(digits == 0 ? sign | (infinite - 1) : sign);
        }
        return static_cast<uint16_t>(sign | infinite | quiet);
    }
    // value = digits * 2^(exponent - 23)
    const int exponent = field == 0 ? -126 : static_cast<int>(field) - 127;
    digits |= field == 0 ? 0 : 0x800000;
    // A subnormal result keeps fewer digits, down to the smallest exponent.
    const int lowest = 1 - bias;
    const int target = exponent < lowest ? lowest : exponent;
    const int dropped = 23 - Mantissa + (target - exponent);
    const uint32_t kept = dropped > 24 ? 0 : digits >> dropped;
    const uint32_t rest = dropped > 24 ? digits : digits & ((1u << dropped) - 1);
    int against_half = -1;
    if (dropped > 0 && dropped <= 24) {
        const uint32_t half = 1u << (dropped - 1);
        against_half = rest < half ? -1 : (rest == half ? 0 : 1);
    }
    const bool up = RoundsUp(mode, negative, kept & 1, against_half, rest == 0);
    // Adding the kept digits to the exponent field lets a carry move into it.
    uint32_t magnitude = (static_cast<uint32_t>(target + bias) << Mantissa) + kept + (up ? 1 : 0);
    magnitude -= 1u << Mantissa;
    if (magnitude >= infinite) {
        const bool largest = mode == Rounding::kTrunc || mode == Rounding::kOdd ||
                             (mode == Rounding::kFloor && !negative) ||
                             (mode == Rounding::kCeil && negative) || Saturates();
        magnitude = largest ? infinite - 1 : infinite;
    }
    return static_cast<uint16_t>(sign | magnitude);
}

/// A 16-bit number as a float; no digit is lost.
template <int Mantissa>
float FloatFrom16(uint16_t bits)
{
    static_assert(Mantissa == 10 || Mantissa == 7, "binary16, or the upper half of a float");
    if constexpr (Mantissa == 7) {
        const uint32_t out = static_cast<uint32_t>(bits) << 16;
        return Load<float>(&out);
    } else {
        // Its digits in their place, with an exponent that the product puts right.
        const uint32_t digits = static_cast<uint32_t>(bits & 0x7fff) << 13;
        const float value = Load<float>(&digits) * 0x1p112f;
        uint32_t out = Load<uint32_t>(&value);
        out |= static_cast<uint32_t>(bits & 0x8000) << 16;
        out |= (bits & 0x7c00) == 0x7c00 ? 0x7f800000 : 0;
        return Load<float>(&out);
    }
}

/// `value` as a whole number under `mode`, still a double.
inline double RoundToInteger(double value, Rounding mode)
{
    if (!(value > -9007199254740992.0 && value < 9007199254740992.0)) {
        return value;
    }
    const bool negative = value < 0;
    const double magnitude = negative ? -value : value;
    const int64_t kept = static_cast<int64_t>(magnitude);
    const double rest = magnitude - static_cast<double>(kept);
    const int against_half = rest < 0.5 ? -1 : (rest == 0.5 ? 0 : 1);
    const bool up = RoundsUp(mode, negative, kept & 1, against_half, rest == 0);
    const double whole = static_cast<double>(kept + (up ? 1 : 0));
    return negative ? -whole : whole;
}

/// A finite number, or one of its neighbours, as `seed` picks; zero stays.
inline float Disturbed(float value, uint32_t seed)
{
    uint32_t bits = Load<uint32_t>(&value);
    const uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude == 0 || magnitude >= 0x7f7fffff) {
        return value;
    }
    const uint32_t picked = ((bits ^ seed) * 2654435761u >> 16) % 3;
    bits += picked - 1;
    return Load<float>(&bits);
}

}  // namespace host_model
