// What plain text output means, and the exact place of the evidence.
#include "adapters/agents/text_decoder.h"

#include "adapters/agents/decoders.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

constexpr std::uint64_t kOffset = 1000;  // of the line within the file

struct Decoded {
  std::vector<RecordOutput::Finding> findings;

  const schema::AnnotationFoundT& annotation(std::size_t i = 0) const {
    return *std::get<schema::OutputFactUnion>(findings.at(i).fact).AsAnnotationFound();
  }
  const schema::ProgressReportedT& progress(std::size_t i = 0) const {
    return *std::get<schema::ReportFactUnion>(findings.at(i).fact).AsProgressReported();
  }
  /// The text that the evidence points at.
  std::string evidence(const std::string& line, std::size_t i = 0) const {
    const auto& e = findings.at(i).evidence;
    return line.substr(e.log_from - kOffset, e.log_to - e.log_from);
  }
};

Line line_of(const std::string& text) {
  return {text, kOffset, kOffset + text.size() + 1, 7};
}

Decoded decode_text(const std::string& text) {
  Decoded decoded;
  const auto decoder = line_decoders()("text");
  decoder->decode_marks(line_of(text), decoded.findings);
  std::string within;
  decoder->decode(line_of(text), decoded.findings, within);
  return decoded;
}

TEST(WorkflowCommand, ErrorCarriesMessageFileLineColumnAndTitle) {
  const std::string text = "::error file=src/a.cc,line=12,col=5,endLine=13,title=Build failed::expected ';'";
  const Decoded decoded = decode_text(text);
  ASSERT_EQ(decoded.findings.size(), 1u);
  EXPECT_EQ(decoded.annotation().severity, schema::Severity::error);
  EXPECT_EQ(decoded.annotation().message, "expected ';'");
  EXPECT_EQ(decoded.annotation().file, "src/a.cc");
  EXPECT_EQ(decoded.annotation().line, 12u);
  EXPECT_EQ(decoded.annotation().column, 5u);
  EXPECT_EQ(decoded.annotation().title, "Build failed");
  EXPECT_EQ(decoded.findings[0].evidence.rule, "workflow-command");
  EXPECT_EQ(decoded.findings[0].evidence.kind, schema::EvidenceKind::inferred);
  EXPECT_EQ(decoded.evidence(text), text);
}

TEST(WorkflowCommand, SeveritiesFollowTheCommandInAnyCase) {
  EXPECT_EQ(decode_text("::warning::w").annotation().severity, schema::Severity::warning);
  EXPECT_EQ(decode_text("::notice::n").annotation().severity, schema::Severity::info);
  EXPECT_EQ(decode_text("::ERROR::e").annotation().severity, schema::Severity::error);
}

TEST(WorkflowCommand, PeopleSeeItsTextAsTheLastLine) {
  const auto text = line_decoders()("text"), json = line_decoders()("auto");
  for (const LineDecoder* decoder : {text.get(), json.get()}) {
    EXPECT_EQ(decoder->readable(" ::warning file=a.c,line=3::unused%25 thing"), "unused% thing");
    EXPECT_EQ(decoder->readable("::group::build"), "build");
    EXPECT_EQ(decoder->readable("::endgroup::"), "") << "shows the line before it";
    EXPECT_EQ(decoder->readable("::add-mask::secret"), "");
    EXPECT_EQ(decoder->readable("a::warning::b"), std::nullopt);
    EXPECT_EQ(decoder->readable("::begin"), std::nullopt);
  }
}

TEST(WorkflowCommand, LeadingWhiteSpaceIsSkippedAndNotPartOfTheEvidence) {
  const std::string text = " \t ::warning::careful";
  EXPECT_EQ(decode_text(text).evidence(text), "::warning::careful");
}

TEST(WorkflowCommand, EscapesAreUndoneOnce) {
  EXPECT_EQ(decode_text("::error::a%0Ab%0D%25%250A%3A%2C%zz%").annotation().message, "a\nb\r%%0A%3A%2C%zz%");
  const Decoded decoded = decode_text("::error file=C%3A\\x%2Cy%25.cc,title=a%0Ab::m");
  EXPECT_EQ(decoded.annotation().file, "C:\\x,y%.cc");
  EXPECT_EQ(decoded.annotation().title, "a\nb");
}

TEST(WorkflowCommand, BrokenPropertiesAreSkippedAndTheRestIsKept) {
  const Decoded decoded = decode_text("::error ,,=,file,line=x,col=99999999999,file=a.cc,line=4::m::n");
  EXPECT_EQ(decoded.annotation().file, "a.cc");
  EXPECT_EQ(decoded.annotation().line, 4u);
  EXPECT_EQ(decoded.annotation().column, 0u);
  EXPECT_EQ(decoded.annotation().message, "m::n");
}

TEST(WorkflowCommand, GroupIsAStepOfProgress) {
  const std::string text = "::group::Run tests";
  const Decoded decoded = decode_text(text);
  EXPECT_EQ(decoded.progress().current_step_name, "Run tests");
  EXPECT_FALSE(decoded.progress().progress_percent);
  EXPECT_EQ(decoded.evidence(text), text);
}

TEST(WorkflowCommand, RunnerControlCommandsAreIgnored) {
  for (const char* text :
       {"::debug::x", "::endgroup::", "::add-mask::secret", "::stop-commands::t",
        "::group::", "::set-output name=a::b", "::::", "::::x", "::error", "::error:", ":error::x", "::"}) {
    EXPECT_TRUE(decode_text(text).findings.empty()) << text;
  }
}

TEST(WorkflowCommand, InTheMiddleOfALineIsJustText) {
  EXPECT_TRUE(decode_text("std::cout::error::x").findings.empty());
  EXPECT_TRUE(decode_text("x ::error::y").findings.empty());
}

TEST(WorkflowCommand, LongAndIllFormedTextIsBoundedAndMadeValid) {
  const std::string message =
      decode_text("::error title=" + std::string(5000, 't') + "::" + std::string(4095, 'm') + "\xC3\xA4" +
                  std::string(60'000, 'n'))
          .annotation()
          .message;
  EXPECT_EQ(message, std::string(4095, 'm')) << "the character that does not fit is left out whole";
  const Decoded decoded = decode_text("::error file=\xFF\xFEx::a\xC3(\xE2\x82" + std::string("\0b", 2));
  EXPECT_EQ(decoded.annotation().file, "\xEF\xBF\xBD\xEF\xBF\xBDx");
  EXPECT_EQ(decoded.annotation().message, "a\xEF\xBF\xBD(\xEF\xBF\xBD" + std::string("\0b", 2));
}

TEST(OscProgress, StatesAndPercentAreReadWithEitherTerminator) {
  const Decoded normal = decode_text("\x1b]9;4;1;42\a");
  EXPECT_EQ(normal.progress().progress_percent, 42.0);
  EXPECT_EQ(normal.progress().state, "normal");
  EXPECT_EQ(normal.findings[0].evidence.rule, "osc-9-4");
  EXPECT_EQ(decode_text("\x1b]9;4;2;77\x1b\\").progress().state, "error");
  EXPECT_EQ(decode_text("\x1b]9;4;2;77\x1b\\").progress().progress_percent, 77.0);
  EXPECT_EQ(decode_text("\x1b]9;4;4;10\a").progress().state, "paused");
}

TEST(OscProgress, PercentIsUnknownIfTheSequenceGivesNone) {
  EXPECT_FALSE(decode_text("\x1b]9;4;3;\a").progress().progress_percent);
  EXPECT_FALSE(decode_text("\x1b]9;4;3;55\a").progress().progress_percent);
  EXPECT_FALSE(decode_text("\x1b]9;4;2\a").progress().progress_percent);
  EXPECT_EQ(decode_text("\x1b]9;4;0;\a").progress().state, "done");
  EXPECT_EQ(decode_text("\x1b]9;4;1\a").progress().progress_percent, 0.0);
}

TEST(OscProgress, PercentIsAtMostAHundred) {
  EXPECT_EQ(decode_text("\x1b]9;4;1;250\a").progress().progress_percent, 100.0);
  EXPECT_EQ(decode_text("\x1b]9;4;1;99999999999999999999\a").progress().progress_percent, 100.0);
}

TEST(OscProgress, LastChangeInALineIsKept) {
  const std::string text = "a\x1b]9;4;1;10\a\x1b[31mb\x1b]9;4;1;20\x1b\\c\x1b]9;4;9;30\a\x1b]0;t\a";
  const Decoded decoded = decode_text(text);
  ASSERT_EQ(decoded.findings.size(), 1u);
  EXPECT_EQ(decoded.progress().progress_percent, 20.0);
  EXPECT_EQ(decoded.evidence(text), "\x1b]9;4;1;20\x1b\\");
}

TEST(OscProgress, IncompleteOrForeignSequencesAreIgnored) {
  for (const std::string text :
       {"\x1b]9;4;1;50", "\x1b]9;4;1;50\x1b", "\x1b]9;4;5;50\a", "\x1b]9;4;;\a", "\x1b]9;4;1;-5\a",
        "\x1b]9;4;1;5x\a", "\x1b]9;4\a", "]9;4;1;50\a", "\x1b]9;2;1;50\a", "\x1b]9;4;1;1;1\a"}) {
    EXPECT_TRUE(decode_text(text).findings.empty()) << text.substr(1);
  }
  EXPECT_TRUE(decode_text("\x1b]9;4;1;" + std::string(kMaxMark, '0') + "\a").findings.empty())
      << "longer than a mark";
}

TEST(OscProgress, MarkOfMaximumLengthIsRead) {
  const std::string text = "\x1b]9;4;1;" + std::string(kMaxMark - 9, '0') + "\a";
  ASSERT_EQ(text.size(), kMaxMark);
  EXPECT_EQ(decode_text(text).progress().progress_percent, 0.0);
}

TEST(OscProgress, IsNotFoundAgainInTheCompleteLine) {
  std::vector<RecordOutput::Finding> findings;
  const std::string text = "\x1b]9;4;1;50\a";
  std::string within;
  TextDecoder().decode(line_of(text), findings, within);
  EXPECT_TRUE(findings.empty());
  const std::string command = "::error::x";
  TextDecoder().decode_marks(line_of(command), findings);
  EXPECT_TRUE(findings.empty()) << "a command may continue, so it is read when its line is complete";
}

TEST(TextDecoder, ForgedExitLinesAreJustText) {
  for (const char* text : {"exit:0", "exit:1", "\x1b[0mexit:0", "::exit::0", "exit: 0"}) {
    EXPECT_TRUE(decode_text(text).findings.empty()) << text;
  }
}

TEST(TextDecoder, UnknownFormatsReadAsText) {
  const auto decoders = line_decoders();
  for (const char* format : {"", "text", "auto", "claude-stream-json", "no such format"}) {
    std::vector<RecordOutput::Finding> findings;
    const std::string text = "::error::x";
    ASSERT_NE(decoders(format), nullptr);
    std::string within;
    decoders(format)->decode(line_of(text), findings, within);
    EXPECT_EQ(findings.size(), 1u) << format;
  }
}

TEST(TextDecoder, LineFullOfSequencesGivesOneFinding) {
  std::string text;
  while (text.size() + 12 < kMaxKeptLine) text += "\x1b]9;4;1;50\x1b]";
  EXPECT_TRUE(decode_text(text).findings.empty());
  EXPECT_EQ(decode_text("\x1b]9;4;1;1\a" + text).findings.size(), 1u);
}

}  // namespace
}  // namespace luzia
