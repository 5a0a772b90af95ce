// Finds the end of a manifest's whole records. It lies within the file, and stays the same if the bytes after
// it are cut off or replaced.
#include <string>

#include "engine/log/rocks_torn_manifest.h"
#include "tests/fuzz/fuzz_check.h"

void luzia::fuzz(std::string_view manifest) {
  const std::size_t end = end_of_whole_records(manifest);
  require(end <= manifest.size(), "the end lies within");
  const std::string whole(manifest.substr(0, end));
  require(end_of_whole_records(whole) == end, "the same end when the rest is cut off");
  require(end_of_whole_records(whole + std::string(64, '\0')) == end, "zeroes are no record");
  if (end > 0) {
    const std::size_t before = end_of_whole_records(manifest.substr(0, end - 1));
    require(before < end, "a record without its last byte is not whole");
  }
}
