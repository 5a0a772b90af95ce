// Secrets of an attempt in what is read of its output: found by nothing, whatever reads lie between.
#include "adapters/output_log/redacted_facts.h"
#include "adapters/output_log/redacted_read.h"
#include "tests/adapters/output_log/support.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

class RedactedScan : public testing::Test {
 protected:
  void black_out(const std::string& value) {
    auto with = std::make_shared<ScanSource>(*source_);
    with->redactor = std::make_shared<const Redactor>(std::vector<SecretValue>{{"T", value}});
    source_ = with;
  }
  ScanResult look() {
    ScanBuffer buffer(limits_.read_block);
    ScanResult result = scan_step({source_, checkpoint_, {}, 0}, limits_, buffer);
    checkpoint_ = result.checkpoint;
    return result;
  }

  JobDir dir_;
  std::shared_ptr<const ScanSource> source_ = text_source(dir_);
  ScanLimits limits_;
  schema::CheckpointT checkpoint_;
};

TEST_F(RedactedScan, SecretsAreBlackedOutBeforeAnythingIsFound) {
  const std::string secret = "0123456789abcdefghij";
  black_out(secret);
  limits_.read_block = 7;  // each occurrence lies across reads
  dir_.append("::error::has " + secret + " in it\n" + secret.substr(0, 12));
  ScanResult result = look();
  EXPECT_THAT(describe(result.findings), ElementsAre("error 0-39 has [secret T]********** in it"));
  EXPECT_EQ(result.last_line, std::string(12, '*')) << "it may go on";
  dir_.append(secret.substr(12) + "\n");
  result = look();
  EXPECT_EQ(result.last_line, "[secret T]**********");
  EXPECT_EQ(result.checkpoint.line_no, 2u);
}

TEST_F(RedactedScan, ValueWithTerminalSequencesInsideIsNotRecorded) {
  black_out("0123456789abcdefghij");
  dir_.append("a 0123456789\033[1mabcdefghij\033[0m b\n");
  EXPECT_EQ(look().last_line, "a [secret T]********** b");
}

TEST_F(RedactedScan, DecodedFactsAreBlackedOut) {
  std::vector<RecordOutput::Finding> findings;
  for (const char* message : {"is 0123456789abcdefghij right?", "nothing"}) {
    schema::AnnotationFoundT found;
    found.message = message;
    findings.push_back({domain_fact(std::move(found)), {}});
  }
  black_out_findings(Redactor(std::vector<SecretValue>{{"T", "0123456789abcdefghij"}}), findings);
  ASSERT_EQ(findings.size(), 2U);
  const auto message = [&](std::size_t at) {
    return std::get<schema::OutputFactUnion>(findings[at].fact).AsAnnotationFound()->message;
  };
  EXPECT_EQ(message(0), "is [secret T]********** right?");
  EXPECT_EQ(message(1), "nothing");
}

TEST_F(RedactedScan, FileIsTheSameWhateverIsBlackedOut) {
  dir_.append("0123456789abcdef\n");
  look();
  black_out("0123456789abcdef");
  dir_.append("more\n");
  const ScanResult result = look();
  EXPECT_FALSE(result.restarted) << "a changed beginning would mean another file";
  EXPECT_EQ(result.last_line, "more");
}

TEST_F(RedactedScan, ReadsOfAnySizeShowTheSame) {
  const Redactor redactor({{"LONGER_NAME", "0123456789abcdef0123456789"}, {"B", "abcdef"}});
  std::string text;
  for (int i = 0; i < 40; ++i) text += "x" + std::string(i % 3, ' ') + "0123456789abcdef0123456789abcdef";
  dir_.append(text);
  const int file = ::open(dir_.log().c_str(), O_RDONLY | O_CLOEXEC);
  const std::string whole = redactor.blacked_out(text);
  for (const std::size_t size : {1U, 5U, 26U, 100U, 10'000U}) {
    std::string seen;
    std::string piece(size, '\0');
    for (ssize_t got = 1; got > 0; seen.append(piece.data(), static_cast<std::size_t>(got)))
      got = read_redacted(&redactor, file, seen.size(), std::span(piece), false);
    EXPECT_EQ(seen, whole) << size;
  }
  ::close(file);
}

}  // namespace
}  // namespace luzia
