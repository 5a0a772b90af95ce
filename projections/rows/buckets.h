// Log buckets of durations: bucket i holds values in [2^(i/4), 2^((i+1)/4)) milliseconds; bucket 0 also holds
// 0. Integer arithmetic, so that every machine puts a value into the same bucket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "view.fb.h"

namespace luzia {

std::size_t bucket_of(std::uint64_t milliseconds);

/// Lower edge of a bucket in milliseconds.
double bucket_start(std::size_t bucket);

/// The value in milliseconds below which the share `q` (0..1) of the counted values lies, within a bucket's
/// width (19 %). Where all of them are in one bucket it is `mean_ms`, their mean: of a single value, or of
/// equal ones, the value itself. 0 when nothing was counted.
double bucket_quantile(const std::vector<std::uint64_t>& buckets, double q, double mean_ms);
/// The mean is given as the sum in microseconds of `count` values.
double bucket_quantile(const std::vector<std::uint64_t>& buckets, double q, std::uint64_t sum_us,
                       std::uint64_t count);

/// The value below which the share `q` (0..1) of the values lies, within a bucket's width (19 %), never
/// outside the observed minimum and maximum. 0 when nothing was counted.
double duration_quantile(const view::Durations& row, double q);

}  // namespace luzia
