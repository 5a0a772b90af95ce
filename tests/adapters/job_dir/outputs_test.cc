// Expired outputs: one line is left, and nothing but the files that were found is touched.
#include "adapters/job_dir/outputs.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/adapters/job_dir/scratch.h"

namespace luzia {
namespace {

class Outputs : public ScratchTest {
 protected:
  Outputs() {
    fs::create_directories(dir() + "/attempt-1");
    write("output.log", second_);
    write("attempt-1/output.log", first_);
  }
  std::string dir() const { return path("jobs/0kx8aaaaaaaaa"); }
  void write(const std::string& name, const std::string& text) const { write_text(dir() + "/" + name, text); }
  std::string read(const std::string& name) const { return read_text(dir() + "/" + name); }
  std::vector<OutputFile> found() const { return outputs_of(dir(), geteuid(), 2); }
  void expire_all() const {
    for (const OutputFile& file : found()) {
      const Status done = expire_output(dir(), geteuid(), file, "outputs = 30d");
      EXPECT_TRUE(done) << done.error().message;
    }
  }
  const std::string first_ = std::string(300, 'a') + "\n\nexit:1\n";
  const std::string second_ = std::string(400, 'b') + "\n\nexit:0\n";
};

TEST_F(Outputs, EachAttemptKeepsOneLineAndNothingIsLeftToExpire) {
  std::uint64_t bytes = 0;
  for (const OutputFile& file : found()) bytes += file.bytes;
  EXPECT_EQ(bytes, first_.size() + second_.size());
  expire_all();
  EXPECT_EQ(read("output.log"), "[output expired: outputs = 30d]\n");
  EXPECT_EQ(read("attempt-1/output.log"), "[output expired: outputs = 30d]\n");
  EXPECT_THAT(found(), testing::IsEmpty());
}

TEST_F(Outputs, AShortOutputIsLeftEmpty) {
  write("output.log", "said\n\nexit:0\n");
  expire_all();
  EXPECT_EQ(read("output.log"), "");
  EXPECT_THAT(found(), testing::IsEmpty());
}

TEST_F(Outputs, AnotherFileOfThatNameStays) {
  const auto before = found();
  fs::rename(dir() + "/output.log", dir() + "/moved.log");
  write("output.log", "of the next attempt\n");
  for (const OutputFile& file : before) EXPECT_TRUE(expire_output(dir(), geteuid(), file, "size"));
  EXPECT_EQ(read("output.log"), "of the next attempt\n");
  EXPECT_EQ(read("moved.log"), second_);
}

TEST_F(Outputs, LinksPipesAndFoldersAreNoOutputs) {
  write_text(path("precious"), "keep me");
  fs::remove(dir() + "/output.log");
  fs::create_symlink(path("precious"), dir() + "/output.log");
  fs::remove_all(dir() + "/attempt-1");
  fs::create_directory(path("elsewhere"));
  write_text(path("elsewhere/output.log"), "keep me");
  fs::create_directory_symlink(path("elsewhere"), dir() + "/attempt-1");
  EXPECT_THAT(found(), testing::IsEmpty());
  fs::remove(dir() + "/output.log");
  ASSERT_EQ(mkfifo((dir() + "/output.log").c_str(), 0600), 0);
  EXPECT_THAT(found(), testing::IsEmpty());
  fs::remove(dir() + "/output.log");
  fs::create_directory(dir() + "/output.log");
  EXPECT_THAT(found(), testing::IsEmpty());
}

TEST_F(Outputs, AnAgentThatPrintsTheMarkStillExpires) {
  write("output.log", "[output expired: never]\n" + std::string(1'000, 'x'));
  expire_all();
  EXPECT_EQ(read("output.log"), "[output expired: outputs = 30d]\n");
}

TEST_F(Outputs, AMissingDirectoryHasNone) {
  EXPECT_THAT(outputs_of(path("none"), geteuid(), 2), testing::IsEmpty());
}

}  // namespace
}  // namespace luzia
