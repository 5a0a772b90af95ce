// Checkpoint arithmetic: is this still the file that was read, and where does reading continue in it? Pure;
// any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "adapters/output_log/line_splitter.h"
#include "output.fb.h"

namespace luzia {

/// How many bytes before scanned_to the tail hash covers.
constexpr std::uint64_t kTailBytes = 256;

/// Hash of `before`, the last min(kTailBytes, scanned_to) bytes before scanned_to. Detects accidental
/// rewrites; an agent gains nothing by forging its own output.
std::uint64_t tail_hash(std::string_view before);

/// Where the hashed bytes begin.
std::uint64_t tail_begin(std::uint64_t scanned_to);

struct FileIdentity {
  std::uint64_t dev = 0;
  std::uint64_t ino = 0;
  std::uint64_t size = 0;
};

enum class FileComparison {
  same,       // may still have been rewritten in place: compare the tail hash
  first,      // no file was read yet
  truncated,  // shorter than the part that was read
  replaced,   // another file, or one that appeared after the file had vanished
};
FileComparison compare_file(const schema::CheckpointT& checkpoint, const FileIdentity& file);

/// Whether a file was read or seen under this checkpoint. False: a new attempt, or a file known to have
/// vanished.
bool has_file(const schema::CheckpointT& checkpoint);

/// The start of the next generation; `file` is empty if the file vanished.
schema::CheckpointT next_generation(const schema::CheckpointT& checkpoint, const FileIdentity& file);

SplitPosition split_position(const schema::CheckpointT& checkpoint);
void set_position(schema::CheckpointT& checkpoint, const SplitPosition& position);

bool same_checkpoint(const schema::CheckpointT& a, const schema::CheckpointT& b);

}  // namespace luzia
