// Applies a project's rules for gates: [projects.NAME.gates]. A key is a gate's name, a tool with a pattern
// for its input ("Bash(git push*)"), or either with `*` for any text. Pure; any thread.
//
// Rules for commands save people questions; they are not a security boundary, because a shell can express the
// same command in too many ways. Hence they err on the side of asking: each simple command of a line must be
// allowed by itself, and one refused command refuses the line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/config/config.h"

namespace luzia {

constexpr std::size_t kMaxGateName = 200;  // bytes

/// Where a call is made; relative paths in its input start here. Empty fields are unknown.
struct CallPlace {
  std::string cwd = {};     // the agent's current folder, which it may change
  std::string home = {};    // the expansion of `~`
  std::string folder = {};  // where the job was started; relative paths in keys start here
};

/// What an agent asks for. `tool` is empty for a gate that the agent named itself; `tool_input` is JSON.
struct GateRequest {
  std::string gate;
  std::string tool = {};
  std::string tool_input = {};
  CallPlace place = {};
};

/// A member of a tool's input that marks it as incomplete: nobody can judge it or be shown all of it.
inline constexpr std::string_view kCutMark = "luzia: cut";
bool is_cut(const GateRequest& request);
/// Whether a key could apply to calls of the tool, whatever their input.
bool concerns_tool(const std::map<std::string, GatePolicy>& gates, std::string_view tool);

struct GateRuling {
  GatePolicy policy;
  std::string key;  // the key that decided; empty: no key matches, so a person is asked
};

/// The most specific key decides: the gate's own name, else the longest matching pattern, else "*". Among
/// equally specific keys the stricter wins (never, ask, auto-after, always). A tool's own name counts as a
/// pattern.
///
/// - A shell command with several parts gets the strictest ruling of its parts.
/// - A file is judged by its resolved path. If the path cannot be resolved, no key for the tool's input can
///   allow the call. A person is asked if such a key asks or refuses.
/// - Grep, Glob and LS search everything below a folder. For them, ask and deny rules also apply if the
///   rule's fixed path prefix lies inside that folder, whatever key matches the folder itself.
GateRuling judge_gate(const std::map<std::string, GatePolicy>& gates, const GateRequest& request);

/// Returns the rule that an answer "always for this job" stores; empty if nothing can be stored.
///
/// - A gate that the agent named: "gate deploy". The form differs from any tool call's, whatever the gate's
///   name.
/// - A tool that writes files: the files of one folder, "Write(/home/ada/web/src/*)". Folders below it have
///   rules of their own.
/// - Another tool: its name.
/// - Bash: the command's first words, "Bash(git commit*)". The first words and a hash of the whole line,
/// "Bash(make test #2f..)", if those words
///   would allow too much (interpreters and other programs that run any program, under any path or version)
///   or would reveal a secret.
std::string rule_of(const GateRequest& request);

/// The wider rule, for which an earlier refusal counts too: for a tool call all of rule_of(), even if
/// rule_under() is narrower; for a gate its bare name, which logs of earlier versions store.
std::string wider_rule_of(const GateRequest& request);

/// Like rule_of(), but respects `ruling`, the gates' decision on the request. If a key more specific than
/// rule_of() asks a person or leaves time to refuse, a person's "always" must not override it. Then the rule
/// is a hash of this very call, behind the file or first words that people recognize.
std::string rule_under(const GateRuling& ruling, const GateRequest& request);

/// "ask", "always", "never", "auto-after 30m". nullopt: other words, a time of zero, or over ten years.
std::optional<GatePolicy> parse_gate_policy(std::string_view text);
std::string gate_policy_text(const GatePolicy& policy);

/// Whether `text` matches `pattern`: `*` matches any text, including none; all else matches itself.
bool fits_pattern(std::string_view pattern, std::string_view text);

}  // namespace luzia
