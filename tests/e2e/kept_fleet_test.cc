// The daemon keeps luzia-fleet running while [fleet] names a database, and people see what it reports. A
// script plays luzia-fleet: it records how it was started, and ends with its standard input.
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>

#include "engine/base/time.h"
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

constexpr const char* kFleetUrl = "[fleet]\nurl = \"service=fleet\"\n";

class KeptFleetTest : public DaemonTest {
 protected:
  KeptFleetTest() {
    namespace fs = std::filesystem;
    const fs::path built = fs::path(kLuziad).parent_path().parent_path();
    fs::create_directories(programs_);
    for (const char* name : {"luzia", "luziad", "luzia-run"}) {
      fs::copy_file(built / name / name, programs_ + "/" + name);
    }
    const std::string program = programs_ + "/luzia-fleet";
    write_text(program, "#!/bin/sh\necho \"$$ $*\" >> " + path("begun") + "\necho mirrors\nexec cat\n");
    ::chmod(program.c_str(), 0755);
  }
  void begin() const {
    ASSERT_EQ(luzia({"daemon", "start"}, {}, {"LUZIA_DAEMON=" + programs_ + "/luziad"}).code, 0);
  }
  /// How it was started each time, when it was started so often.
  Words begun(std::size_t times) const {
    EXPECT_TRUE(wait_until([&] { return lines_of(read_text(path("begun"))).size() >= times; }));
    return lines_of(read_text(path("begun")));
  }
  bool ends(const std::string& line) const {
    return wait_until([&] { return !is_running(std::stoi(line)); });
  }
  Finished own(const Words& words) const {
    Words all = {programs_ + "/luzia"};
    all.insert(all.end(), words.begin(), words.end());
    return run_to_end(all, environment());
  }
  void reports(const std::string& more) const {
    write_text(store() + "/fleet.status",
               R"({"site":"web1","url_shown":"service=fleet","position":1,)" + more + "}");
  }
  /// The finding of luzia doctor about the fleet.
  Json finding() const {
    const Json found = Json::parse(own({"doctor", "--json"}).out);
    for (const Json& each : found["findings"]) {
      if (each["what"].get<std::string>().starts_with("fleet: ")) return each;
    }
    return {};
  }

  const std::string programs_ = path("programs");
};

TEST_F(KeptFleetTest, RunsWithTheDaemonAndStartsOverAfterItsEnd) {
  configure(std::string(kFleetUrl) + "site = \"web1\"\n");
  begin();
  const std::string first = begun(1).front();
  EXPECT_THAT(first, HasSubstr(" run --store " + store()));
  EXPECT_THAT(first, Not(HasSubstr("service=fleet"))) << "arguments are seen by all";
  ASSERT_TRUE(wait_until(
      [&] { return read_text(store() + "/luziad.log").find("fleet: mirrors") != std::string::npos; }));
  ::kill(std::stoi(first), SIGKILL);
  const std::string second = begun(2).back();
  EXPECT_NE(std::stoi(first), std::stoi(second));
  stop_daemon();
  EXPECT_TRUE(ends(second));
  EXPECT_EQ(begun(2).size(), 2U);
}

TEST_F(KeptFleetTest, FollowsTheConfiguration) {
  begin();
  EXPECT_EQ(finding(), Json()) << "no fleet";
  configure(kFleetUrl);
  ASSERT_EQ(own({"config", "reload"}).code, 0);
  const std::string first = begun(1).front();
  configure(std::string(kFleetUrl) + "site = \"web2\"\n");
  ASSERT_EQ(own({"config", "reload"}).code, 0);
  const std::string second = begun(2).back();
  EXPECT_TRUE(ends(first));
  configure("[fleet]\nurl = \"postgresql://ana:hunter2@db/fleet\"\n");
  const Finished refused = own({"config", "reload"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("[fleet] url has a password in it"));
  EXPECT_THAT(refused.err + refused.out, Not(HasSubstr("hunter2")));
  EXPECT_TRUE(is_running(std::stoi(second))) << "what was in force stays";
  configure("");
  ASSERT_EQ(own({"config", "reload"}).code, 0);
  EXPECT_TRUE(ends(second));
}

TEST_F(KeptFleetTest, KilledDaemonLeavesNone) {
  configure(kFleetUrl);
  begin();
  const std::string first = begun(1).front();
  kill_daemon();
  EXPECT_TRUE(ends(first)) << "its standard input ended";
  begin();
  begun(2);
}

TEST_F(KeptFleetTest, RefusedOrdersAreShownByDoctorAndStatus) {
  configure(kFleetUrl);
  begin();
  begun(1);
  reports(R"("connected":true,"error":null,"orders":{"kinds":["dispatch"],"labels":[],"people":[],"refused":)"
          R"([{"id":"cli-1","kind":"dispatch","project":"demo","person":"ana","at":"2026-01-01T00:00:00Z",)"
          R"("message":"[projects.demo] names no user","hint":"set user"}],"error":null})");
  const Finished status = own({"status"});
  EXPECT_EQ(status.code, 0);
  EXPECT_THAT(status.err, HasSubstr("fleet: order cli-1 of ana, to dispatch in demo, was refused"));
  EXPECT_THAT(own({"doctor"}).out, AllOf(HasSubstr("fleet: takes orders to dispatch, as web1 or any"),
                                         HasSubstr("[projects.demo] names no user"), HasSubstr("set user")));
}

TEST_F(KeptFleetTest, FaultsAreShownByDoctorAndStatus) {
  configure(kFleetUrl);
  begin();
  begun(1);
  EXPECT_EQ(finding()["verdict"], "warning") << "it has not said anything yet";
  EXPECT_THAT(own({"status"}).err, Not(HasSubstr("fleet"))) << "nor is it wrong";
  reports(R"("at":"2026-01-01T00:00:00Z","connected":false,"error":{"code":"database_refused",)"
          R"("message":"password authentication failed","hint":"correct the password file"})");
  EXPECT_EQ(finding()["verdict"], "bad");
  EXPECT_EQ(finding()["mend"], "correct the password file");
  const Finished status = own({"status"});
  EXPECT_THAT(status.err, HasSubstr("fleet: the log is not mirrored as site web1: password authentication"));
  EXPECT_EQ(error_lines(status.err), 0U) << "status itself succeeds: " << status.err;
  EXPECT_EQ(status.code, 0);
  EXPECT_THAT(own({"status", "--json"}).err, Not(HasSubstr("fleet")));
  reports(R"("at":")" +
          format_rfc3339(std::chrono::duration_cast<std::chrono::microseconds>(
                             std::chrono::system_clock::now().time_since_epoch())
                             .count()) +
          R"(","connected":true,"error":null)");
  EXPECT_EQ(finding()["verdict"], "good") << finding();
  EXPECT_THAT(own({"status"}).err, Not(HasSubstr("fleet")));
}

}  // namespace
}  // namespace luzia
