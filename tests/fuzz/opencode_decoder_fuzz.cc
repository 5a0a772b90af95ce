// Lines of opencode-json: what every decoder keeps.
#include <cstdint>

#include "tests/fuzz/agent_decoder_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  luzia::check_decoder("opencode-json", {reinterpret_cast<const char*>(bytes), size});
  return 0;
}
