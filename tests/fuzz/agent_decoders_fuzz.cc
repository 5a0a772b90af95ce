// Lines in every format of agents, and the rules of every decoder.
#include <cstdint>

#include "engine/ports/agent.h"
#include "tests/fuzz/agent_decoder_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const std::vector<std::string> formats = luzia::agent_formats();
  for (const std::string& format : formats) {
    luzia::check_decoder(format, {reinterpret_cast<const char*>(bytes), size});
  }
  return 0;
}
