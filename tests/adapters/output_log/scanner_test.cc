// One look at output.log: its findings, the new position, and how it handles a file that changed.
#include "adapters/output_log/scanner.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "tests/adapters/output_log/support.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

using schema::OutputReset;

class ScannerTest : public testing::Test {
 protected:
  /// Looks once from where the last look ended, as if that had been recorded.
  ScanResult look(std::optional<std::uint64_t> finish_at = {}) {
    ScanBuffer buffer(limits_.read_block);
    ScanResult result = scan_step({source_, checkpoint_, finish_at, modified_ns_}, limits_, buffer);
    checkpoint_ = result.checkpoint;
    modified_ns_ = result.modified_ns;
    return result;
  }
  /// The first look of another daemon, from where the last look ended.
  ScanResult look_anew() {
    ScanBuffer buffer(limits_.read_block);
    ScanRequest request{source_, checkpoint_, {}};
    request.last_line_unknown = true;
    return scan_step(request, limits_, buffer);
  }
  std::vector<std::string> found(std::optional<std::uint64_t> finish_at = {}) {
    return describe(look(finish_at).findings);
  }

  JobDir dir_;
  std::shared_ptr<const ScanSource> source_ = text_source(dir_);
  ScanLimits limits_;
  schema::CheckpointT checkpoint_;
  std::int64_t modified_ns_ = 0;
};

TEST_F(ScannerTest, FindingsCarryTheirExactPlaceAttemptAndGeneration) {
  dir_.append("plain\n  ::error file=a.cc::broken\r\nx \x1b]9;4;1;50\a y\nrest");
  const ScanResult result = look();
  ASSERT_THAT(describe(result.findings), ElementsAre("error 8-33 broken", "osc 37-48 50%"));
  const auto& evidence = result.findings[0].evidence;
  EXPECT_EQ(evidence.kind, schema::EvidenceKind::inferred);
  EXPECT_EQ(evidence.attempt, 3u);
  EXPECT_EQ(evidence.generation, 0u);
  EXPECT_EQ(std::get<schema::OutputFactUnion>(result.findings[0].fact).AsAnnotationFound()->attempt, 3u);
  EXPECT_EQ(result.lines, 3u);
  EXPECT_EQ(result.from, 0u);
  EXPECT_EQ(result.checkpoint.scanned_to, 55u);
  EXPECT_EQ(result.checkpoint.line_start, 51u);
  EXPECT_EQ(result.checkpoint.line_no, 3u);
  EXPECT_EQ(result.last_line, "rest");
  EXPECT_FALSE(result.more);
}

TEST_F(ScannerTest, LineInPiecesIsReadOnce) {
  dir_.append("::warn");
  EXPECT_THAT(found(), IsEmpty());
  dir_.append("ing::care");
  EXPECT_THAT(found(), IsEmpty());
  EXPECT_EQ(checkpoint_.line_start, 0u);
  dir_.append("ful\n");
  const ScanResult result = look();
  EXPECT_THAT(describe(result.findings), ElementsAre("warning 0-18 careful"));
  EXPECT_EQ(result.from, 15u);
  EXPECT_EQ(result.lines, 1u);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(ScannerTest, ProgressIsFoundBeforeItsLineEndsAndOnlyOnce) {
  dir_.append("\x1b]9;4;1;10\a");
  EXPECT_THAT(found(), ElementsAre("osc 0-11 10%"));
  dir_.append("\r\x1b]9;4;1;2");
  EXPECT_THAT(found(), IsEmpty());
  dir_.append("0\a");
  EXPECT_THAT(found(), ElementsAre("osc 12-23 20%"));
  dir_.append("\n");
  const ScanResult result = look();
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(result.lines, 1u);
}

TEST_F(ScannerTest, MarksAreFoundAmongOtherLines) {
  std::string text;
  std::vector<std::string> expected;
  for (std::size_t line = 0; line < 500; ++line) {
    text += std::string(line % 37, '.') + (line % 5 == 0 ? "\x1b[1mbold\x1b[0m" : "");
    if (line % 7 == 0) {
      expected.push_back("osc " + std::to_string(text.size()) + "-" + std::to_string(text.size() + 11) +
                         " 42%");
      text += "\x1b]9;4;1;42\a";
    }
    text += std::string(line % 11, '.') + "\n";
  }
  limits_.findings_at_most = 1000;
  for (const std::size_t block : {1, 13, 64, 4096}) {
    limits_.read_block = block;
    checkpoint_ = {};
    dir_.overwrite(text);
    EXPECT_EQ(found(), expected) << "in reads of " << block;
  }
}

TEST_F(ScannerTest, OlderCheckpointDoesNotRepeatLines) {
  dir_.append("::error::one\n::error::two\n");
  look();
  checkpoint_.line_start = 0;  // as another program version might write it
  checkpoint_.line_no = 0;
  dir_.append("::error::three\n");
  EXPECT_THAT(found(), ElementsAre("error 26-40 three"));
  EXPECT_EQ(checkpoint_.line_no, 3u);
}

TEST_F(ScannerTest, ForgedExitLineIsJustText) {
  dir_.append("exit:0\n\nexit:0\n");
  const ScanResult result = look();
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(result.lines, 3u);
}

TEST_F(ScannerTest, NulAndIllFormedBytesAreRead) {
  dir_.append(std::string_view("\0\0\xFF\n::error::a\0b\xC3\n", 18));
  EXPECT_THAT(found(), ElementsAre(std::string("error 4-17 a\0b\xEF\xBF\xBD", 17)));
}

// ---- the end ----

TEST_F(ScannerTest, LastLineWithoutNewlineIsReadAtTheEnd) {
  dir_.append("a\n::error::b");
  EXPECT_THAT(found(), IsEmpty());
  const ScanResult result = look(12);
  EXPECT_THAT(describe(result.findings), ElementsAre("error 2-12 b"));
  EXPECT_EQ(result.lines, 1u);
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(checkpoint_.line_start, 12u);
  const ScanResult again = look(12);
  EXPECT_THAT(again.findings, IsEmpty());
  EXPECT_EQ(again.lines, 0u);
  EXPECT_TRUE(again.finished);
}

TEST_F(ScannerTest, MarkInAnOpenLineIsFoundOnce) {
  dir_.append("\x1b]9;4;1;10\a");
  EXPECT_EQ(found().size(), 1u);
  EXPECT_THAT(found(11), IsEmpty());
  EXPECT_EQ(checkpoint_.line_no, 1u);
}

TEST_F(ScannerTest, BytesBeyondTheRecordedSizeAreNoOutput) {
  source_ = text_source(dir_, 5);
  dir_.append("a\n::e\nexit:0\n");
  const ScanResult result = look();
  EXPECT_EQ(result.checkpoint.scanned_to, 5u);
  EXPECT_EQ(result.lines, 1u);
  EXPECT_FALSE(result.more);
  const ScanResult end = look(5);
  EXPECT_EQ(end.lines, 1u);
  EXPECT_EQ(end.checkpoint.scanned_to, 5u);
  EXPECT_EQ(end.last_line, "::e");
}

TEST_F(ScannerTest, EndOfAFileShorterThanRecordedIsItsEnd) {
  dir_.append("a\nb");
  const ScanResult result = look(1000);
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(result.lines, 2u);
}

TEST_F(ScannerTest, EndWithoutAFileIsAnEnd) {
  EXPECT_TRUE(look(0).finished);
  EXPECT_FALSE(look(0).restarted) << "the file never existed";
}

// ---- limits ----

TEST_F(ScannerTest, StepStopsAtItsLimitAndReportsMore) {
  limits_.read_block = 1000;
  limits_.read_at_most = 10'000;
  for (int i = 0; i < 3000; ++i) dir_.append("::notice::n\n");
  std::size_t steps = 0, findings = 0;
  bool more = true;
  for (; more && steps < 1000; ++steps) {
    const ScanResult result = look();
    EXPECT_LE(result.checkpoint.scanned_to - result.from, 11'000u);
    EXPECT_LE(result.findings.size(), limits_.findings_at_most);
    findings += result.findings.size();
    more = result.more;
  }
  EXPECT_EQ(findings, 3000u);
  EXPECT_GE(steps, 3000 / limits_.findings_at_most);
}

TEST_F(ScannerTest, LongLineIsCutAndReadingContinues) {
  const std::string long_line = "::error::" + std::string(70'000, 'x');
  dir_.append(long_line + "\n::error::next\n");
  const ScanResult result = look();
  ASSERT_EQ(result.findings.size(), 2u);
  EXPECT_EQ(result.findings[0].evidence.log_to, kMaxKeptLine);
  EXPECT_EQ(describe(result.findings)[1], "error 70010-70023 next");
  EXPECT_EQ(result.lines, 2u);
}

TEST_F(ScannerTest, LineGrowingBeyondTheLimitCountsOnce) {
  dir_.append("::error::" + std::string(kMaxKeptLine - 9, 'x'));
  EXPECT_THAT(found(), IsEmpty());
  EXPECT_FALSE(checkpoint_.in_oversized_line);
  dir_.append("x");
  EXPECT_EQ(found().size(), 1u);
  EXPECT_TRUE(checkpoint_.in_oversized_line);
  dir_.append(std::string(100'000, 'y'));
  EXPECT_THAT(found(), IsEmpty());
  dir_.append("\n");
  const ScanResult result = look();
  EXPECT_EQ(result.lines, 1u);
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_FALSE(checkpoint_.in_oversized_line);
}

TEST_F(ScannerTest, ProgressInAHugeLineIsFoundAcrossReads) {
  limits_.read_block = 4096;
  limits_.findings_at_most = 1 << 20;
  limits_.read_at_most = 1 << 30;
  std::string line;
  std::vector<std::string> expected;
  while (line.size() < (5 << 20)) {
    line += std::string(4096 * 16 - 5, '.');  // every mark straddles two reads
    if (line.size() > kMaxKeptLine) {
      expected.push_back("osc " + std::to_string(line.size()) + "-" + std::to_string(line.size() + 11) +
                         " 42%");
    }
    line += "\x1b]9;4;1;42\a";
  }
  dir_.append(line + "\n");
  std::vector<std::string> findings = found();
  EXPECT_EQ(findings.front().substr(0, 10), "osc 65531-") << "the mark straddles the end of the kept part";
  findings.erase(findings.begin());
  EXPECT_EQ(findings, expected);
  EXPECT_EQ(checkpoint_.line_no, 1u);
}

std::string bar(int percent) {
  const auto text = std::to_string(percent);
  return "\r" + text + "%|" + std::string(60, '#') + "| " + text + "/100 [00:10<00:14,  4.12it/s]";
}

std::vector<int> percents(const std::vector<std::string>& findings) {
  std::vector<int> percents;
  for (const std::string& text : findings) percents.push_back(std::stoi(text.substr(text.rfind(' ') + 1)));
  return percents;
}

TEST_F(ScannerTest, RedrawnBarReportsEachPercentOnceOverwritten) {
  dir_.append("begin\n" + bar(41));
  EXPECT_THAT(found(), IsEmpty()) << "the last state may be incomplete";
  dir_.append(bar(42));
  const std::vector<std::string> first = found();
  EXPECT_THAT(percents(first), ElementsAre(41));
  const std::size_t length = bar(41).size();
  EXPECT_THAT(first, ElementsAre("osc 7-" + std::to_string(6 + length) + " 41%"));
  EXPECT_THAT(found(), IsEmpty());
  dir_.append(bar(42));
  EXPECT_THAT(percents(found()), ElementsAre(42));
  dir_.append(bar(42) + bar(42));
  EXPECT_THAT(found(), IsEmpty()) << "redrawing the same state is no progress";
  dir_.append(bar(43).substr(0, 8));
  EXPECT_THAT(found(), IsEmpty());
  dir_.append(bar(43).substr(8) + bar(44) + bar(45) + bar(46));
  EXPECT_THAT(percents(found()), ElementsAre(45)) << "only the last state of a step is reported";
  dir_.append(bar(100) + "\n");
  EXPECT_THAT(percents(found()), ElementsAre(100));
}

TEST_F(ScannerTest, BarInAnOversizedLineReportsToItsEnd) {
  std::vector<int> seen, expected;
  for (int percent = 0; percent < 100; ++percent) {
    expected.push_back(percent);
    for (int i = 0; i < 20; ++i) {
      dir_.append(bar(percent));
      const std::vector<std::string> now = found();
      ASSERT_LE(now.size(), 1u) << percent;
      for (const int found_percent : percents(now)) seen.push_back(found_percent);
    }
  }
  EXPECT_TRUE(checkpoint_.in_oversized_line);
  dir_.append(bar(100) + "\n");
  for (const int found_percent : percents(found())) seen.push_back(found_percent);
  expected.push_back(100);
  // When a line outgrows the limit, it is decoded as a line too.
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  EXPECT_EQ(seen, expected);
}

TEST_F(ScannerTest, EndlessLineShowsItsLatestText) {
  dir_.append(std::string(2 * kMaxKeptLine, '.') + "\rnow at 90%");
  EXPECT_EQ(look().last_line, "now at 90%");
  dir_.append("....");
  EXPECT_EQ(look().last_line, std::nullopt) << "the middle of a line is no line";
}

TEST_F(ScannerTest, LastLineReadBeforeIsFoundAtTheEnd) {
  dir_.append(std::string(1000, '.') + "\nwhat it died of\n\n");
  look();
  EXPECT_EQ(look(1018).last_line, "what it died of");
  dir_.append(std::string(1000, '.') + "\n");
  look();
  EXPECT_EQ(look(2019).last_line, std::nullopt) << "a piece of a line is no line";
}

TEST_F(ScannerTest, NextDaemonFindsOnlyTheLastLineAgain) {
  const struct {
    std::string written;
    std::optional<std::string> shown;
  } stories[] = {
      {"one\ntwo\n", "two"},
      {"::error::broken\n\n  \n", "broken"},
      {"one\n" + std::string(kMaxKeptLine - 10, ' ') + "\n", "one"},
      {std::string(2 * kMaxKeptLine, '.') + "\rnow at 90%", "now at 90%"},
      {std::string(2 * kMaxKeptLine, '.') + "\n",
       std::nullopt},  // a piece of a line is not decoded as a line
      {"\n\n", std::nullopt},
  };
  for (const auto& story : stories) {
    const JobDir dir;
    dir.append(story.written);
    source_ = text_source(dir);
    checkpoint_ = {};
    modified_ns_ = 0;
    look();
    ASSERT_EQ(checkpoint_.scanned_to, story.written.size());
    const ScanResult anew = look_anew();
    EXPECT_EQ(anew.last_line, story.shown) << story.written.substr(0, 20);
    EXPECT_EQ(anew.lines, 0u);
    EXPECT_THAT(anew.findings, IsEmpty());
    EXPECT_TRUE(same_checkpoint(anew.checkpoint, checkpoint_));
  }
}

TEST_F(ScannerTest, NewOutputReplacesTheEarlierLastLine) {
  dir_.append("before\n");
  look();
  dir_.append("since\n");
  EXPECT_EQ(look_anew().last_line, "since");
}

// ---- another file, or the same one changed ----

TEST_F(ScannerTest, ShorterFileIsANewGenerationReadFromItsStart) {
  dir_.append("::error::one\n::error::two\n");
  look();
  dir_.overwrite("::error::new\n");
  const ScanResult result = look();
  ASSERT_TRUE(result.restarted);
  EXPECT_EQ(result.restarted->reason, OutputReset::truncated);
  EXPECT_EQ(result.restarted->lost_from, 26u);
  EXPECT_EQ(result.restarted->attempt, 3u);
  EXPECT_EQ(result.restarted->checkpoint->generation, 1u);
  EXPECT_EQ(result.from, 0u);
  EXPECT_THAT(describe(result.findings), ElementsAre("error 0-12 new"));
  EXPECT_EQ(result.findings[0].evidence.generation, 1u);
  EXPECT_EQ(result.checkpoint.generation, 1u);
  EXPECT_EQ(result.checkpoint.line_no, 1u);
}

TEST_F(ScannerTest, TruncationToNothingIsANewGenerationAtOnce) {
  dir_.append("one\n");
  look();
  dir_.overwrite("");
  EXPECT_EQ(look().restarted->reason, OutputReset::truncated);
  EXPECT_FALSE(look().restarted);
}

TEST_F(ScannerTest, ReplacedFileIsANewGeneration) {
  dir_.append("::error::one\n");
  look();
  dir_.replace("::error::one\n::error::two\n");
  const ScanResult result = look();
  ASSERT_TRUE(result.restarted);
  EXPECT_EQ(result.restarted->reason, OutputReset::replaced);
  EXPECT_THAT(describe(result.findings), ElementsAre("error 0-12 one", "error 13-25 two"));
}

TEST_F(ScannerTest, FileRewrittenInPlaceIsANewGeneration) {
  dir_.append("::error::one\n");
  look();
  dir_.overwrite("::error::two\n::error::three\n");
  const ScanResult result = look();
  ASSERT_TRUE(result.restarted);
  EXPECT_EQ(result.restarted->reason, OutputReset::replaced);
  EXPECT_THAT(describe(result.findings), ElementsAre("error 0-12 two", "error 13-27 three"));
}

TEST_F(ScannerTest, RewriteOfEqualLengthIsDetected) {
  dir_.append("::error::one\n");
  look();
  dir_.overwrite("::error::two\n");
  modified_ns_ = 0;  // as after a restart of the daemon
  const ScanResult result = look();
  ASSERT_TRUE(result.restarted);
  EXPECT_EQ(describe(result.findings), std::vector<std::string>{"error 0-12 two"});
}

TEST_F(ScannerTest, RewriteIsDetectedBeforeThePositionOnly) {
  dir_.append(std::string(300, 'a') + "\n");
  look();
  dir_.overwrite("b" + std::string(299, 'a') + "\n::error::x\n");
  EXPECT_FALSE(look().restarted) << "byte 0 is not among the last 256: documented limit";
}

TEST_F(ScannerTest, VanishedFileReturnsAsReplaced) {
  dir_.append("one\n");
  look();
  std::filesystem::remove(dir_.log());
  ScanResult result = look();
  ASSERT_TRUE(result.restarted);
  EXPECT_EQ(result.file, LogFile::State::missing);
  EXPECT_EQ(result.restarted->reason, OutputReset::vanished);
  EXPECT_EQ(result.restarted->lost_from, 4u);
  EXPECT_FALSE(look().restarted);
  dir_.append("::error::back\n");
  result = look();
  ASSERT_TRUE(result.restarted);
  EXPECT_EQ(result.restarted->reason, OutputReset::replaced);
  EXPECT_EQ(result.checkpoint.generation, 2u);
  EXPECT_THAT(describe(result.findings), ElementsAre("error 0-13 back"));
}

TEST_F(ScannerTest, MissingFileIsNoEvent) {
  EXPECT_FALSE(look().restarted);
  dir_.append("::error::x\n");
  const ScanResult result = look();
  EXPECT_FALSE(result.restarted);
  EXPECT_EQ(result.checkpoint.generation, 0u);
  EXPECT_EQ(result.findings.size(), 1u);
}

// ---- files that are never read ----

TEST_F(ScannerTest, SymbolicLinkIsNotFollowed) {
  const JobDir elsewhere;
  elsewhere.append("::error::secret\n");
  std::filesystem::create_symlink(elsewhere.log(), dir_.log());
  const ScanResult result = look();
  EXPECT_EQ(result.file, LogFile::State::refused);
  EXPECT_EQ(result.trouble->code, "output_is_symlink");
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(result.checkpoint.scanned_to, 0u);
  EXPECT_TRUE(look(100).finished) << "the attempt goes on, and ends";
}

TEST_F(ScannerTest, FileReplacedByALinkHasVanished) {
  dir_.append("one\n");
  look();
  std::filesystem::remove(dir_.log());
  std::filesystem::create_symlink("/etc/passwd", dir_.log());
  const ScanResult result = look();
  EXPECT_EQ(result.restarted->reason, OutputReset::vanished);
  EXPECT_EQ(result.trouble->code, "output_is_symlink");
}

TEST_F(ScannerTest, LinkedJobDirectoryIsNotFollowed) {
  const JobDir elsewhere;
  elsewhere.append("::error::secret\n");
  const std::string link = dir_.path() + "/link";
  std::filesystem::create_directory_symlink(elsewhere.path(), link);
  source_ = std::make_shared<const ScanSource>(ScanSource{link, getuid(), 3, source_->decoder, {}});
  const ScanResult result = look();
  EXPECT_EQ(result.trouble->code, "job_dir_not_a_directory");
  EXPECT_THAT(result.findings, IsEmpty());
}

TEST_F(ScannerTest, FifoDoesNotBlock) {
  ASSERT_EQ(mkfifo(dir_.log().c_str(), 0600), 0);
  EXPECT_EQ(look().trouble->code, "output_not_a_file");
}

TEST_F(ScannerTest, DirectoryAndSocketAreNotRead) {
  std::filesystem::create_directory(dir_.log());
  EXPECT_EQ(look().trouble->code, "output_not_a_file");
  std::filesystem::remove(dir_.log());
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  dir_.log().copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(bind(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(look().trouble->code, "output_not_a_file");
  close(server);
}

TEST_F(ScannerTest, FileOfAnotherUserIsNotRead) {
  dir_.append("::error::x\n");
  source_ =
      std::make_shared<const ScanSource>(ScanSource{dir_.path(), getuid() + 1, 3, source_->decoder, {}});
  const ScanResult result = look();
  EXPECT_EQ(result.trouble->code, "output_not_owned");
  EXPECT_THAT(result.findings, IsEmpty());
}

// ---- agents' sessions and messages ----

constexpr const char* kMessage =
    R"({"type":"assistant","session_id":"s-1","message":{"id":"m1","content":[],"usage":{"input_tokens":9}}})"
    "\n";

class AgentScannerTest : public ScannerTest {
 protected:
  AgentScannerTest() {
    ScanSource source{dir_.path(), getuid(), 3, line_decoders()("claude-stream-json"), {}};
    source.session_named = std::make_shared<std::atomic<bool>>(false);
    source_ = std::make_shared<const ScanSource>(std::move(source));
  }
  /// "session ID" and "so far N" for each finding.
  static std::vector<std::string> facts(const ScanResult& result) {
    std::vector<std::string> told;
    for (const auto& finding : result.findings) {
      EXPECT_EQ(finding.evidence.attempt, 3U);
      if (const auto* report = std::get_if<schema::ReportFactUnion>(&finding.fact)) {
        told.push_back("session " + report->AsSessionIdentified()->session_id);
      } else {
        const auto& usage = *std::get<schema::UsageFactUnion>(finding.fact).AsUsageReported();
        EXPECT_EQ(usage.attempt, 3U);
        told.push_back((usage.partial ? "so far " : "used ") + std::to_string(usage.input_tokens));
      }
    }
    return told;
  }
};

TEST_F(AgentScannerTest, FirstLineWithASessionNamesIt) {
  dir_.append(std::string("text\n") + kMessage);
  EXPECT_THAT(facts(look()), ElementsAre("session s-1"));
  dir_.append(kMessage);
  EXPECT_THAT(facts(look()), IsEmpty()) << "once per attempt";
}

TEST_F(AgentScannerTest, EndWithoutAReportSumsTheMessagesOnce) {
  dir_.append(kMessage);
  EXPECT_THAT(facts(look()), ElementsAre("session s-1"));
  dir_.append(kMessage);
  EXPECT_THAT(facts(look()), IsEmpty()) << "no event per line";
  const auto size = std::filesystem::file_size(dir_.log());
  EXPECT_THAT(facts(look(size)), ElementsAre("so far 9"));
}

TEST_F(AgentScannerTest, WhatChecksPrintIsNotTheAgents) {
  dir_.append(kMessage);
  ScanSource source = *source_;
  source.checks_from = [begin = std::filesystem::file_size(dir_.log())] { return std::optional(begin); };
  source.plain = line_decoders()("text");
  source_ = std::make_shared<const ScanSource>(std::move(source));
  dir_.append(
      "check: ./review\n"
      R"({"type":"system","subtype":"init","session_id":"reviewer"})"
      "\n"
      R"({"type":"assistant","session_id":"reviewer","message":{"id":"m2","content":[],"usage":{"input_tokens":50}}})"
      "\n::error file=a.cc::broken\n");
  const auto size = std::filesystem::file_size(dir_.log());
  ScanResult result = look(size);
  ASSERT_EQ(result.findings.size(), 3U);
  EXPECT_NE(std::get<schema::OutputFactUnion>(result.findings[1].fact).AsAnnotationFound(), nullptr);
  result.findings.erase(result.findings.begin() + 1);
  EXPECT_THAT(facts(result), ElementsAre("session s-1", "so far 9"));
}

TEST_F(AgentScannerTest, EndReadByAnotherDaemonSumsAllMessages) {
  limits_.read_block = 64;
  std::string many;
  for (int i = 0; i < 200; ++i) {
    many += std::string(kMessage).replace(std::string(kMessage).find("m1"), 2, "m" + std::to_string(i));
  }
  dir_.append(many);
  while (look().more) {
  }
  ScanBuffer buffer(limits_.read_block);
  const ScanResult last = scan_step({source_, checkpoint_, many.size()}, limits_, buffer);
  ASSERT_TRUE(last.finished);
  EXPECT_THAT(facts(last), ElementsAre("so far 1800"));
}

}  // namespace
}  // namespace luzia
