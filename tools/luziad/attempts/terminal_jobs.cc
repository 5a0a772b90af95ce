#include "tools/luziad/attempts/terminal_jobs.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace luzia {
namespace {

constexpr std::uint16_t kColumns = 80, kRows = 24, kMostCells = 1'000;
constexpr std::string_view kTask = "{task}";

bool takes_task(const std::vector<std::string>& command) {
  return std::ranges::any_of(command, [](const std::string& word) {
    return word.find(kTask) != std::string::npos || word.find("{task_file}") != std::string::npos ||
           word.find("{prompt_file}") != std::string::npos;
  });
}

std::vector<std::string> without_task(const std::vector<std::string>& command) {
  std::vector<std::string> left;
  for (const std::string& word : command) {
    if (word != kTask) {
      left.push_back(word);
    } else if (left.size() > 1 && left.back().starts_with('-')) {
      left.pop_back();
    }
  }
  return left;
}

bool is_on_path(const std::string& program) {
  const char* path = getenv("PATH");
  std::string_view folders = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!folders.empty()) {
    const std::size_t end = folders.find(':');
    const std::string candidate = std::string(folders.substr(0, end)) + "/" + program;
    if (access(candidate.c_str(), X_OK) == 0) return true;
    folders.remove_prefix(end == std::string_view::npos ? folders.size() : end + 1);
  }
  return false;
}

/// Searches beside luziad, as built and as installed (bin, sbin).
std::string find_luzia() {
  std::error_code ignored;
  const auto beside = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const auto& candidate : {beside / "luzia", beside / "../luzia/luzia", beside / "../bin/luzia"}) {
    if (std::filesystem::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0) {
      return std::filesystem::weakly_canonical(candidate, ignored).string();
    }
  }
  return "luzia";
}

std::uint16_t cells(std::uint16_t asked, std::uint16_t otherwise) {
  return asked == 0 ? otherwise : std::min(asked, kMostCells);
}

}  // namespace

Status give_terminal(schema::JobSpecT& spec, const AgentProfile& profile, const wire::DispatchJobT& request) {
  if (request.terminal == schema::Terminal::none) return {};
  if (request.terminal == schema::Terminal::session && !is_on_path("tmux")) {
    return fail(ErrorKind::refused, "no_tmux", "sessions need tmux, and there is none on the daemon's PATH",
                "install it (apt install tmux), or use --fg in a terminal");
  }
  std::vector<std::string> command = profile.interactive;
  if (command.empty()) {
    if (profile.stdin_prompt && !takes_task(profile.command)) {
      return fail(ErrorKind::refused, "no_interactive_command",
                  "agent '" + spec.agent + "' takes its task from standard input, which is a terminal here",
                  "say how it is started in one: interactive = [\"...\", \"{task}\"] in [agents." +
                      spec.agent + "] of luzia.toml, then luzia daemon reload");
    }
    command = profile.command;
  } else {
    spec.output_format = "text";  // a screen, not the lines that `command` prints
  }
  spec.command = request.task.empty() ? without_task(command) : std::move(command);
  spec.resume_command.clear();  // it is for the noninteractive way of running the agent
  spec.stdin_prompt = false;
  spec.interactive = true;
  spec.terminal = request.terminal;
  spec.terminal_columns = cells(request.terminal_columns, kColumns);
  spec.terminal_rows = cells(request.terminal_rows, kRows);
  // The person at the terminal saw it fail; an automatic retry without a person there helps nobody.
  if (request.retries == ~0u) spec.retries = 0;
  return {};
}

schema::TerminalRunT session_at_terminal(const Config& config, const std::string& agent,
                                         const wire::AttachJobT& request) {
  schema::TerminalRunT run;
  run.columns = cells(request.columns, kColumns);
  run.rows = cells(request.rows, kRows);
  const auto profile = config.agents.find(agent);
  if (profile == config.agents.end()) return run;
  const Agent* known = agent_of(agent, profile->second.command);
  if (known == nullptr) return run;
  const auto& own = profile->second.interactive;
  const std::vector<std::string> command = without_task(own.empty() ? known->profile.interactive : own);
  if (!takes_task(command)) run.command = resume_of(*known, command);
  return run;
}

std::vector<std::string> in_terminal(const schema::JobSpecT& spec, std::vector<std::string> argv) {
  if (spec.terminal == schema::Terminal::none) return argv;
  std::vector<std::string> held = {
      find_luzia(),
      "__terminal",
      spec.terminal == schema::Terminal::session ? "session" : "run",
      "--dir",
      spec.job_dir,
      "--size",
      std::to_string(spec.terminal_columns) + "x" + std::to_string(spec.terminal_rows),
      "--"};
  held.insert(held.end(), std::make_move_iterator(argv.begin()), std::make_move_iterator(argv.end()));
  return held;
}

}  // namespace luzia
