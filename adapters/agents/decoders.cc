#include "adapters/agents/decoders.h"

#include <algorithm>
#include <utility>

#include "adapters/agents/json_decoder.h"
#include "adapters/agents/list.h"
#include "adapters/agents/text_decoder.h"

namespace luzia {

#define LUZIA_AGENT(name, format_of) \
  namespace format_of {              \
  FormatPtr format();                \
  }
LUZIA_AGENTS(LUZIA_AGENT)
#undef LUZIA_AGENT

namespace {

/// Each format once, even if several agents print it.
std::vector<FormatPtr> all_formats() {
  std::vector<FormatPtr> formats;
  const auto add = [&formats](FormatPtr format) {
    const auto same = [&](const FormatPtr& known) { return known->name() == format->name(); };
    if (std::ranges::none_of(formats, same)) formats.push_back(std::move(format));
  };
#define LUZIA_AGENT(name, format_of) add(format_of::format());
  LUZIA_AGENTS(LUZIA_AGENT)
#undef LUZIA_AGENT
  return formats;
}

}  // namespace

LineDecoderSource line_decoders() {
  const std::vector<FormatPtr> formats = all_formats();
  std::vector<std::pair<std::string, std::shared_ptr<const LineDecoder>>> decoders;
  for (const auto& format : formats) {
    decoders.emplace_back(format->name(), std::make_shared<const JsonDecoder>(std::vector{format}));
  }
  decoders.emplace_back("auto", std::make_shared<const JsonDecoder>(formats));
  return [decoders = std::move(decoders), text = std::make_shared<const TextDecoder>()](
             std::string_view output_format) -> std::shared_ptr<const LineDecoder> {
    for (const auto& [name, decoder] : decoders) {
      if (name == output_format) return decoder;
    }
    return text;
  };
}

}  // namespace luzia
