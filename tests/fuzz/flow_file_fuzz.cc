// A flow file is either refused with places, or its steps form a valid flow request.
#include <string>

#include "adapters/config/flow_file.h"
#include "tests/fuzz/fuzz_check.h"

void luzia::fuzz(std::string_view text) {
  const FlowFile file = parse_flow_file(text, "fuzz.toml", "/nowhere");
  for (const Error& error : file.errors) {
    require(error.message.find("fuzz.toml:") != std::string::npos, "a refusal names the place");
    require(error.message.find('\n') == std::string::npos, "a refusal is one line");
    require(error.kind == ErrorKind::usage, "it is bad input");
  }
  if (!file.errors.empty()) return;
  require(!file.flow.steps.empty(), "a flow has steps");
  for (const auto& step : file.flow.steps) require(!step->name.empty(), "a step has a name");
}
