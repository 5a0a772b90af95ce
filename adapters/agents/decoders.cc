#include "adapters/agents/decoders.h"

#include "adapters/agents/text_decoder.h"

namespace luzia {

LineDecoderSource line_decoders() {
  return [text = std::make_shared<const TextDecoder>()](
             std::string_view) -> std::shared_ptr<const LineDecoder> { return text; };
}

}  // namespace luzia
