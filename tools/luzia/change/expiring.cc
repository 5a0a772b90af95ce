#include "tools/luzia/change/expiring.h"

#include <nlohmann/json.hpp>

#include "adapters/config/byte_size.h"
#include "engine/base/counted.h"
#include "projections/rows/table.h"

namespace luzia {

std::vector<ExpiringByRule> what_expires(Client& client) {
  const auto reply = ask_control(client, wire::ControlAction::info, "keep");
  const auto* said = reply ? (*reply)->reply.AsProgressed() : nullptr;
  if (said == nullptr) return {};
  // An older daemon describes itself instead.
  const auto json = nlohmann::json::parse(said->message, nullptr, false);
  std::vector<ExpiringByRule> rules;
  if (!json.is_array()) return rules;
  for (const auto& each : json) {
    if (!each.is_object()) continue;
    rules.push_back({each.value("rule", ""), each.value("jobs", std::uint64_t{0}),
                     each.value("bytes", std::uint64_t{0})});
  }
  return rules;
}

std::uint64_t jobs_of(const std::vector<ExpiringByRule>& rules) {
  std::uint64_t jobs = 0;
  for (const ExpiringByRule& rule : rules) jobs += rule.jobs;
  return jobs;
}

void print_expiring(Invocation& invocation, const std::vector<ExpiringByRule>& rules) {
  Table table({{.title = "[KEEP]", .shrinks = true}, {"JOBS", Align::right}, {"FREES", Align::right}});
  constexpr std::uint64_t kKib = 1024;
  for (const ExpiringByRule& rule : rules) {
    table.add({{rule.rule}, {grouped(rule.jobs)}, {bytes_text((rule.bytes + kKib - 1) / kKib * kKib)}});
  }
  if (!table.empty()) print(table.text(invocation.terminal().style()));
}

Result<std::string> let_expire(Client& client) {
  const auto reply = LUZIA_TRY(ask_control(client, wire::ControlAction::info, "keep now"));
  const auto* said = reply->reply.AsProgressed();
  return said == nullptr ? std::string() : said->message;
}

}  // namespace luzia
