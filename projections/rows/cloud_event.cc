#include "projections/rows/cloud_event.h"

#include <fmt/format.h>

#include "projections/rows/event_shapes.h"
#include "projections/rows/event_text.h"
#include "projections/rows/json_writer.h"

namespace luzia {
namespace {

/// CloudEvents omits attributes without a value.
void attribute(JsonWriter& json, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  json.key(name);
  json.text(value);
}

void write_evidence(JsonWriter& json, const schema::Evidence* evidence) {
  if (!evidence || evidence->kind() == schema::EvidenceKind::asserted) {
    return attribute(json, "evidence", "asserted");
  }
  attribute(json, "evidence", "inferred");
  attribute(json, "evidencelog",
            fmt::format("attempt={} generation={} bytes={}-{}", evidence->attempt(), evidence->generation(),
                        evidence->log_from(), evidence->log_to()));
  attribute(json, "rule", text(evidence->rule()));
}

}  // namespace

std::string cloud_event_json(const schema::Event& event) {
  const std::string_view site = text(event.site());
  std::string out;
  out.reserve(512);
  JsonWriter json(out);
  json.begin_object();
  attribute(json, "specversion", "1.0");
  attribute(json, "id", fmt::format("{}:{}", site, event.position()));
  attribute(json, "source", fmt::format("luzia/{}", site));
  attribute(json, "type", fmt::format("luzia.{}", event_type(event)));
  attribute(json, "time", format_rfc3339(event.time_us()));
  attribute(json, "subject", text(event.stream()));
  attribute(json, "datacontenttype", "application/json");
  attribute(json, "position", std::to_string(event.position()));
  attribute(json, "streamversion", std::to_string(event.version()));
  if (event.cause() != 0) attribute(json, "cause", fmt::format("{}:{}", site, event.cause()));
  attribute(json, "actor", actor_text(event));
  write_evidence(json, event.evidence());
  attribute(json, "commandid", text(event.command_id()));
  json.key("data");
  write_fact(json, static_cast<std::uint8_t>(event.payload_type()), event.payload());
  json.end_object();
  return out;
}

}  // namespace luzia
