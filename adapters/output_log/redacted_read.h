// Reads a file of output with known values blacked out. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>

#include "engine/base/redactor.h"

namespace luzia {

/// As pread(2), but whole: fewer bytes than asked for only at the end of the file; -1 with errno. What the
/// bytes around the asked ones decide is read too, so a value across two reads is blacked out in both.
/// `goes_on`: see Redactor::black_out. `redactor` may be null.
ssize_t read_redacted(const Redactor* redactor, int descriptor, std::uint64_t offset, std::span<char> into,
                      bool goes_on);

}  // namespace luzia
