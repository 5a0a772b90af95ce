// For any line, findings are bounded and valid UTF-8, and their evidence lies within the line. A mark means
// the same when more of the line has been written.
#include <cstdint>

#include "adapters/agents/progress_line.h"
#include "adapters/agents/text_decoder.h"
#include "engine/base/utf8.h"
#include "tests/fuzz/fuzz_check.h"

namespace luzia {
namespace {

constexpr std::uint64_t kOffset = 77;

using Findings = std::vector<RecordOutput::Finding>;

void check_text(const std::string& text, std::size_t limit) {
  require(text.size() <= limit, "texts are bounded");
  require(bounded_utf8(text, limit) == text, "texts are valid UTF-8");
}

void check_finding(const RecordOutput::Finding& finding, std::string_view line) {
  const auto& evidence = finding.evidence;
  require(evidence.log_from >= kOffset && evidence.log_from < evidence.log_to &&
              evidence.log_to <= kOffset + line.size(),
          "evidence lies within the line");
  if (const auto* output = std::get_if<schema::OutputFactUnion>(&finding.fact)) {
    const auto& annotation = *output->AsAnnotationFound();
    check_text(annotation.message, kMaxMessage);
    check_text(annotation.file, kMaxProperty);
    check_text(annotation.title, kMaxProperty);
    return;
  }
  const auto& progress = *std::get<schema::ReportFactUnion>(finding.fact).AsProgressReported();
  check_text(progress.current_step_name, kMaxProperty);
  if (progress.progress_percent) {
    require(*progress.progress_percent >= 0 && *progress.progress_percent <= 100, "percent is 0 to 100");
  }
}

Findings marks(std::string_view text) {
  Findings findings;
  TextDecoder().decode_marks({text, kOffset, kOffset + text.size(), 1}, findings);
  return findings;
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view line) {
  Findings findings = marks(line);
  require(findings.size() <= 1, "one mark of a stretch");
  for (const auto& mark : findings) {
    require(mark.evidence.log_to - mark.evidence.log_from <= kMaxMark, "a mark is short");
    require(line[static_cast<std::size_t>(mark.evidence.log_from - kOffset)] == kMarkBegin,
            "a mark begins as one");
    const auto end = static_cast<std::size_t>(mark.evidence.log_to - kOffset);
    const Findings early = marks(line.substr(0, end));
    require(early.size() == 1 && early[0].evidence.log_from == mark.evidence.log_from,
            "a mark is certain early");
  }
  std::string within;
  const bool own_format =
      TextDecoder().decode({line, kOffset, kOffset + line.size() + 1, 1}, findings, within);
  require(!own_format && within.empty(), "plain text is looked through as it stands");
  for (const auto& finding : findings) check_finding(finding, line);
  const std::size_t seen = line.size() / 2;
  Findings redrawn;
  TextDecoder().decode_redraw({line, kOffset, kOffset + line.size(), 1}, seen, redrawn);
  require(redrawn.size() <= 1, "one state at most is shown");
  for (const auto& finding : redrawn) check_finding(finding, line);
  require(may_be_progress(line) || !progress_line(line), "a first look passes by no progress");
}
