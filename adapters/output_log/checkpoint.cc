#include "adapters/output_log/checkpoint.h"

#include <algorithm>
#include <tuple>

#include "engine/base/hash.h"

namespace luzia {

std::uint64_t tail_hash(std::string_view before) {
  return checksum64(as_bytes(before));
}

std::uint64_t tail_begin(std::uint64_t scanned_to) {
  return scanned_to - std::min(scanned_to, kTailBytes);
}

bool has_file(const schema::CheckpointT& checkpoint) {
  return checkpoint.dev != 0 || checkpoint.ino != 0;
}

FileComparison compare_file(const schema::CheckpointT& checkpoint, const FileIdentity& file) {
  if (!has_file(checkpoint))
    return checkpoint.generation == 0 ? FileComparison::first : FileComparison::replaced;
  if (checkpoint.dev != file.dev || checkpoint.ino != file.ino) return FileComparison::replaced;
  return file.size < checkpoint.scanned_to ? FileComparison::truncated : FileComparison::same;
}

schema::CheckpointT next_generation(const schema::CheckpointT& checkpoint, const FileIdentity& file) {
  schema::CheckpointT next;
  next.dev = file.dev;
  next.ino = file.ino;
  next.generation = checkpoint.generation + 1;
  next.tail_hash = tail_hash({});
  return next;
}

SplitPosition split_position(const schema::CheckpointT& checkpoint) {
  return {std::min(checkpoint.line_start, checkpoint.scanned_to), checkpoint.scanned_to, checkpoint.line_no,
          checkpoint.in_oversized_line};
}

void set_position(schema::CheckpointT& checkpoint, const SplitPosition& position) {
  checkpoint.line_start = position.line_start;
  checkpoint.scanned_to = position.scanned_to;
  checkpoint.line_no = position.line_no;
  checkpoint.in_oversized_line = position.in_oversized_line;
}

bool same_checkpoint(const schema::CheckpointT& a, const schema::CheckpointT& b) {
  const auto fields = [](const schema::CheckpointT& c) {
    return std::tie(c.dev, c.ino, c.generation, c.line_start, c.scanned_to, c.line_no, c.in_oversized_line,
                    c.tail_hash);
  };
  return fields(a) == fields(b);
}

}  // namespace luzia
