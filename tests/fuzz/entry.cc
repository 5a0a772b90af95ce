// The entry point of libFuzzer and of corpus_driver.cc.
#include <cstdint>

#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  luzia::fuzz({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
