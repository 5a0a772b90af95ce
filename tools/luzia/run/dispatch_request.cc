#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "adapters/terminal/terminal_size.h"
#include "engine/base/try.h"
#include "engine/base/variable_name.h"
#include "tools/luzia/run/dispatch.h"

namespace luzia {
namespace {

Status fill_verification(const Arguments& args, wire::DispatchJobT& job) {
  job.verify = args.texts("verify");
  job.verify_clean = args.has("verify-clean");
  job.no_verify = args.has("no-verify");
  constexpr std::uint64_t kMostTries = 100;
  const auto tries = args.number("verify-tries");
  if (tries && *tries > kMostTries) {
    return fail(ErrorKind::usage, "bad_value", "--verify-tries: " + std::to_string(*tries) + " is too many",
                "0 to 100");
  }
  if (tries) job.verify_tries = static_cast<std::uint32_t>(*tries);
  return {};
}

Status fill_limits(const Arguments& args, wire::DispatchJobT& job) {
  job.memory_bytes = args.bytes("memory").value_or(0);
  job.cpu_percent = args.percent("cpu").value_or(0);
  job.disk_bytes = args.bytes("disk").value_or(0);
  const std::uint64_t processes = args.number("processes").value_or(0);
  if (processes > ~0U) {
    return fail(ErrorKind::usage, "bad_value", "--processes: " + std::to_string(processes) + " is too many");
  }
  job.most_processes = static_cast<std::uint32_t>(processes);
  return {};
}

}  // namespace

Result<std::string> environment_entry(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && equals > 0) {
    const std::string name = text.substr(0, equals);
    if (is_variable_name(name)) return text;
    return fail(ErrorKind::usage, "bad_env", "--env: '" + name + "' is not a valid variable name",
                "a name has letters, digits and underscores, and does not begin with a digit");
  }
  const char* own = text.empty() || text.front() == '=' ? nullptr : std::getenv(text.c_str());
  if (own == nullptr) {
    return fail(ErrorKind::usage, "bad_env",
                "--env: '" + text + "' is neither KEY=VALUE nor the name of a set variable",
                "write --env KEY=VALUE");
  }
  return text + "=" + own;
}

Result<wire::DispatchJobT> job_from_options(const Arguments& args) {
  wire::DispatchJobT job;
  job.agent = args.text("agent");
  job.priority = args.priority("priority").value_or(255);
  job.after = args.list("after");
  job.not_before_us = args.moment_to_come("not-before").value_or(0);
  job.timeout_ms = args.duration_ms("timeout").value_or(0);
  job.budget_time_ms = args.duration_ms("budget-time").value_or(0);
  job.budget_cost_usd = args.real("budget-cost").value_or(0);
  job.budget_tokens = args.number("budget-tokens").value_or(0);
  const std::uint64_t retries = args.number("retries").value_or(~0U);
  if (retries > ~0U) {
    return fail(ErrorKind::usage, "bad_value", "--retries: " + std::to_string(retries) + " is too many");
  }
  job.retries = static_cast<std::uint32_t>(retries);
  LUZIA_TRY(fill_limits(args, job));
  job.estimate_ms = args.duration_ms("estimate").value_or(0);
  const auto tags = args.texts("tag");
  if (std::ranges::find(tags, "") != tags.end()) {
    return fail(ErrorKind::usage, "bad_value", "--tag: the tag is empty",
                "leave the option out, or give a tag");
  }
  job.tags = args.list("tag");
  for (const std::string& text : args.texts("env")) {
    auto entry = LUZIA_TRY(environment_entry(text));
    job.env.push_back(std::move(entry));
  }
  std::error_code ignored;
  if (args.has("dir")) {
    job.dir = std::filesystem::absolute(args.text("dir"), ignored).lexically_normal().string();
  }
  job.worktree = args.has("worktree");
  job.prompt_template = args.text("prompt");
  job.gates = args.texts("gate");
  job.fallback = args.list("fallback");
  LUZIA_TRY(fill_verification(args, job));
  job.callback_url = args.text("callback-url");
  job.user = args.text("user");
  job.permissions = args.text("permissions");
  job.sandbox = args.text("sandbox");
  job.network = args.list("network");
  job.at_terminal = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
  const std::string flow = args.text("flow");
  const std::size_t slash = flow.find('/');
  job.flow = flow.substr(0, slash);
  job.step = slash == std::string::npos ? "" : flow.substr(slash + 1);
  const char* parent = std::getenv("LUZIA_JOB_ID");
  job.parent_job = parent == nullptr ? "" : parent;
  return job;
}

void give_terminal(wire::DispatchJobT& job, schema::Terminal terminal) {
  job.terminal = terminal;
  job.interactive = true;
  if (const auto size = size_of_terminal(STDIN_FILENO)) {
    job.terminal_columns = size->columns;
    job.terminal_rows = size->rows;
  }
  for (const std::string name : {"TERM", "COLORTERM"}) {
    const auto given = [&](const std::string& entry) { return entry.starts_with(name + "="); };
    const char* own = std::getenv(name.c_str());
    if (own != nullptr && std::ranges::none_of(job.env, given)) job.env.push_back(name + "=" + own);
  }
}

}  // namespace luzia
