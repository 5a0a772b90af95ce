// Which values are known of which job, for how long, and in how much memory.
#include <unistd.h>

#include <fstream>
#include <thread>

#include "tests/scratch.h"
#include "tools/luziad/secrets/secret_book.h"

namespace luzia {
namespace {

class SecretMemoryTest : public ScratchTest {
 protected:
  /// A job with a secret in that file.
  schema::JobSpecT spec_of(const std::string& file) const {
    schema::JobSpecT spec;
    spec.uid = ::geteuid();
    auto& secret = spec.secrets.emplace_back(std::make_unique<schema::SecretSourceT>());
    secret->name = "TOKEN";
    secret->kind = schema::SecretKind::file;
    secret->source = {scratch_ + "/" + file};
    return spec;
  }
  schema::JobSpecT spec_with(const std::string& file, const std::string& value) const {
    std::ofstream(scratch_ + "/" + file) << value;
    return spec_of(file);
  }
  bool hides(const std::string& job, const std::string& value) const {
    const auto known = book_.known(job);
    return known && !known->is_blind() && known->blacked_out(value).find(value) == std::string::npos;
  }

  SecretBook book_{SecretSurroundings{}};
};

TEST_F(SecretMemoryTest, JobsWithTheSameValuesShareWhatFindsThem) {
  const auto spec = spec_with("a", "value-of-a"), other = spec_with("b", "value-of-b");
  ASSERT_TRUE(book_.read_for_start("one", spec, spec));
  ASSERT_TRUE(book_.read_for_start("two", spec, spec));
  ASSERT_TRUE(book_.read_for_start("three", other, other));
  EXPECT_EQ(book_.known("one"), book_.known("two"));
  EXPECT_NE(book_.known("one"), book_.known("three"));
  EXPECT_TRUE(hides("one", "value-of-a"));
  EXPECT_TRUE(hides("three", "value-of-b"));
}

TEST_F(SecretMemoryTest, EndedJobsTakeBoundedMemory) {
  constexpr int kJobs = 80;
  for (int i = 0; i < kJobs; ++i) {
    std::string value(4'000, static_cast<char>(128 + i));
    for (std::size_t at = 0; at < value.size(); ++at)
      value[at] = static_cast<char>(static_cast<unsigned char>(value[at]) ^ (at % 61));
    const auto spec = spec_with("file", value);
    ASSERT_TRUE(book_.read_for_start(std::to_string(i), spec, spec));
  }
  std::size_t bytes = 0;
  for (int i = 0; i < kJobs; ++i) {
    ASSERT_NE(book_.known(std::to_string(i)), nullptr) << "a job at work is never forgotten";
    bytes += book_.known(std::to_string(i))->bytes();
  }
  ASSERT_GT(bytes, std::size_t{64} << 20);
  bytes = 0;
  for (int i = 0; i < kJobs; ++i) book_.attempt_over(std::to_string(i));
  for (int i = 0; i < kJobs; ++i) {
    if (const auto known = book_.known(std::to_string(i))) bytes += known->bytes();
  }
  EXPECT_LE(bytes, std::size_t{64} << 20);
  EXPECT_EQ(book_.known("0"), nullptr);
  EXPECT_NE(book_.known(std::to_string(kJobs - 1)), nullptr);
}

TEST_F(SecretMemoryTest, NothingIsSeenUntilTheValuesAreReadAgain) {
  book_.await("job");
  ASSERT_NE(book_.known("job"), nullptr);
  EXPECT_TRUE(book_.known("job")->is_blind());
  book_.read_again("job", spec_of("missing"));
  EXPECT_TRUE(book_.known("job")->is_blind());
  book_.read_again("job", spec_with("a", "value-of-a"));
  EXPECT_TRUE(hides("job", "value-of-a"));
}

TEST_F(SecretMemoryTest, ValuesThatThreadsLearnAtOnceAreAllKept) {
  constexpr int kThreads = 8;
  std::vector<schema::JobSpecT> specs;
  for (int i = 0; i < kThreads; ++i)
    specs.push_back(spec_with(std::to_string(i), "value-" + std::to_string(i) + std::string(2'000, 'x')));
  std::vector<std::thread> threads;
  for (const auto& spec : specs)
    threads.emplace_back([this, &spec] { EXPECT_TRUE(book_.read_for_start("job", spec, spec)); });
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kThreads; ++i)
    EXPECT_TRUE(hides("job", "value-" + std::to_string(i) + std::string(2'000, 'x'))) << i;
}

}  // namespace
}  // namespace luzia
