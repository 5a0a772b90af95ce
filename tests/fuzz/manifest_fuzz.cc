// Finds the end of a manifest's whole records. It lies within the file, and stays the same if the bytes after
// it are cut off or replaced.
#include <cstdint>
#include <string>

#include "engine/log/rocks_torn_manifest.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view manifest(reinterpret_cast<const char*>(bytes), size);
  const std::size_t end = luzia::end_of_whole_records(manifest);
  luzia::require(end <= size, "the end lies within");
  const std::string whole(manifest.substr(0, end));
  luzia::require(luzia::end_of_whole_records(whole) == end, "the same end when the rest is cut off");
  luzia::require(luzia::end_of_whole_records(whole + std::string(64, '\0')) == end, "zeroes are no record");
  if (end > 0) {
    const std::size_t before = luzia::end_of_whole_records(manifest.substr(0, end - 1));
    luzia::require(before < end, "a record without its last byte is not whole");
  }
  return 0;
}
