// What a project's configuration says about a gate: [projects.NAME.gates]. A key is a gate's name, a tool
// with a pattern over its input ("Bash(git push*)"), or either with `*` for any text. Pure; any thread.
//
// Rules over commands save people questions, they are no wall: a shell has too many ways to say the same.
// Hence they lean to asking: each simple command of a line must be allowed by itself, and one that is refused
// refuses the line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/config/config.h"

namespace luzia {

/// Where a call is made: paths in its input are from here. Empty: not known.
struct CallPlace {
  std::string cwd = {};     // the folder that the agent is in, which it may change
  std::string home = {};    // what `~` stands for
  std::string folder = {};  // in which the job was started: keys with relative paths are from here
};

/// What is asked for. `tool` is empty for a gate that the agent named by itself; `tool_input` is JSON.
struct GateRequest {
  std::string gate;
  std::string tool = {};
  std::string tool_input = {};
  CallPlace place = {};
};

/// Member of a tool's input that says: a part of it is missing, nobody can judge or be shown the whole.
inline constexpr std::string_view kCutMark = "luzia: cut";
bool is_cut(const GateRequest& request);
/// Whether a key could be about calls of the tool, whatever their input.
bool concerns_tool(const std::map<std::string, GatePolicy>& gates, std::string_view tool);

struct GateRuling {
  GatePolicy policy;
  std::string key;  // of the table, that decided; empty: nothing there fits, a person is asked
};

/// The most specific key decides: the gate's own name, else the longest pattern that fits, else "*"; of equal
/// ones the stricter (never, ask, auto-after, always). A tool's own name counts as a pattern. Of a shell
/// command with several parts the strictest ruling counts. A file is judged as what its path means; one of
/// which that cannot be told passes under no key over its tool's input, and is asked about where such a key
/// asks or refuses. Who looks through a folder (Grep, Glob, LS) looks at all below it: keys count there, too,
/// that ask or refuse about what begins in it, whatever its own.
GateRuling judge_gate(const std::map<std::string, GatePolicy>& gates, const GateRequest& request);

/// What "always for this job" stands for: a gate that the agent named ("gate deploy", as no tool is called,
/// whatever the gate's name); of a tool its name, and of Bash the command's first words ("Bash(git
/// commit*)"), or a hash of the whole line where that would let too much pass (interpreters and what else
/// runs any program, under whatever path or version) or tell a secret. Empty: cannot be remembered.
std::string rule_of(const GateRequest& request);

/// Of which a refusal counts, too: all of rule_of, or the gate's bare name, as logs of earlier programs
/// remember it.
std::string wider_rule_of(const GateRequest& request);

/// The same where `ruling` is what the gates say of the request. A person's word about all that rule_of
/// stands for does not outweigh a more specific key by which a person is asked, or is left time to refuse: a
/// hash of this very call then.
std::string rule_under(const GateRuling& ruling, const GateRequest& request);

/// "ask", "always", "never", "auto-after 30m"; nothing for other words, no time at all and over ten years.
std::optional<GatePolicy> parse_gate_policy(std::string_view text);
std::string gate_policy_text(const GatePolicy& policy);

/// Whether `text` is what `pattern` says: `*` stands for any text, also none; all else for itself.
bool fits_pattern(std::string_view pattern, std::string_view text);

}  // namespace luzia
