#include "adapters/config/gate_policy.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/time.h"

namespace luzia {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::size_t kRuleHashBytes = 16;  // two lines with one hash cannot be made

std::string_view trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(kBlanks);
  return from == std::string_view::npos ? std::string_view()
                                        : text.substr(from, text.find_last_not_of(kBlanks) - from + 1);
}

/// One blank between words, so that a second one is no way around a pattern.
std::string with_single_blanks(std::string_view text) {
  std::string out;
  for (const char c : trimmed(text)) {
    const bool blank = kBlanks.find(c) != std::string_view::npos;
    if (!blank) {
      out += c;
    } else if (!out.ends_with(' ')) {
      out += ' ';
    }
  }
  return out;
}

/// A shell's line in simple commands. Quotes are not looked at: what is cut too often is asked about too
/// often.
std::vector<std::string> simple_commands(std::string_view line) {
  std::vector<std::string> parts;
  std::string part;
  const auto end_part = [&] {
    if (std::string clean = with_single_blanks(part); !clean.empty()) {
      parts.push_back(std::move(clean));
    }
    part.clear();
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    // 2>&1 and &>file are of the same command.
    const bool of_redirection =
        c == '&' && ((i > 0 && line[i - 1] == '>') || (i + 1 < line.size() && line[i + 1] == '>'));
    if (!of_redirection && std::string_view(";&|\n()`").find(c) != std::string_view::npos) {
      end_part();
    } else {
      part += c;
    }
  }
  end_part();
  return parts;
}

/// Without what only stands before a command: assignments, words of the shell, programs that run another.
std::string_view bare_command(std::string_view part) {
  static constexpr std::array kBefore = {"then",  "do",      "else", "elif",   "if",   "while",
                                         "until", "!",       "{",    "time",   "sudo", "nohup",
                                         "exec",  "command", "env",  "builtin"};
  while (true) {
    const std::string_view word = part.substr(0, part.find(' '));
    const std::size_t equals = word.find('=');
    const bool assigns = equals != std::string_view::npos && equals > 0 &&
                         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    const bool before = std::ranges::find(kBefore, word) != kBefore.end();
    if (word.size() == part.size() || !(assigns || before)) {
      return part;
    }
    part.remove_prefix(word.size() + 1);
  }
}

/// Files that it writes are not named by the command's first words.
bool writes_file(std::string_view part) {
  for (std::size_t at = part.find('>'); at != std::string_view::npos; at = part.find('>', at + 1)) {
    if (at + 1 < part.size() && part[at + 1] == '>') {
      continue;  // the second of two is looked at
    }
    const std::string_view target = trimmed(part.substr(at + 1));
    const bool copies = target.starts_with('&');
    const std::string_view rest = target.substr(copies ? 1 : 0);
    const std::string_view word = rest.substr(0, rest.find_first_of(" ;&|()"));
    const std::string_view descriptor = copies ? word : std::string_view();
    const bool is_descriptor =
        descriptor == "-" ||
        (!descriptor.empty() && descriptor.find_first_not_of("0123456789") == std::string_view::npos);
    if (!is_descriptor && (copies || word != "/dev/null")) {
      return true;
    }
  }
  return false;
}

/// What a tool works on: a shell's command, a file, an address. Of a tool that is not known, all that it
/// could be; what is there and no text counts as an empty one.
std::vector<std::string> subjects_of(std::string_view tool, const std::string& tool_input) {
  static constexpr std::array<std::string_view, 7> kKeys = {"command", "file_path", "notebook_path", "path",
                                                            "url",     "query",     "pattern"};
  static constexpr std::array<std::string_view, 5> kFileTools = {"Write", "Edit", "MultiEdit", "Read",
                                                                 "NotebookEdit"};
  const auto input = nlohmann::json::parse(tool_input, nullptr, false);
  const bool of_files = std::ranges::find(kFileTools, tool) != kFileTools.end();
  std::vector<std::string> subjects;
  if (!input.is_object()) {
    return subjects;
  }
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    const bool is_path = i >= 1 && i <= 3;
    if ((tool == "Bash" && i != 0) || (of_files && !is_path)) {
      continue;
    }
    if (const auto value = input.find(kKeys[i]); value != input.end()) {
      subjects.push_back(value->is_string() ? value->get<std::string>() : std::string());
    }
  }
  return subjects;
}

std::string command_of(const std::string& tool_input) {
  const auto subjects = subjects_of("Bash", tool_input);
  return subjects.empty() ? std::string() : subjects.front();
}

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

using Gates = std::map<std::string, GatePolicy>;

/// Of keys that fit one of the texts, the longest; of equally long ones the strictest.
GateRuling longest_fit(const Gates& gates, const std::vector<std::string>& texts, bool file_written) {
  GateRuling best;
  for (const auto& [key, policy] : gates) {
    const bool fits =
        std::ranges::any_of(texts, [&, &name = key](const auto& text) { return fits_pattern(name, text); });
    const bool over_input = key.find('(') != std::string::npos;
    const bool lets_pass =
        policy.word == GatePolicy::Word::always || policy.word == GatePolicy::Word::auto_after;
    if (!fits || (file_written && over_input && lets_pass && key.find('>') == std::string::npos)) {
      continue;
    }
    if (key.size() > best.key.size() ||
        (key.size() == best.key.size() && strictness(policy) > strictness(best.policy))) {
      best = {policy, key};
    }
  }
  return best;
}

/// Of one simple command, as it stands and as what it really runs: who refuses that refuses the former.
GateRuling judge_command(const Gates& gates, const std::string& tool, const std::string& part) {
  const auto call = [&](std::string_view command) { return tool + "(" + std::string(command) + ")"; };
  const bool writes = writes_file(part);
  GateRuling ruling = longest_fit(gates, {tool, call(part)}, writes);
  const std::string_view bare = bare_command(part);
  if (bare.size() != part.size()) {
    GateRuling inner = longest_fit(gates, {tool, call(bare)}, writes);
    if (strictness(inner.policy) > strictness(ruling.policy)) {
      return inner;
    }
  }
  return ruling;
}

/// Commands that take a word which says what they do.
bool has_subcommands(std::string_view program) {
  static constexpr std::array kPrograms = {"git",     "npm",       "pnpm",  "yarn",   "cargo",    "go",
                                           "docker",  "podman",    "make",  "cmake",  "pip",      "pip3",
                                           "kubectl", "apt",       "gh",    "dotnet", "helm",     "gradle",
                                           "mvn",     "terraform", "bazel", "uv",     "systemctl"};
  return std::ranges::find(kPrograms, program) != kPrograms.end();
}

/// Programs that run whatever they are given.
bool runs_anything(std::string_view program) {
  static constexpr std::array kPrograms = {
      "sh", "bash",  "dash", "zsh", "python", "python3", "perl",    "ruby",   "node", "eval",  "source",
      ".",  "xargs", "find", "ssh", "su",     "doas",    "timeout", "setsid", "nice", "watch", "parallel"};
  return std::ranges::find(kPrograms, program) != kPrograms.end();
}

/// Nothing but a name: no assignment, no address with a password in it.
bool is_plain(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_./+-").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::string command_rule(const std::string& tool, const std::string& command) {
  const auto parts = simple_commands(command);
  const Hash hash = blake2b({as_bytes(command)});
  std::string exact = tool + "(#" + to_hex(Bytes(hash.data(), kRuleHashBytes)) + ")";
  if (parts.size() != 1 || bare_command(parts.front()).size() != parts.front().size() ||
      command.find('$') != std::string::npos || writes_file(parts.front())) {
    return exact;
  }
  const std::string& part = parts.front();
  const std::size_t first = part.find(' ');
  const std::string program = part.substr(0, first);
  if (runs_anything(program) || !is_plain(program)) {
    return exact;
  }
  if (first == std::string::npos || !has_subcommands(program)) {
    return tool + "(" + program + "*)";
  }
  const std::string second = part.substr(first + 1, part.find(' ', first + 1) - first - 1);
  // An option in its place may change what everything after it means.
  return second.starts_with('-') || !is_plain(second) ? exact : tool + "(" + program + " " + second + "*)";
}

/// A path may say the same in several ways, and climb out of where a pattern lets it: it is judged as it
/// stands and as what it means. Of several subjects, and of these two, the strictest ruling counts.
GateRuling judge_subjects(const Gates& gates, const GateRequest& request) {
  const auto subjects = subjects_of(request.tool, request.tool_input);
  const auto fit = [&](const std::string& subject) {
    return longest_fit(gates, {request.gate, request.tool, request.tool + "(" + subject + ")"}, false);
  };
  if (subjects.size() == 1) {
    const auto own = gates.find(request.tool + "(" + subjects.front() + ")");
    if (own != gates.end()) {
      return {own->second, own->first};
    }
  }
  GateRuling strictest = fit(subjects.empty() ? std::string() : subjects.front());
  const auto take = [&](GateRuling ruling) {
    if (strictness(ruling.policy) > strictness(strictest.policy)) {
      strictest = std::move(ruling);
    }
  };
  for (const std::string& subject : subjects) {
    take(fit(subject));
    if (subject.starts_with('/')) {
      take(fit(std::filesystem::path(subject).lexically_normal().string()));
    }
  }
  if (subjects.size() > 1) {
    take(longest_fit(gates, {request.gate, request.tool}, false));
  }
  return strictest;
}

}  // namespace

bool is_cut(const GateRequest& request) {
  const auto input = nlohmann::json::parse(request.tool_input, nullptr, false);
  return input.is_object() && input.contains(kCutMark);
}

bool concerns_tool(const std::map<std::string, GatePolicy>& gates, std::string_view tool) {
  return std::ranges::any_of(gates, [tool](const auto& gate) {
    const std::string_view key = gate.first;
    const std::size_t special = key.find_first_of("*(");
    const std::string_view head = key.substr(0, special);
    if (special == std::string_view::npos || key[special] == '(') {
      return head == tool;
    }
    return tool.starts_with(head) || head.starts_with(std::string(tool) + "(");
  });
}

bool fits_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

GateRuling judge_gate(const std::map<std::string, GatePolicy>& gates, const GateRequest& request) {
  const bool named_by_agent = request.tool.empty() || request.gate != request.tool;
  if (const auto own = gates.find(request.gate); named_by_agent && own != gates.end()) {
    return {own->second, own->first};
  }
  if (request.tool.empty()) {
    return longest_fit(gates, {request.gate}, false);
  }
  if (request.tool != "Bash") {
    return judge_subjects(gates, request);
  }
  const std::string subject = command_of(request.tool_input);
  if (const auto own = gates.find(request.tool + "(" + subject + ")"); own != gates.end()) {
    return {own->second, own->first};
  }
  const auto parts = simple_commands(subject);
  GateRuling strictest = judge_command(gates, request.tool, with_single_blanks(subject));
  for (const std::string& part : parts) {
    GateRuling ruling = judge_command(gates, request.tool, part);
    if (strictness(ruling.policy) > strictness(strictest.policy)) {
      strictest = std::move(ruling);
    }
  }
  return strictest;
}

std::string rule_of(const GateRequest& request) {
  if (request.tool.empty()) {
    return request.gate;
  }
  if (request.tool != "Bash") {
    return request.tool;
  }
  const std::string command = command_of(request.tool_input);
  return command.empty() ? std::string() : command_rule(request.tool, command);
}

std::optional<GatePolicy> parse_gate_policy(std::string_view text) {
  constexpr std::string_view kAutoAfter = "auto-after ";
  if (text == "ask") {
    return GatePolicy{GatePolicy::Word::ask, 0};
  }
  if (text == "always") {
    return GatePolicy{GatePolicy::Word::always, 0};
  }
  if (text == "never") {
    return GatePolicy{GatePolicy::Word::never, 0};
  }
  if (!text.starts_with(kAutoAfter)) {
    return std::nullopt;
  }
  const auto after = parse_duration_ms(trimmed(text.substr(kAutoAfter.size())));
  if (!after || *after == 0) {
    return std::nullopt;
  }
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
