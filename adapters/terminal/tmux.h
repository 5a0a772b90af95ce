// Controls tmux. Each session job has its own server on JOB_DIR/tmux.sock, with only our configuration. Panes
// of any other server can be used too, here or through a command prefix (docker exec, ssh). Never uses a
// shell. Any thread; blocks while tmux answers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/terminal/child_program.h"
#include "adapters/terminal/terminal_size.h"

namespace luzia {

constexpr const char* kTmuxSocket = "tmux.sock";

/// Where a pane is.
struct TmuxPane {
  std::vector<std::string> prefix;  // words before `tmux`
  std::string job_dir;              // of a session job; empty: the user's own server
  std::string target;               // in tmux's syntax; empty: the session's only pane

  /// `tmux`, the options that reach its server, then these words.
  std::vector<std::string> command(const std::vector<std::string>& words) const;
};

/// Whether the job's directory has a session that responds.
bool has_session(const std::string& job_dir);

/// Starts a session job's server with `argv` in its only pane; returns the server's process id. The socket is
/// reached from within the job's directory, so its path may be long. `tmux_failed`, `cannot_run` (trouble).
Result<int> start_session(const std::string& job_dir, const std::string& name, TerminalSize size,
                          const std::vector<std::string>& argv);
/// Gives the server a moment to end by itself, else kills it; then removes its socket.
void end_session(const std::string& job_dir, int server);

/// Attaches our own terminal until the person leaves or the session ends; returns tmux's exit code.
Result<int> attach_session(const std::string& job_dir, bool read_only);

/// Types key names that tmux knows (Enter, C-c, Up) as keys, and other words as text. `literal`: all as text.
/// Errors: `no_pane` (refused), `tmux_failed`, `cannot_run`.
Status send_keys(const TmuxPane& pane, const std::vector<std::string>& keys, bool literal);
/// The screen as text, one line per row, without empty rows at the end. `lines` > 0: includes scrolled-off
/// rows, up to that many lines in total.
Result<std::string> capture_screen(const TmuxPane& pane, std::size_t lines);
/// The name of the pane's foreground program, as the system reports it.
Result<std::string> program_in_front(const TmuxPane& pane);

}  // namespace luzia
