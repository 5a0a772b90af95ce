#include <unistd.h>

#include "adapters/job_dir/job_dir.h"
#include "tests/adapters/job_dir/scratch.h"

namespace luzia {
namespace {

constexpr const char* kExitJson =
    "{\"job\":\"j1\",\"attempt\":2,\"exit_code\":3,\"signal\":null,\"core_dumped\":false,\"ended_us\":"
    "1700000000000000,"
    "\"wall_us\":5,\"user_us\":6,\"system_us\":7,\"max_rss_kib\":8,\"output_bytes\":9,\"leftovers_killed\":1,"
    "\"start_error\":null}\n";

class ExitJson : public ScratchTest {
 protected:
  ExitJson() { fs::create_directory(path("j1")); }
  std::optional<schema::AttemptEndedT> read(const std::string& text, const std::string& job = "j1",
                                            std::uint32_t attempt = 2) {
    write_text(path("j1/exit.json"), text);
    return read_exit_json(path("j1"), job, attempt, ::geteuid(), ::getegid());
  }
  static std::string with(const std::string& old, const std::string& other) {
    std::string text = kExitJson;
    return text.replace(text.find(old), old.size(), other);
  }
};

TEST_F(ExitJson, ContainsTheEndOfItsAttempt) {
  const auto end = read(kExitJson);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->attempt, 2u);
  EXPECT_EQ(end->exit_code, 3);
  EXPECT_EQ(end->ended_us, 1'700'000'000'000'000);
  EXPECT_EQ(end->output_bytes, 9u);
  EXPECT_EQ(read(with("\"exit_code\":3,\"signal\":null", "\"exit_code\":null,\"signal\":9"))->signal, 9);
}

TEST_F(ExitJson, ContainsWhatTheChecksFound) {
  EXPECT_EQ(read(kExitJson)->verified, std::nullopt) << "none ran";
  const std::string refuted =
      with("\"start_error\"",
           "\"verified\":false,\"checks_from\":4,\"check_error\":\"check 'x' failed\",\"start_error\"");
  const auto end = read(refuted);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->verified, std::optional(false));
  EXPECT_EQ(end->checks_from, 4U);
  EXPECT_EQ(end->check_error, "check 'x' failed");
  EXPECT_FALSE(read(with("\"start_error\"", "\"verified\":0,\"start_error\"")));
  EXPECT_FALSE(read(with("\"start_error\"", "\"verified\":false,\"start_error\"")));
}

TEST_F(ExitJson, FileOfAnotherAttemptIsIgnored) {
  EXPECT_FALSE(read(kExitJson, "j2"));
  EXPECT_FALSE(read(kExitJson, "j1", 1));
}

TEST_F(ExitJson, InvalidFileIsIgnored) {
  EXPECT_FALSE(read(""));
  EXPECT_FALSE(read("[]"));
  EXPECT_FALSE(read("{\"exit_code\":0}"));
  EXPECT_FALSE(read(with("\"exit_code\":3", "\"exit_code\":null"))) << "neither code nor signal";
  EXPECT_FALSE(read(with("\"exit_code\":3", "\"exit_code\":-1")));
  EXPECT_FALSE(read(with("\"wall_us\":5", "\"wall_us\":\"5\"")));
  EXPECT_FALSE(read(with("null}", "\"\"}")));
  EXPECT_FALSE(read(std::string(kExitJson) + std::string(9000, ' ')));
}

TEST_F(ExitJson, LinkIsNotFollowed) {
  write_text(path("other"), kExitJson);
  fs::create_symlink(path("other"), path("j1/exit.json"));
  EXPECT_FALSE(read_exit_json(path("j1"), "j1", 2, ::geteuid(), ::getegid()));
}

}  // namespace
}  // namespace luzia
