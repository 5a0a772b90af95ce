// Sizes and limits of attempts in words. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "job.fb.h"

namespace luzia {

/// "4 GiB", "512 MiB", "1.3 GiB": one decimal, cut off.
std::string size_words(std::uint64_t bytes);

/// "500 processes and threads"
std::string process_words(std::uint64_t count);

/// "4 GiB of memory, 200 % of a core, 500 processes and threads, 10 GiB of disk"; empty: no limits.
std::string limits_text(const schema::AttemptLimitsT& limits);

}  // namespace luzia
