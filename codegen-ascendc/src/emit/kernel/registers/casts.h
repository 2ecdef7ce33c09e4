// Numbers of 16 bits stand in the lower half of a lane. NO_SAT makes infinity of values beyond the type's range where
// bit 60 of CTRL is 0. By default it is 1, and bit 48 decides instead: 0, its default, saturates such values at the
// type's largest number, 1 makes infinity of them.
static constexpr MicroAPI::CastTrait WIDEN = {MicroAPI::RegLayout::ZERO, MicroAPI::SatMode::UNKNOWN,
                                              MicroAPI::MaskMergeMode::ZEROING, RoundMode::UNKNOWN};
static constexpr MicroAPI::CastTrait NARROW = {MicroAPI::RegLayout::ZERO, MicroAPI::SatMode::NO_SAT,
                                               MicroAPI::MaskMergeMode::ZEROING, RoundMode::CAST_RINT};
