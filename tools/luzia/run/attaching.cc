#include "tools/luzia/run/attaching.h"

#include <sys/stat.h>
#include <unistd.h>

#include "adapters/terminal/tmux.h"

namespace luzia {

namespace {

/// Whether we are root and the session is another user's. A tmux server controls its clients' terminals, so
/// root's terminal must not be given to another user's server.
bool is_anothers(const std::string& job_dir) {
  struct stat owner {};
  return ::geteuid() == 0 && (::lstat(job_dir.c_str(), &owner) != 0 || owner.st_uid != 0);
}

}  // namespace

Result<Attachment> join_session(const std::string& job_dir, bool read_only) {
  if (!has_session(job_dir)) {
    return fail(ErrorKind::refused, "no_terminal", "attaching: there is no session in " + job_dir);
  }
  if (is_anothers(job_dir)) return attach_terminal(job_dir, read_only ? Role::watcher : Role::person);
  const auto code = attach_session(job_dir, read_only);
  if (!code) return tl::unexpected(code.error());
  const bool goes_on = has_session(job_dir);
  if (*code != 0 && goes_on) {
    return fail(ErrorKind::trouble, "tmux_failed",
                "attaching to the session: tmux exited with code " + std::to_string(*code),
                "see its message above; does it know the terminal that TERM names?");
  }
  Attachment attachment;
  attachment.left = goes_on ? Attachment::Left::detached : Attachment::Left::ended;
  attachment.shown = 1;  // tmux has drawn its screen
  return attachment;
}

const char* how_to_leave_session(const std::string& job_dir) {
  return is_anothers(job_dir) ? kHowToLeave : kHowToLeaveSession;
}

bool is_absent(const Error& error) {
  return error.code == "no_terminal" || error.code == "terminal_gone";
}

}  // namespace luzia
