// Seals beside a daemon, by hand and by itself: the log that grows on still has what was sealed.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class SealTest : public DaemonTest {
 protected:
  std::string key() const {
    std::string text = query({"seal", "--public"}).out;
    return text.substr(0, text.find('\n'));
  }
  Finished verify(const std::string& seals) const {
    return query({"verify", "--seals", seals, "--key", key()});
  }
};

TEST_F(SealTest, ASealHoldsWhileTheDaemonWorks) {
  ended(dispatch("true"));
  ASSERT_EQ(query({"seal", "--to", path("seals")}).code, 0);
  ended(dispatch("true"));
  ASSERT_EQ(query({"seal", "--to", path("seals")}).code, 0);
  const Finished sound = verify(path("seals"));
  EXPECT_EQ(sound.code, 0) << sound.out << sound.err;
  EXPECT_THAT(sound.out, HasSubstr("2 seals hold"));
  kill_daemon();
  EXPECT_EQ(verify(path("seals")).code, 0) << "what was sealed is on disk";
}

TEST_F(SealTest, TheDaemonSealsByItself) {
  configure("[store]\nseal_every = \"1s\"\nseal_to = \"" + path("by-daemon") + "\"\n");
  ended(dispatch("true"));
  ASSERT_TRUE(wait_until([&] { return !read_text(path("by-daemon")).empty(); }));
  EXPECT_EQ(verify(path("by-daemon")).code, 0);
  EXPECT_THAT(luzia({"doctor", "--json"}).out, HasSubstr("in " + path("by-daemon")));
  stop_daemon();
  configure("[store]\nseal_every = \"1h\"\nseal_to = \"" + path("by-daemon") + "\"\n");
  start_daemon();
  EXPECT_TRUE(wait_until([&] {
    const std::string said = luzia({"daemon", "status"}).out;
    return said.find("seal: position ") != std::string::npos &&
           said.find(path("by-daemon")) != std::string::npos;
  })) << "what the daemon before it sealed is in the file";
}

TEST_F(SealTest, ASealThatCannotBeWrittenIsReported) {
  configure("[store]\nseal_every = \"1s\"\nseal_to = \"" + path("no/folder") + "\"\n");
  ended(dispatch("true"));
  EXPECT_TRUE(wait_until([&] {
    return luzia({"doctor", "--json"}).out.find("seal: failed: cannot append the seal to") !=
           std::string::npos;
  }));
  EXPECT_EQ(state(dispatch("sleep 600")).empty(), false) << "jobs do not notice";
}

}  // namespace
}  // namespace luzia
