#include "adapters/config/job_gates.h"

#include <algorithm>

#include "engine/base/characters.h"
#include "engine/base/lower_case.h"
#include "engine/base/utf8.h"

namespace luzia {
namespace {

/// What follows "gate:" in a line; empty: something else begins the line.
std::string_view named_in_line(std::string_view line) {
  constexpr std::string_view kMark = "gate:";
  line = trimmed(line);
  if (line.starts_with("- ") || line.starts_with("* ")) line = trimmed(line.substr(2));
  if (lower_case(line.substr(0, kMark.size())) != kMark) return {};
  return trimmed(line.substr(kMark.size()));
}

}  // namespace

bool is_gate_name(std::string_view name) {
  if (name.empty() || !is_plain_line(name, kMaxGateName)) return false;
  const std::size_t paren = name.find('(');
  return name.substr(0, paren).find(' ') == std::string_view::npos && paren != 0 &&
         (paren == std::string_view::npos || name.ends_with(')'));
}

std::vector<std::string> gates_in_task(std::string_view task) {
  std::vector<std::string> gates;
  while (!task.empty() && gates.size() <= kMaxJobGates) {
    const std::size_t end = std::min(task.find('\n'), task.size());
    const std::string name(named_in_line(task.substr(0, end)));
    if (is_gate_name(name) && std::ranges::find(gates, name) == gates.end()) gates.push_back(name);
    task.remove_prefix(std::min(end + 1, task.size()));
  }
  return gates;
}

GateRuling judge_job_gate(const std::map<std::string, GatePolicy>& of_project,
                          const std::vector<std::string>& of_job, const GateRequest& request) {
  GateRuling ruling = judge_gate(of_project, request);
  if (of_job.empty() || ruling.policy.word == GatePolicy::Word::never) return ruling;
  std::map<std::string, GatePolicy> own;
  for (const std::string& gate : of_job) own[gate].word = GatePolicy::Word::ask;
  GateRuling asked = judge_gate(own, request);
  return asked.key.empty() ? std::move(ruling) : std::move(asked);
}

}  // namespace luzia
