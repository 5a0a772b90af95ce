#include "adapters/terminal/tmux.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "engine/base/descriptor.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

constexpr int kEndsByItselfMs = 2'000;
constexpr const char* kHistoryLines = "50000";

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// What tmux printed, or the error.
Result<std::string> ask(const TmuxPane& pane, const std::vector<std::string>& words) {
  auto end = LUZIA_TRY(run_child(pane.command(words), pane.job_dir));
  if (end.code == 0) return std::move(end.out);
  const std::string why = first_line(end.err.empty() ? end.out : end.err);
  const bool no_pane = why.starts_with("can't find") || why.starts_with("no server") ||
                       why.starts_with("no current") || why.starts_with("error connecting");
  if (no_pane) return fail(ErrorKind::refused, "no_pane", "asking tmux: " + why, "tmux list-panes -a");
  return fail(ErrorKind::trouble, "tmux_failed",
              "asking tmux: " + (why.empty() ? "it ended with " + std::to_string(end.code) : why));
}

std::vector<std::string> with_target(std::vector<std::string> words, const TmuxPane& pane) {
  if (!pane.target.empty()) words.insert(words.begin() + 1, {"-t", pane.target});
  return words;
}

}  // namespace

std::vector<std::string> TmuxPane::command(const std::vector<std::string>& words) const {
  std::vector<std::string> all = prefix;
  all.emplace_back("tmux");
  if (!job_dir.empty()) all.insert(all.end(), {"-S", kTmuxSocket, "-f", "/dev/null"});
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

bool has_session(const std::string& job_dir) {
  struct stat status {};
  if (::lstat((job_dir + "/" + kTmuxSocket).c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  return ask({{}, job_dir, {}}, {"has-session"}).has_value();
}

Result<int> start_session(const std::string& job_dir, const std::string& name, TerminalSize size,
                          const std::vector<std::string>& argv) {
  std::vector<std::string> words = {"start-server"};
  const auto set = [&](std::vector<std::string> option) {
    words.insert(words.end(), {";", "set-option"});
    words.insert(words.end(), option.begin(), option.end());
  };
  set({"-g", "history-limit", kHistoryLines});
  set({"-g", "remain-on-exit", "off"});
  set({"-g", "default-terminal", "tmux-256color"});
  set({"-g", "update-environment", ""});  // a client's environment is not the job's
  set({"-g", "status-left-length", "40"});
  set({"-g", "status-left", "[luzia #S] "});
  set({"-g", "status-right", ""});
  set({"-s", "escape-time", "25"});  // ms: a lone Escape is for the agent
  words.insert(words.end(), {";", "new-session", "-d", "-P", "-F", "#{pid}", "-s", name, "-n", "agent", "-x",
                             std::to_string(size.columns), "-y", std::to_string(size.rows), "--"});
  words.insert(words.end(), argv.begin(), argv.end());
  auto answer = LUZIA_TRY(ask({{}, job_dir, {}}, words));
  const int server = leading_number<int>(answer).value_or(0);
  if (server <= 1) return fail(ErrorKind::trouble, "tmux_failed", "starting a session: tmux names no server");
  return server;
}

void end_session(const std::string& job_dir, int server) {
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, server, 0)));
  pollfd ended{process.get(), POLLIN, 0};
  if (process && ::poll(&ended, 1, kEndsByItselfMs) == 0) {
    ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
  }
  ::unlink((job_dir + "/" + kTmuxSocket).c_str());
}

Result<int> attach_session(const std::string& job_dir, bool read_only) {
  const TmuxPane pane{{}, job_dir, {}};
  return run_on_our_terminal(pane.command(read_only ? std::vector<std::string>{"attach-session", "-r"}
                                                    : std::vector<std::string>{"attach-session"}),
                             job_dir);
}

Status send_keys(const TmuxPane& pane, const std::vector<std::string>& keys, bool literal) {
  std::vector<std::string> words = with_target({"send-keys"}, pane);
  if (literal) words.emplace_back("-l");
  words.emplace_back("--");
  for (std::string key : keys) {
    // tmux reads a semicolon at the end of a word as the end of its command.
    if (key.ends_with(';')) key.insert(key.size() - 1, "\\");
    words.push_back(std::move(key));
  }
  const auto answer = ask(pane, words);
  return answer ? Status() : tl::unexpected(answer.error());
}

Result<std::string> capture_screen(const TmuxPane& pane, std::size_t lines) {
  std::vector<std::string> words = with_target({"capture-pane", "-p"}, pane);
  if (lines > 0) words.insert(words.end(), {"-S", "-" + std::to_string(lines)});
  auto screen = ask(pane, words);
  if (!screen) return screen;
  screen->erase(screen->find_last_not_of(" \n") + 1);
  if (!screen->empty()) screen->push_back('\n');
  std::size_t begin = screen->size();
  for (std::size_t count = 0; lines > 0 && begin > 0 && count < lines; ++count) {
    const std::size_t newline = begin < 2 ? std::string::npos : screen->rfind('\n', begin - 2);
    begin = newline == std::string::npos ? 0 : newline + 1;
  }
  if (lines > 0) screen->erase(0, begin);
  return screen;
}

Result<std::string> program_in_front(const TmuxPane& pane) {
  auto name = ask(pane, with_target({"display-message", "-p", "#{pane_current_command}"}, pane));
  if (name) *name = first_line(*name);
  return name;
}

}  // namespace luzia
