// A look at a path that does not respond is simulated by one that waits until the test releases it.
#include "tools/luziad/watching/patient_look.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <latch>

#include "tests/wait_until.h"

namespace luzia {
namespace {

using Answer = PatientLook::Answer;
using std::chrono::hours;
using std::chrono::milliseconds;

constexpr PatientLook::Patience kLittlePatience{milliseconds(20), milliseconds(20)},
    kAllPatience{hours(1), hours(1)};

/// Looks at paths that begin with /gone block until the test releases them.
struct GoneMount {
  std::shared_ptr<std::latch> back = std::make_shared<std::latch>(1);
  std::shared_ptr<std::atomic<int>> looks = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<std::atomic<int>> ended = std::make_shared<std::atomic<int>>(0);
  PatientLook::Look look() const {
    return [back = back, looks = looks, ended = ended](const std::string& path) {
      ++*looks;
      if (path.starts_with("/gone")) back->wait();
      ++*ended;
      ended->notify_all();
      return true;
    };
  }
  /// Releases them and waits until so many looks have ended.
  void come_back(int looks_ended) const {
    back->count_down();
    for (int seen = *ended; seen < looks_ended; seen = *ended) ended->wait(seen);
  }
};

TEST(PatientLook, ReportsWhatExists) {
  PatientLook look(is_directory, kAllPatience);
  EXPECT_EQ(look.ask("/"), Answer::yes);
  EXPECT_EQ(look.ask("/proc/self/exe"), Answer::no);
  EXPECT_EQ(look.ask("/no/such/directory"), Answer::no);
  EXPECT_EQ(look.ask(""), Answer::no);
}

TEST(PatientLook, BlockedLookDelaysNobody) {
  GoneMount mount;
  PatientLook look(mount.look(), kLittlePatience);
  EXPECT_EQ(look.ask("/gone/a"), Answer::silent);
  EXPECT_EQ(look.ask("/gone/a"), Answer::silent);
  mount.come_back(1);
  EXPECT_EQ(*mount.looks, 1) << "the first look was still blocked";
}

TEST(PatientLook, OtherPathsAreLookedAtMeanwhile) {
  GoneMount mount;
  PatientLook look(mount.look(), kLittlePatience);
  EXPECT_EQ(look.ask("/gone/a"), Answer::silent);
  ASSERT_TRUE(wait_until([&] { return look.ask("/here") == Answer::yes; }));
  EXPECT_EQ(look.ask("/gone/a"), Answer::silent);
  mount.come_back(2);
}

TEST(PatientLook, ReturnedMountIsLookedAtAgain) {
  GoneMount mount;
  PatientLook look(mount.look(), kLittlePatience);
  EXPECT_EQ(look.ask("/gone/a"), Answer::silent);
  mount.come_back(1);
  ASSERT_TRUE(wait_until([&] { return look.ask("/gone/a") == Answer::yes; }));
  EXPECT_GE(*mount.looks, 2);
}

TEST(PatientLook, EachPathHasItsOwnTimeout) {
  GoneMount mount;
  PatientLook look(mount.look(), {milliseconds(0), hours(1)});
  EXPECT_EQ(look.ask("/gone/a"), Answer::silent);
  EXPECT_EQ(look.ask("/here"), Answer::yes);
  mount.come_back(2);
}

/// Makes new threads fail: they request a stack larger than the address space.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t without = before_;
    pthread_attr_setstacksize(&without, std::size_t{1} << 60);
    EXPECT_EQ(pthread_setattr_default_np(&without), 0);
  }
  ~NoThreads() { pthread_setattr_default_np(&before_); }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_{};
};

TEST(PatientLook, WithoutThreadsNothingIsAsked) {
  PatientLook look(is_directory, kAllPatience);
  {
    const NoThreads none;
    EXPECT_EQ(look.ask("/"), Answer::not_asked);
  }
  EXPECT_EQ(look.ask("/"), Answer::yes);
}

TEST(PatientLook, BlockedThreadsAreLimited) {
  GoneMount mount;
  PatientLook look(mount.look(), kLittlePatience);
  constexpr int kMost = PatientLook::kMostSilent;
  for (int i = 0; i < 3 * kMost; ++i) {
    const Answer answer = look.ask("/gone/" + std::to_string(i));
    EXPECT_EQ(answer, i < kMost ? Answer::silent : Answer::not_asked) << i;
  }
  mount.come_back(kMost);
  EXPECT_EQ(*mount.looks, kMost);
  ASSERT_TRUE(wait_until([&] { return look.ask("/here") == Answer::yes; }));
}

}  // namespace
}  // namespace luzia
