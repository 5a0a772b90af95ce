#include "tools/luziad/watching/patient_look.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "tools/luziad/base/loop.h"
#include "tools/luziad/watching/file_eyes.h"

namespace luzia {

/// A thread that does the lookup, and its path.
class PatientLook::Looker {
 public:
  /// Null if no thread can be created.
  static std::shared_ptr<Looker> start() {
    auto looker = std::make_shared<Looker>();
    return run_aside([looker] { looker->run(); }) ? looker : nullptr;
  }

  std::optional<bool> ask(const std::string& path, const Look& look, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    path_ = path;
    look_ = look;
    answer_.reset();
    asked_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, patience, [this] { return answer_.has_value(); });
    return answer_;
  }
  bool sleeps_at(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return !answer_ && path_ == path;
  }
  bool is_back() {
    const std::lock_guard lock(mutex_);
    return answer_.has_value();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return asked_ || over_; });
      if (over_) return;
      asked_ = false;
      const std::string path = path_;
      const Look look = look_;
      lock.unlock();
      const bool found = look(path);
      lock.lock();
      answer_ = found;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string path_;
  Look look_;
  std::optional<bool> answer_;
  bool asked_ = false, over_ = false;
};

PatientLook::PatientLook(Look look, Patience patience) : look_(std::move(look)), patience_(patience) {}

PatientLook::~PatientLook() {
  if (looker_) looker_->end();
  for (const auto& looker : silent_) looker->end();
}

PatientLook::Answer PatientLook::ask(const std::string& path, const Look& look) {
  std::erase_if(silent_, [](const auto& looker) {
    if (!looker->is_back()) return false;
    looker->end();
    return true;
  });
  const auto sleeps_there = [&](const auto& looker) { return looker->sleeps_at(path); };
  if (std::ranges::any_of(silent_, sleeps_there)) return Answer::silent;
  if (silent_.size() >= kMostSilent) return Answer::not_asked;
  if (!looker_) looker_ = Looker::start();
  if (!looker_) return Answer::not_asked;
  const auto patience = silent_.empty() ? patience_.first : patience_.while_silent;
  if (const auto answer = looker_->ask(path, look, patience)) return *answer ? Answer::yes : Answer::no;
  silent_.push_back(std::exchange(looker_, nullptr));
  return Answer::silent;
}

bool is_directory(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

PatientLook::Look may_enter_as(const std::string& user, uid_t uid, gid_t gid) {
  return [user, uid, gid](const std::string& path) {
    const FileEyes eyes(groups_of(user, gid), uid, gid);
    if (!eyes.is_other()) return false;
    // Looking up "." in it requires permission to enter.
    const int fd = open((path + "/.").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) close(fd);
    return fd >= 0;
  };
}

}  // namespace luzia
