// Logarithmic buckets of durations: bucket i holds values in [2^(i/4), 2^((i+1)/4)) milliseconds; bucket 0
// also holds 0. Uses integer arithmetic, so that every machine puts a value into the same bucket. Pure, any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "view.fb.h"

namespace luzia {

std::size_t bucket_of(std::uint64_t milliseconds);

/// Lower edge of a bucket in milliseconds.
double bucket_start(std::size_t bucket);

/// Adds the counts of `more`, which may be null.
void add_buckets(std::vector<std::uint64_t>& sum, const flatbuffers::Vector<std::uint64_t>* more);

/// Mean in milliseconds of `count` values with this sum in microseconds; nullopt: nothing was counted.
std::optional<double> mean_ms(std::uint64_t sum_us, std::uint64_t count);

/// The quantile `q` (0..1) of the counted values in milliseconds, exact to a bucket's width (19 %). If all
/// values are in one bucket, returns their mean `mean_ms`: exact for a single value and for equal ones. 0:
/// nothing was counted.
double bucket_quantile(const std::vector<std::uint64_t>& buckets, double q, double mean_ms);
/// The same, with the mean as the sum in microseconds of `count` values.
double bucket_quantile(const std::vector<std::uint64_t>& buckets, double q, std::uint64_t sum_us,
                       std::uint64_t count);

/// The quantile `q` (0..1) of the values, exact to a bucket's width (19 %) and within the observed minimum
/// and maximum. 0: nothing was counted.
double duration_quantile(const view::Durations& row, double q);

}  // namespace luzia
