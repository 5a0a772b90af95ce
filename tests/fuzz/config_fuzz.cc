// A configuration is either refused with its place, or its printed form reads back to the same values.
#include <string>

#include "adapters/config/config.h"
#include "tests/fuzz/fuzz_check.h"

void luzia::fuzz(std::string_view input) {
  const std::string text(input);
  const auto config = parse_config(text, "fuzz.toml");
  if (!config) {
    require(config.error().code.starts_with("config_"), "the code of a bad configuration");
    require(config.error().message.find("fuzz.toml") != std::string::npos, "a refusal names the file");
    require(config.error().message.find('\n') == std::string::npos, "a refusal is one line");
    return;
  }
  const std::string shown = show_config(*config);
  auto again = parse_config(shown, "shown.toml");
  require(again.has_value(), "what is shown can be read");
  again->files = config->files;  // the printed form names the files
  require(show_config(*again) == shown, "and says the same");
}
