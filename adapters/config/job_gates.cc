#include "adapters/config/job_gates.h"

#include <algorithm>

#include "engine/base/lower_case.h"
#include "engine/base/utf8.h"

namespace luzia {
namespace {

constexpr std::string_view kLineBlanks = " \t\r";

std::string_view without_line_blanks(std::string_view text) {
  const std::size_t from = text.find_first_not_of(kLineBlanks);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kLineBlanks) + 1 - from);
}

/// What follows "gate:" in a line; empty: something else begins the line.
std::string_view named_in_line(std::string_view line) {
  constexpr std::string_view kMark = "gate:";
  line = without_line_blanks(line);
  if (line.starts_with("- ") || line.starts_with("* ")) line = without_line_blanks(line.substr(2));
  if (lower_case(line.substr(0, kMark.size())) != kMark) return {};
  return without_line_blanks(line.substr(kMark.size()));
}

}  // namespace

bool is_gate_name(std::string_view name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (name.empty() || bounded_utf8(name, kMaxGateName) != name || std::ranges::any_of(name, is_control))
    return false;
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
