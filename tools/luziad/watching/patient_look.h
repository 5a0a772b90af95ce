// A look at the file system that may not answer: where a network mount is gone, stat() sleeps until it is
// back, and nothing can wake it. It is asked on a thread of its own and waited for only so long.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace luzia {

/// One thread at a time; the daemon's is its loop.
class PatientLook {
 public:
  enum class Answer {
    no,
    yes,
    silent,    // nothing was heard in that time
    not_asked  // kMostSilent looks have not come back: one more might not either; or no thread can be made
  };
  using Look = std::function<bool(const std::string& path)>;

  /// How long one ask() waits: what is on a mount that is gone is often asked for in several places.
  struct Patience {
    std::chrono::milliseconds first;         // all earlier looks have come back
    std::chrono::milliseconds while_silent;  // some have not
  };

  /// `look` may sleep; it is called on threads of this object, which may outlive it.
  PatientLook(Look look, Patience patience);
  ~PatientLook();
  PatientLook(const PatientLook&) = delete;
  PatientLook& operator=(const PatientLook&) = delete;

  /// Does not wait at all while an earlier look at the same path has not come back.
  Answer ask(const std::string& path) { return ask(path, look_); }
  /// With another look than the usual one.
  Answer ask(const std::string& path, const Look& look);

  static constexpr std::size_t kMostSilent = 8;

 private:
  class Looker;
  Look look_;
  Patience patience_;
  std::shared_ptr<Looker> looker_;               // null: the last one sleeps
  std::vector<std::shared_ptr<Looker>> silent_;  // asleep in their looks
};

/// Whether `path` is a directory, after links.
bool is_directory(const std::string& path);

/// Whether it is one that the account may enter: for a daemon of root, which must not tell others what they
/// could not find out themselves. The look changes what its thread may see, and changes it back.
PatientLook::Look may_enter_as(const std::string& user, uid_t uid, gid_t gid);

}  // namespace luzia
