// Queries a file system that may not respond: if a network mount is gone, stat() sleeps until it is back and
// cannot be interrupted. The query runs on a separate thread, and the caller waits only for a limited time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace luzia {

/// Use it on one thread; in the daemon that is the loop.
class PatientLook {
 public:
  enum class Answer {
    no,
    yes,
    silent,    // no answer in that time
    not_asked  // kMostSilent looks have not returned, and another may not either; or no thread can be created
  };
  using Look = std::function<bool(const std::string& path)>;

  /// How long one ask() waits. Files on a mount that is gone are often queried in several places.
  struct Patience {
    std::chrono::milliseconds first;         // all earlier looks have returned
    std::chrono::milliseconds while_silent;  // some have not
  };

  /// `look` may sleep; it runs on this object's threads, which may outlive the object.
  PatientLook(Look look, Patience patience);
  ~PatientLook();
  PatientLook(const PatientLook&) = delete;
  PatientLook& operator=(const PatientLook&) = delete;

  /// Does not wait at all while an earlier look at the same path has not returned.
  Answer ask(const std::string& path) { return ask(path, look_); }
  /// With another function than the default one.
  Answer ask(const std::string& path, const Look& look);

  static constexpr std::size_t kMostSilent = 8;

 private:
  class Looker;
  Look look_;
  Patience patience_;
  std::shared_ptr<Looker> looker_;               // null: the last one sleeps
  std::vector<std::shared_ptr<Looker>> silent_;  // asleep in their looks
};

/// Whether `path` is a directory; follows links.
bool is_directory(const std::string& path);

/// Whether it is a directory that the account may enter. For root's daemon, which must not reveal to callers
/// what they could not find out themselves. The look switches its thread's file access to that account, and
/// back.
PatientLook::Look may_enter_as(const std::string& user, uid_t uid, gid_t gid);

}  // namespace luzia
