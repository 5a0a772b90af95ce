// Attempts of another user, which only a daemon of root can start. Without root only the refusal is tested.
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "tests/adapters/launcher/attempt_fixture.h"

namespace luzia {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class OtherUser : public AttemptTest {
 protected:
  OtherUser() {
    if (::geteuid() != 0) {
      uid_ = ::geteuid() + 1;
    } else if (const passwd* nobody = ::getpwnam("nobody")) {
      uid_ = nobody->pw_uid;
      gid_ = nobody->pw_gid;
    }
  }
  LaunchSpec for_nobody(const std::string& script) {
    LaunchSpec spec = shell(script);
    spec.uid = uid_;
    spec.gid = gid_;
    for (const std::string& path : {job_dir(), job_dir() + "/prompt.txt"}) {
      EXPECT_EQ(::chown(path.c_str(), uid_, gid_), ::geteuid() == 0 ? 0 : -1) << path;
    }
    return spec;
  }
  std::uint32_t uid_ = 65534, gid_ = 65534;
};

TEST_F(OtherUser, AgentRunsOnlyAsThatUser) {
  const LaunchSpec spec = for_nobody("id -u; id -g; id -G; id -ru; umask; cat; touch " + run_dir() +
                                     "/x 2>/dev/null || echo closed");
  ::chmod(run_dir().c_str(), 0700);
  if (::geteuid() != 0) {
    const auto claim = launcher_.launch(spec);
    ASSERT_FALSE(claim);
    EXPECT_EQ(claim.error().code, "launch_refused");
    EXPECT_EQ(claim.error().kind, ErrorKind::refused);
    return;
  }
  const auto end = run(spec);
  EXPECT_EQ(end.start_error, "");
  const std::string id = std::to_string(uid_) + '\n';
  const std::string group = std::to_string(gid_) + '\n';
  EXPECT_EQ(output(), id + group + group + id + "0022\nthe prompt\nclosed\n\nexit:0\n");
}

TEST_F(OtherUser, JobFilesBelongToThatUser) {
  const LaunchSpec spec = for_nobody("true");
  if (::geteuid() != 0) {
    EXPECT_FALSE(launcher_.launch(spec));
    return;
  }
  run(spec);
  for (const char* name : {"output.log", "pid", "exit.json"}) {
    struct stat status;
    ASSERT_EQ(::lstat((job_dir() + '/' + name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_uid, uid_) << name;
    EXPECT_EQ(status.st_gid, gid_) << name;
    EXPECT_EQ(status.st_mode & 0777, 0600u) << name;
  }
}

TEST_F(OtherUser, ForeignFilesAreNotAccessedForThem) {
  LaunchSpec spec = for_nobody("cat");
  if (::geteuid() != 0) {
    EXPECT_FALSE(launcher_.launch(spec));
    return;
  }
  write_text(path("secret"), "of root");
  ::chmod(path("secret").c_str(), 0600);
  fs::remove(job_dir() + "/prompt.txt");
  fs::create_hard_link(path("secret"), job_dir() + "/prompt.txt");
  EXPECT_THAT(run(spec).start_error,
              HasSubstr("prompt.txt in the job directory is not a regular file of user"));

  spec.attempt = 2;
  spec.stdin_prompt = false;
  fs::remove(job_dir() + "/output.log");
  fs::create_hard_link(path("secret"), job_dir() + "/output.log");
  EXPECT_THAT(run(spec).start_error,
              HasSubstr("output.log in the job directory is not a regular file of user"));
  EXPECT_EQ(read_text(path("secret")), "of root");

  spec.attempt = 3;
  fs::remove(job_dir() + "/output.log");
  write_text(job_dir() + "/output.log", "");  // empty but created by root, so its owner must not be changed
  fs::create_hard_link(job_dir() + "/output.log", path("other-name"));
  EXPECT_THAT(run(spec).start_error,
              HasSubstr("output.log in the job directory is not a regular file of user"));
}

TEST_F(OtherUser, LinkOpensNoFolderOfOthersInASandbox) {
  LaunchSpec spec = for_nobody("cat $S/home/state/file $S/home/own/file");
  if (::geteuid() != 0) {
    EXPECT_FALSE(launcher_.launch(spec));
    return;
  }
  for (const char* folder : {"closed/state", "home", "open/state"}) fs::create_directories(path(folder));
  write_text(path("closed/state/file"), "of root\n");
  write_text(path("open/state/file"), "of all\n");
  ASSERT_EQ(::chmod(path("closed").c_str(), 0700), 0);
  for (const auto& [link, target] : {std::pair("home/state", "closed/state"), {"home/own", "open/state"}}) {
    fs::create_directory_symlink(path(target), path(link));
    ASSERT_EQ(::lchown(path(link).c_str(), uid_, gid_), 0);
  }
  spec.sandbox_network = "all";
  spec.shown = {"r:/usr",
                "r:/bin",
                "r:/lib",
                "r:/lib64",
                "t:" + path("home"),
                "w:" + path("home/state"),
                "w:" + path("home/own"),
                "w:" + work_dir(),
                "w:" + job_dir()};
  EXPECT_EQ(run(spec).start_error, "");
  EXPECT_THAT(output(), testing::Not(HasSubstr("of root")));
  EXPECT_THAT(output(), HasSubstr("of all\n")) << "without a sandbox it is reached too";
}

TEST_F(OtherUser, UserCannotPreventTheExitRecord) {
  const LaunchSpec spec =
      for_nobody("kill -KILL $PPID 2>/dev/null && echo killed; kill -STOP $PPID 2>/dev/null; exit 3");
  if (::geteuid() != 0) {
    EXPECT_FALSE(launcher_.launch(spec));
    return;
  }
  EXPECT_EQ(run(spec).exit_code, 3);
  EXPECT_EQ(output(), "\nexit:3\n");
}

TEST_F(OtherUser, ChecksAndStopsWork) {
  LaunchSpec spec = for_nobody("(setsid sh -c '" + publish("x", "$$") + "' &); " + "sleep 1000");
  spec.preflight = {"id -u"};
  ::chmod(path("").c_str(), 0777);
  if (::geteuid() != 0) {
    EXPECT_FALSE(launcher_.launch(spec));
    return;
  }
  const Claim claim = start(spec);
  wait_for_process("x");
  ASSERT_TRUE(stop_attempt(claim, StopForce::polite));
  EXPECT_NE(end_of(spec).signal, 0);
  EXPECT_EQ(read_text(job_dir() + "/preflight.log"), std::to_string(uid_) + "\n");
}

}  // namespace
}  // namespace luzia
