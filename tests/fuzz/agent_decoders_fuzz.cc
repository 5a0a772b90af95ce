// Lines in every format of agents, and the rules of every decoder.
#include "engine/ports/agent.h"
#include "tests/fuzz/agent_decoder_check.h"

void luzia::fuzz(std::string_view input) {
  static const std::vector<std::string> formats = agent_formats();
  for (const std::string& format : formats) {
    check_decoder(format, input);
  }
}
