// The same in the upper half of a lane.
static constexpr MicroAPI::CastTrait WIDEN_UPPER = {MicroAPI::RegLayout::ONE, MicroAPI::SatMode::UNKNOWN,
                                                    MicroAPI::MaskMergeMode::ZEROING, RoundMode::UNKNOWN};
static constexpr MicroAPI::CastTrait NARROW_UPPER = {MicroAPI::RegLayout::ONE, MicroAPI::SatMode::NO_SAT,
                                                     MicroAPI::MaskMergeMode::ZEROING, RoundMode::CAST_RINT};
