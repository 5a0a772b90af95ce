#include "adapters/agents/decoders.h"

#include <array>
#include <utility>

#include "adapters/agents/claude_decoder.h"
#include "adapters/agents/codex_decoder.h"
#include "adapters/agents/gemini_decoder.h"
#include "adapters/agents/json_decoder.h"
#include "adapters/agents/opencode_decoder.h"
#include "adapters/agents/text_decoder.h"

namespace luzia {
namespace {

using Formats = std::vector<std::shared_ptr<const AgentFormat>>;

Formats all_formats() {
  return {std::make_shared<const ClaudeDecoder>(), std::make_shared<const CodexDecoder>(),
          std::make_shared<const GeminiDecoder>(), std::make_shared<const OpencodeDecoder>()};
}

}  // namespace

LineDecoderSource line_decoders() {
  std::vector<std::pair<std::string, std::shared_ptr<const LineDecoder>>> decoders;
  for (const auto& format : all_formats()) {
    decoders.emplace_back(format->name(), std::make_shared<const JsonDecoder>(Formats{format}));
  }
  decoders.emplace_back("auto", std::make_shared<const JsonDecoder>(all_formats()));
  return [decoders = std::move(decoders), text = std::make_shared<const TextDecoder>()](
             std::string_view output_format) -> std::shared_ptr<const LineDecoder> {
    for (const auto& [name, decoder] : decoders) {
      if (name == output_format) return decoder;
    }
    return text;
  };
}

}  // namespace luzia
