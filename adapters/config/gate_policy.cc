#include "adapters/config/gate_policy.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "adapters/config/gate_subjects.h"
#include "adapters/config/inner_commands.h"
#include "adapters/config/shell_line.h"
#include "engine/base/characters.h"
#include "engine/base/durations.h"
#include "engine/base/lower_case.h"

namespace luzia {
namespace {

int strictness(const GatePolicy& policy) {
  switch (policy.word) {
    case GatePolicy::Word::always:
      return 0;
    case GatePolicy::Word::auto_after:
      return 1;
    case GatePolicy::Word::ask:
      return 2;
    case GatePolicy::Word::never:
      return 3;
  }
  return 2;
}

/// Whether one ruling is stricter. A tie goes to the one that leaves people more time, then to the more
/// specific key.
bool is_stricter(const GateRuling& one, const GateRuling& other) {
  const auto rank = [](const GateRuling& ruling) {
    return std::tuple(strictness(ruling.policy), ruling.policy.auto_after_ms, ruling.key.size());
  };
  return rank(one) > rank(other);
}

void take_stricter(GateRuling& ruling, GateRuling other) {
  if (is_stricter(other, ruling)) ruling = std::move(other);
}

using Gates = std::map<std::string, GatePolicy>;

/// Whether a key applies to the tool's input, not to all of its calls.
bool is_over_input(std::string_view key, std::string_view tool) {
  return !key.empty() && !fits_pattern(key, tool);
}

/// The longest key that matches one of the texts; of equally long ones the strictest. Keys that allow count
/// only if `covers` accepts them.
template <class Covers>
GateRuling longest_fit(const Gates& gates, const std::vector<std::string>& texts, const Covers& covers) {
  GateRuling best;
  for (const auto& [key, policy] : gates) {
    const bool fits =
        std::ranges::any_of(texts, [&, &name = key](const auto& text) { return fits_pattern(name, text); });
    const bool lets_pass =
        policy.word == GatePolicy::Word::always || policy.word == GatePolicy::Word::auto_after;
    if (!fits || (lets_pass && !covers(key))) continue;
    if (key.size() > best.key.size() ||
        (key.size() == best.key.size() && strictness(policy) > strictness(best.policy))) {
      best = {policy, key};
    }
  }
  return best;
}

constexpr auto kCoversAll = [](std::string_view) { return true; };

/// Whether the key could be about calls of the tool.
bool concerns(std::string_view key, std::string_view tool) {
  const std::size_t special = key.find_first_of("*(");
  const std::string_view head = key.substr(0, special);
  if (special == std::string_view::npos || key[special] == '(') return head == tool;
  return tool.starts_with(head) || head.starts_with(std::string(tool) + "(");
}

/// Whether it asks or refuses, and applies to the tool's input.
bool holds_back(const GateRuling& ruling, std::string_view tool) {
  const GatePolicy::Word word = ruling.policy.word;
  return (word == GatePolicy::Word::ask || word == GatePolicy::Word::never) &&
         is_over_input(ruling.key, tool);
}

/// For a file or command that cannot be determined and so could be any: asks a person if the gates ask or
/// refuse for some of them.
GateRuling ruling_about_some(const Gates& gates, std::string_view tool) {
  GateRuling ruling;
  for (const auto& [key, policy] : gates) {
    if (holds_back({policy, key}, tool) && concerns(key, tool) && key.size() > ruling.key.size()) {
      ruling.key = key;
    }
  }
  return ruling;
}

/// Rules that hold back a command behind one that runs it, such as `rm x` in `sudo -n rm x`. Rules that the
/// whole command matches have been weighed against its others already.
void hold_back_inner(const Gates& gates, const std::string& tool, const std::string& part,
                     GateRuling& ruling) {
  const auto call = [&](const std::string& command) { return tool + "(" + command + ")"; };
  const bool may_hold = std::ranges::any_of(gates, [&tool](const auto& gate) {
    return gate.second.word != GatePolicy::Word::always && is_over_input(gate.first, tool);
  });
  if (!may_hold) return;
  const InnerCommands inner = inner_commands(part);
  for (const std::string& text : inner.texts) {
    GateRuling found = longest_fit(gates, {call(text)}, kCoversAll);
    const bool counts = found.policy.word != GatePolicy::Word::always && is_over_input(found.key, tool);
    if (counts && !fits_pattern(found.key, call(part))) take_stricter(ruling, std::move(found));
  }
  if (inner.complete) return;
  if (GateRuling about_some = ruling_about_some(gates, tool); !about_some.key.empty()) {
    take_stricter(ruling, std::move(about_some));
  }
}

/// Rules on one simple command, as written and as the program that really runs. A key that refuses either
/// refuses the command.
GateRuling judge_command(const Gates& gates, const std::string& tool, const std::string& part) {
  const auto call = [&](std::string_view command) { return tool + "(" + std::string(command) + ")"; };
  const auto covers = [&, writes = writes_file(part)](std::string_view key) {
    return !writes || !is_over_input(key, tool) || key.find('>') != std::string_view::npos;
  };
  GateRuling ruling = longest_fit(gates, {tool, call(part)}, covers);
  const std::string_view bare = bare_command(part);
  if (bare.size() != part.size()) take_stricter(ruling, longest_fit(gates, {tool, call(bare)}, covers));
  hold_back_inner(gates, tool, part, ruling);
  return ruling;
}

/// A search of a folder reaches everything below it. So keys that ask or refuse for something there count.
/// Keys that match the folder itself are handled elsewhere.
GateRuling ruling_about_below(const Gates& gates, const GateRequest& request) {
  GateRuling strictest;
  const auto folder = searched_folder(request);
  if (!folder) return strictest;
  for (const auto& [key, policy] : gates) {
    const std::size_t bracket = key.find('(');
    if (!holds_back({policy, key}, request.tool) || bracket == std::string::npos ||
        !fits_pattern(key.substr(0, bracket), request.tool) ||
        std::ranges::any_of(folder->meant, [&, &name = key](const std::string& each) {
          return fits_pattern(name, request.tool + "(" + each + ")");
        })) {
      continue;
    }
    const std::size_t end = key.ends_with(')') ? key.size() - 1 : key.size();
    const auto pattern = std::string_view(key).substr(bracket + 1, end - bracket - 1);
    const auto lies_there = begins_in(pattern, folder->meant.front(), request.place);
    if (lies_there.value_or(true)) take_stricter(strictest, {lies_there ? policy : GatePolicy{}, key});
  }
  return strictest;
}

/// A path can be written in several ways and can leave the folder that a pattern names, so its resolved form
/// decides. In addition, keys may refuse the path as written.
GateRuling judge_subject(const Gates& gates, const GateRequest& request, const Subject& subject) {
  const auto fit = [&](const std::vector<std::string>& meant) {
    std::vector<std::string> texts = {request.gate, request.tool};
    for (const std::string& each : meant) texts.push_back(request.tool + "(" + each + ")");
    return longest_fit(gates, texts, [&](std::string_view key) {
      return subject.known || !is_over_input(key, request.tool);
    });
  };
  GateRuling ruling = fit(subject.meant);
  if (GateRuling as_it_stands = fit({subject.text}); is_over_input(as_it_stands.key, request.tool)) {
    take_stricter(ruling, std::move(as_it_stands));
  }
  if (!subject.known) {
    if (GateRuling about_some = ruling_about_some(gates, request.tool); !about_some.key.empty()) {
      take_stricter(ruling, std::move(about_some));
    }
  }
  return ruling;
}

/// A key that equals the call exactly, without wildcards.
const Gates::value_type* own_key(const Gates& gates, const GateRequest& request,
                                 const std::vector<Subject>& subjects) {
  if (subjects.size() != 1 || !subjects.front().known) return nullptr;
  for (const std::string& each : subjects.front().meant) {
    if (const auto own = gates.find(request.tool + "(" + each + ")"); own != gates.end()) return &*own;
  }
  return nullptr;
}

/// Of several subjects, the strictest ruling counts.
GateRuling judge_subjects(const Gates& gates, const GateRequest& request) {
  const auto subjects = subjects_of(request);
  if (const auto* own = own_key(gates, request, subjects)) return {own->second, own->first};
  const Subject nothing{"", {""}};
  GateRuling strictest = judge_subject(gates, request, subjects.empty() ? nothing : subjects.front());
  for (const Subject& subject : subjects) take_stricter(strictest, judge_subject(gates, request, subject));
  if (subjects.size() > 1) {
    take_stricter(strictest, longest_fit(gates, {request.gate, request.tool}, kCoversAll));
  }
  return strictest;
}

/// A place that a call implies but does not name can never allow more; it can only make the ruling stricter.
GateRuling judge_files(const Gates& gates, const GateRequest& request) {
  GateRuling ruling = judge_subjects(gates, request);
  std::vector<GateRuling> others = {ruling_about_below(gates, request)};
  if (const auto folder = unnamed_folder(request)) others.push_back(judge_subject(gates, request, *folder));
  for (GateRuling& other : others) {
    if (holds_back(other, request.tool)) take_stricter(ruling, std::move(other));
  }
  return ruling;
}

}  // namespace

bool is_cut(const GateRequest& request) {
  const auto input = nlohmann::json::parse(request.tool_input, nullptr, false);
  return input.is_object() && input.contains(kCutMark);
}

bool concerns_tool(const std::map<std::string, GatePolicy>& gates, std::string_view tool) {
  return std::ranges::any_of(gates, [tool](const auto& gate) { return concerns(gate.first, tool); });
}

/// Literal parts are searched with memchr and memcmp: a pattern of repeated letters must not make a long text
/// take long.
bool fits_pattern(std::string_view pattern, std::string_view text) {
  const std::size_t first = pattern.find('*');
  if (first == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, first))) return false;
  text.remove_prefix(first);
  pattern.remove_prefix(first + 1);
  for (std::size_t end = pattern.find('*'); end != std::string_view::npos; end = pattern.find('*')) {
    const std::size_t at = text.find(pattern.substr(0, end));
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + end);
    pattern.remove_prefix(end + 1);
  }
  return text.ends_with(pattern);
}

GateRuling judge_gate(const std::map<std::string, GatePolicy>& gates, const GateRequest& request) {
  const bool named_by_agent = request.tool.empty() || request.gate != request.tool;
  if (const auto own = gates.find(request.gate); named_by_agent && own != gates.end()) {
    return {own->second, own->first};
  }
  if (request.tool.empty()) return longest_fit(gates, {request.gate}, kCoversAll);
  if (request.tool != "Bash") return judge_files(gates, request);
  const std::string subject = command_of(request.tool_input);
  if (const auto own = gates.find(request.tool + "(" + subject + ")"); own != gates.end()) {
    return {own->second, own->first};
  }
  const auto parts = simple_commands(subject);
  GateRuling strictest = judge_command(gates, request.tool, with_single_blanks(subject));
  for (const std::string& part : parts) take_stricter(strictest, judge_command(gates, request.tool, part));
  return strictest;
}

std::optional<GatePolicy> parse_gate_policy(std::string_view written) {
  const std::string text = lower_case(written);
  constexpr std::string_view kAutoAfter = "auto-after ";
  if (text == "ask") return GatePolicy{GatePolicy::Word::ask, 0};
  if (text == "always") return GatePolicy{GatePolicy::Word::always, 0};
  if (text == "never") return GatePolicy{GatePolicy::Word::never, 0};
  if (!text.starts_with(kAutoAfter)) return std::nullopt;
  const auto after = parse_duration_ms(trimmed(std::string_view(text).substr(kAutoAfter.size())));
  if (!after || *after == 0 || *after > kLongestDurationMs) return std::nullopt;
  return GatePolicy{GatePolicy::Word::auto_after, *after};
}

std::string gate_policy_text(const GatePolicy& policy) {
  switch (policy.word) {
    case GatePolicy::Word::ask:
      return "ask";
    case GatePolicy::Word::always:
      return "always";
    case GatePolicy::Word::never:
      return "never";
    case GatePolicy::Word::auto_after:
      break;
  }
  const std::uint64_t ms = policy.auto_after_ms;
  return "auto-after " + (ms % 60'000 == 0  ? std::to_string(ms / 60'000) + "m"
                          : ms % 1'000 == 0 ? std::to_string(ms / 1'000) + "s"
                                            : std::to_string(ms) + "ms");
}

}  // namespace luzia
