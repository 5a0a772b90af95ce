// tmux as Luzia uses it: one server for each session job, on JOB_DIR/tmux.sock, with no configuration but
// ours; and any pane of any other server, here or by a prefix of the command line (docker exec, ssh). Never
// through a shell. Any thread; blocks while tmux answers.
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
  std::string target;               // as tmux takes it; empty: the session's only pane

  /// `tmux` and how to reach its server, then these words.
  std::vector<std::string> command(const std::vector<std::string>& words) const;
};

/// Whether the job's directory has a session that answers.
bool has_session(const std::string& job_dir);

/// Starts the server of a session job with `argv` in its only pane; the server's process id. The socket is
/// reached from the job's directory, so that its path may be long. `tmux_failed`, `cannot_run` (trouble).
Result<int> start_session(const std::string& job_dir, const std::string& name, TerminalSize size,
                          const std::vector<std::string>& argv);
/// Waits until the server has ended by itself, then ends it, and removes its socket.
void end_session(const std::string& job_dir, int server);

/// On our own terminal, until the person leaves or the session ends: tmux's exit code.
Result<int> attach_session(const std::string& job_dir, bool read_only);

/// Types: names of keys as tmux knows them (Enter, C-c, Up), other words as they are; `literal`: all as they
/// are. Errors `no_pane` (refused), `tmux_failed`, `cannot_run`.
Status send_keys(const TmuxPane& pane, const std::vector<std::string>& keys, bool literal);
/// The screen as text, one line a row, without what is empty at the end; `lines` > 0: with so much of what
/// has scrolled away that it is so many lines at most.
Result<std::string> capture_screen(const TmuxPane& pane, std::size_t lines);
/// The program in front of the pane, as the system names it.
Result<std::string> program_in_front(const TmuxPane& pane);

}  // namespace luzia
