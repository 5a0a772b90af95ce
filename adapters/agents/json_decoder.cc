#include "adapters/agents/json_decoder.h"

namespace luzia {

const AgentFormat* JsonDecoder::owner(const JsonLine& line) const {
  if (!line.object().is_object()) return nullptr;
  for (const auto& format : formats_) {
    if (format->owns(line)) return format.get();
  }
  return nullptr;
}

void JsonDecoder::decode(const Line& line, std::vector<RecordOutput::Finding>& findings) const {
  const JsonLine json(line);
  const AgentFormat* const format = owner(json);
  if (format == nullptr) return text_.decode(line, findings);
  LineFindings found(line, format->name(), findings);
  format->find(json, found);
}

bool JsonDecoder::text_within(const Line& line, std::string& text) const {
  const JsonLine json(line);
  const AgentFormat* const format = owner(json);
  if (format == nullptr) return false;
  format->texts(json, text);
  return true;
}

void JsonDecoder::decode_marks(const Line& stretch, std::vector<RecordOutput::Finding>& findings) const {
  text_.decode_marks(stretch, findings);
}

}  // namespace luzia
