// Desktop notifications, with a fake notify-send that records how it was started.
#include "adapters/notify/desktop.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/paths.h"
#include "tests/scratch.h"
#include "tests/text_files.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

Notice notice_with_markup() {
  Notice notice;
  notice.event = "job_failed";
  notice.text = "web: <b>bold</b> & \"quoted\"";
  notice.severity = schema::Severity::error;
  return notice;
}

class DesktopTest : public ScratchTest {
 protected:
  DesktopTest() {
    ::signal(SIGCHLD, SIG_IGN);  // as luziad does
    fs::create_directory(path("bin"));
  }
  ~DesktopTest() override {
    for (const int fd : listening_) ::close(fd);
    ::signal(SIGCHLD, SIG_DFL);
  }
  void notify_send(const std::string& script) const {
    std::ofstream(path("bin/notify-send")) << "#!/bin/sh\n" << script;
    ::chmod(path("bin/notify-send").c_str(), 0755);
  }
  void listen_at(const std::string& name) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path(name).copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    listening_.push_back(fd);
  }
  Desktop desktop(const std::vector<std::string>& more) const {
    Desktop desktop;
    desktop.sender.runner = build_path("tools/luzia-run/luzia-run");
    desktop.sender.environment = {"PATH=" + path("bin") + ":/usr/bin:/bin", "OUT=" + path("out")};
    desktop.sender.environment.insert(desktop.sender.environment.end(), more.begin(), more.end());
    desktop.sender.timeout_ms = 60'000;
    return desktop;
  }
  std::string out() const { return whole_text(path("out")); }

  std::vector<int> listening_;
};

TEST_F(DesktopTest, TextIsNeitherMarkupNorOption) {
  EXPECT_THAT(desktop_command(notice_with_markup()),
              ElementsAre("notify-send", "--app-name=luzia", "--urgency=normal", "--", "luzia: job failed",
                          "web: &lt;b&gt;bold&lt;/b&gt; &amp; \"quoted\""));
  Notice worst = notice_with_markup();
  worst.severity = schema::Severity::critical;
  EXPECT_EQ(desktop_command(worst)[2], "--urgency=critical");
  worst.severity = schema::Severity::info;
  EXPECT_EQ(desktop_command(worst)[2], "--urgency=low");
}

TEST_F(DesktopTest, SessionIsFoundByItsSocket) {
  listen_at("bus");
  notify_send("printf '%s\\n' \"$DBUS_SESSION_BUS_ADDRESS\" \"$@\" > $OUT\n");
  const Delivery told = show_on_desktop(desktop({"XDG_RUNTIME_DIR=" + scratch_}), notice_with_markup(), {});
  EXPECT_TRUE(told.result.delivered) << told.result.detail;
  EXPECT_THAT(out(), HasSubstr("unix:path=" + path("bus") + "\n--app-name=luzia\n"));
}

TEST_F(DesktopTest, WithoutASessionNothingIsSent) {
  notify_send("touch $OUT\n");
  const Delivery told =
      show_on_desktop(desktop({"XDG_RUNTIME_DIR=" + scratch_,
                               "DBUS_SESSION_BUS_ADDRESS=unix:path=" + path("gone") + ",guid=1"}),
                      notice_with_markup(), {});
  EXPECT_TRUE(told.result.nobody);
  EXPECT_FALSE(told.result.delivered);
  EXPECT_THAT(told.result.detail, HasSubstr("no session"));
  EXPECT_FALSE(fs::exists(path("out")));
}

TEST_F(DesktopTest, FailedProgramIsRetried) {
  listen_at("bus");
  notify_send("echo no server; exit 1\n");
  const Delivery told = show_on_desktop(desktop({"DBUS_SESSION_BUS_ADDRESS=unix:path=" + path("bus")}),
                                        notice_with_markup(), {});
  EXPECT_FALSE(told.result.delivered);
  EXPECT_FALSE(told.result.nobody);
  EXPECT_FALSE(told.result.final);
  EXPECT_THAT(told.result.detail, HasSubstr("exit code 1: no server"));
}

}  // namespace
}  // namespace luzia
