// The program itself: which libraries it loads, and its message if no daemon can be started.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/scratch.h"

namespace luzia {
namespace {

struct Ran {
  int code;
  std::string text;  // both output streams
};

Ran shell(const std::string& command) {
  std::FILE* pipe = ::popen(("{ " + command + "; } 2>&1").c_str(), "re");
  Ran ran{-1, {}};
  char buffer[4096];
  for (std::size_t count; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    ran.text.append(buffer, count);
  }
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

class Start : public ScratchTest {
 protected:
  Ran luzia(const std::string& daemon, const std::string& words) const {
    return shell("env -i PATH=/usr/bin:/bin HOME=" + scratch_ + " XDG_STATE_HOME=" + scratch_ +
                 "/.local/state LUZIA_DAEMON=" + daemon + " " LUZIA_PROGRAM " " + words);
  }
  std::string script(const std::string& text) const {
    std::string path = scratch_ + "/luziad";
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    ::chmod(path.c_str(), 0755);
    return path;
  }
};

TEST_F(Start, LoadsNothingHeavy) {
  const Ran ran = shell("ldd " LUZIA_PROGRAM);
  for (const char* library : {"rocksdb", "libuv", "spdlog", "libfmt", "sodium", "libre2"}) {
    EXPECT_THAT(ran.text, Not(HasSubstr(library)));
  }
}

TEST_F(Start, DaemonsLastMessageIsShown) {
  const Ran ran = luzia(script("echo 'luziad: the store is broken' >&2; exit 5"), "jobs");
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.text, HasSubstr("it ended with code 5: luziad: the store is broken"));
}

TEST_F(Start, DaemonsHintIsTheOnlyHint) {
  const Ran ran = luzia(script("printf 'luziad: no room\\n  hint: make room\\n' >&2; exit 5"), "jobs");
  EXPECT_EQ(ran.code, 5);
  EXPECT_TRUE(ran.text.ends_with("luziad: no room\n  hint: make room\n")) << ran.text;
  EXPECT_THAT(ran.text, Not(HasSubstr("luzia doctor")));
}

TEST_F(Start, DaemonKilledDuringItsStartIsReported) {
  const std::string store = scratch_ + "/.local/state/luzia/store";
  const Ran ran = luzia(script("kill -9 $$"), "jobs");
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(ran.text,
            "luzia: starting the daemon for " + store +
                ": it was killed (signal 9)\n  hint: nothing is lost, repeating the command is safe; see " +
                store + "/luziad.log\n");
  EXPECT_THAT(luzia(script("echo 'luziad: about to' >&2; kill -9 $$"), "jobs").text,
              HasSubstr("it was killed (signal 9); it said: luziad: about to\n"));
}

TEST_F(Start, CrashingDaemonIsNotRetriedSilently) {
  const Ran ran = luzia(script("kill -ABRT $$"), "jobs");
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.text, HasSubstr("it crashed (signal 6)\n  hint: luzia doctor; see "));
  EXPECT_THAT(luzia(script("printf 'luziad: bad disk\\n  hint: fix it\\n' >&2; kill -ABRT $$"), "jobs").text,
              HasSubstr("it crashed (signal 6); it said: luziad: bad disk\n  hint: fix it; see "));
}

TEST_F(Start, OldMessagesAreNotShownAgain) {
  luzia(script("echo 'first reason' >&2; exit 5"), "jobs");
  EXPECT_THAT(luzia(script("echo 'second reason' >&2; exit 5"), "jobs").text, Not(HasSubstr("first reason")));
}

TEST_F(Start, DaemonInheritsNoDescriptors) {
  const std::string seen = scratch_ + "/seen";
  const std::string program =
      script("{ echo \"$@\"; pwd; ls /proc/self/fd | tr '\\n' ' '; } > " + seen + "; exit 5");
  EXPECT_EQ(luzia(program, "--store " + scratch_ + "/st demo true 7</etc/passwd").code, 5);
  std::ifstream file(seen);
  std::string arguments, folder, descriptors;
  std::getline(file, arguments);
  std::getline(file, folder);
  std::getline(file, descriptors);
  EXPECT_EQ(arguments, "--store " + scratch_ + "/st");
  EXPECT_EQ(folder, "/");
  EXPECT_THAT(descriptors, Not(HasSubstr("7")));
  EXPECT_EQ(std::filesystem::status(scratch_ + "/st").permissions(), std::filesystem::perms::owner_all);
}

TEST_F(Start, FullOutputIsAnErrorNotASuccess) {
  const Ran ran = luzia("/bin/false", "help > /dev/full");
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.text, HasSubstr("standard output"));
}

TEST_F(Start, VersionAndHelpNeedNoDaemon) {
  EXPECT_THAT(luzia("/bin/false", "--version").text, HasSubstr("luzia "));
  EXPECT_EQ(luzia("/bin/false", "help --man").code, 0);
  EXPECT_EQ(luzia("/bin/false", "dispatch --help").code, 0);
  EXPECT_FALSE(std::filesystem::exists(scratch_ + "/.local")) << "they create nothing";
}

}  // namespace
}  // namespace luzia
