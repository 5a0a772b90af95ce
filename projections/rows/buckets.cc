#include "projections/rows/buckets.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/base/time.h"

namespace luzia {
namespace {

/// 2^(63 + k/4) for k = 1, 2, 3, rounded up: a value shifted to its top bit is compared with these.
constexpr std::uint64_t kQuarters[] = {0x9837f0518db8a970, 0xb504f333f9de6485, 0xd744fccad69d6af5};

/// Assumes that the values of a bucket are evenly distributed in it.
double interpolated(const std::vector<std::uint64_t>& buckets, double q) {
  double count = 0;
  for (const std::uint64_t here : buckets) count += static_cast<double>(here);
  const double rank = std::clamp(q, 0.0, 1.0) * count;
  double below = 0, last = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const auto here = static_cast<double>(buckets[i]);
    if (here <= 0) continue;
    const double start = i == 0 ? 0 : bucket_start(i);
    last = bucket_start(i + 1);
    if (below + here >= rank) return start + (rank - below) / here * (last - start);
    below += here;
  }
  return last;
}

}  // namespace

std::size_t bucket_of(std::uint64_t milliseconds) {
  if (milliseconds <= 1) return 0;
  const auto octave = static_cast<std::size_t>(std::bit_width(milliseconds) - 1);
  const std::uint64_t mantissa = milliseconds << (63 - octave);
  std::size_t quarter = 0;
  while (quarter < 3 && mantissa >= kQuarters[quarter]) ++quarter;
  return octave * 4 + quarter;
}

double bucket_start(std::size_t bucket) {
  return std::exp2(static_cast<double>(bucket) / 4);
}

void add_buckets(std::vector<std::uint64_t>& sum, const flatbuffers::Vector<std::uint64_t>* more) {
  if (!more) return;
  if (sum.size() < more->size()) sum.resize(more->size());
  for (flatbuffers::uoffset_t i = 0; i < more->size(); ++i) sum[i] += more->Get(i);
}

std::optional<double> mean_ms(std::uint64_t sum_us, std::uint64_t count) {
  if (count == 0) return std::nullopt;
  return static_cast<double>(sum_us) / static_cast<double>(count) / kMillisecondUs;
}

double bucket_quantile(const std::vector<std::uint64_t>& buckets, double q, double mean_ms) {
  const auto is_filled = [](std::uint64_t count) { return count != 0; };
  const auto only = std::ranges::find_if(buckets, is_filled);
  if (only == buckets.end() || std::any_of(std::next(only), buckets.end(), is_filled)) {
    return interpolated(buckets, q);
  }
  const auto place = static_cast<std::size_t>(only - buckets.begin());
  return std::clamp(mean_ms, place == 0 ? 0 : bucket_start(place), bucket_start(place + 1));
}

double bucket_quantile(const std::vector<std::uint64_t>& buckets, double q, std::uint64_t sum_us,
                       std::uint64_t count) {
  return bucket_quantile(buckets, q, mean_ms(sum_us, count).value_or(0));
}

double duration_quantile(const view::Durations& row, double q) {
  if (row.count() == 0 || !row.buckets()) return 0;
  const std::vector<std::uint64_t> buckets(row.buckets()->begin(), row.buckets()->end());
  return std::clamp(interpolated(buckets, q), static_cast<double>(row.min_ms()),
                    static_cast<double>(row.max_ms()));
}

}  // namespace luzia
