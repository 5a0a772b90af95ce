// opencode has plugins in place of hooks: a file of ours beside those of others. It also registers the
// server.
#include "adapters/agents/settings/entries.h"
#include "engine/base/hash.h"

namespace luzia::opencode {
namespace {

/// Verified with 1.18. The plugin describes each call to `luzia hook` as Claude Code does; throwing an error
/// stops the call. What the hook says after a call is appended to the result: a string, or a list of parts if
/// the tool belongs to a server. A call of our server may wait a day for a person (timeout).
constexpr std::string_view kHead =
    "// Written by luzia init opencode; removed by luzia init opencode --undo.\n"
    "import { spawn } from \"node:child_process\"\n"
    "\n"
    "const program = ";
constexpr std::string_view kRest = R"js(

function decide(event) {
  return new Promise((resolve) => {
    const hook = spawn(program, ["hook"], { stdio: "pipe" })
    let answer = "", trouble = ""
    hook.stdout.on("data", (text) => (answer += text))
    hook.stderr.on("data", (text) => (trouble += text))
    hook.stdin.on("error", () => {})
    hook.on("error", (error) => resolve({ stopped: String(error) }))
    hook.on("close", (code) => resolve(code === 0 ? { answer } : { stopped: trouble || "luzia hook failed" }))
    hook.stdin.end(JSON.stringify(event))
  })
}

export const Luzia = async ({ directory }) => ({
  config: async (config) => {
    config.mcp ??= {}
    config.mcp.luzia ??= { type: "local", command: [program, "mcp"], enabled: true, timeout: 86400000 }
  },
  "tool.execute.before": async (call, { args }) => {
    if (!process.env.LUZIA_JOB_ID) return
    const { stopped, answer } = await decide({
      hook_event_name: "PreToolUse",
      tool_name: call.tool,
      tool_input: args,
      tool_use_id: call.callID,
      cwd: directory,
    })
    if (stopped) throw new Error(stopped)
    if (!answer) return
    const { permissionDecision, permissionDecisionReason } = JSON.parse(answer).hookSpecificOutput
    if (permissionDecision !== "allow") throw new Error(permissionDecisionReason)
  },
  "tool.execute.after": async (call, result) => {
    const parts = Array.isArray(result?.content)
    if (!process.env.LUZIA_JOB_ID || (!parts && typeof result?.output !== "string")) return
    const event = { hook_event_name: "PostToolUse", tool_name: call.tool, takes_long_texts: true }
    const { answer } = await decide(event)
    if (!answer) return
    const text = JSON.parse(answer).hookSpecificOutput.additionalContext
    if (parts) result.content.push({ type: "text", text })
    else result.output += "\n\n" + text
  },
})
)js";

std::string plugin_for(const std::string& program) {
  return std::string(kHead) + OrderedJson(program).dump() + std::string(kRest);
}

/// BLAKE2b of the rest as it was before luzia tell; it is replaced by the present one.
constexpr std::string_view kOlderRest = "c0d981e256ed3a0d8e246537c4fee24bbcba2b17f84b24e7101a998f328d14c3";

/// Whether we wrote the file, for whichever program.
bool is_our_plugin(std::string_view text) {
  if (!text.starts_with(kHead)) return false;
  const std::size_t end_of_line = text.find('\n', kHead.size());
  if (end_of_line == std::string_view::npos) return false;
  const std::string_view rest = text.substr(end_of_line);
  return rest == kRest || to_hex(blake2b({as_bytes(rest)})) == kOlderRest;
}

}  // namespace

Result<std::string> edit_plugin(const SettingsEdit& edit) {
  const bool ours = is_our_plugin(edit.text);
  if (edit.undo) return ours ? std::string() : edit.text;
  if (!edit.text.empty() && !ours) return bad_settings(edit.file, "luzia init did not write it");
  return plugin_for(edit.program);
}

}  // namespace luzia::opencode
