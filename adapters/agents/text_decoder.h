// Decodes plain text output: OSC 9;4 progress, GitHub workflow commands, and progress lines of common tools
// (progress_line.h). Nothing else counts: a line such as `exit:0` is just text (design: What we see is
// evidence).
//
// OSC 9;4 (ConEmu, Windows Terminal, systemd, cargo): ESC ] 9 ; 4 ; state ; percent, ended by BEL or ESC \.
//   state 0 removes the indicator, 1 normal, 2 error, 3 indeterminate, 4 paused; percent 0..100.
// Workflow commands (docs.github.com, "Workflow commands for GitHub Actions"):
//   ::name key=value,key=value::data, at the start of a line or after white space only.
#pragma once

#include "engine/ports/line_decoder.h"

namespace luzia {

inline constexpr std::string_view kRuleOscProgress = "osc-9-4";
inline constexpr std::string_view kRuleWorkflowCommand = "workflow-command";
inline constexpr std::string_view kRuleProgressLine = "progress-line";

/// Bounds of the texts in one finding, in bytes. Longer ones are cut at a character boundary. Invalid UTF-8
/// becomes U+FFFD.
inline constexpr std::size_t kMaxMessage = 4 * 1024;
inline constexpr std::size_t kMaxProperty = 1024;

/// Stateless, any thread, linear time.
class TextDecoder final : public LineDecoder {
 public:
  /// ::error, ::warning, ::notice -> AnnotationFound. ::group:: -> ProgressReported with a step name. A
  /// progress line -> ProgressReported. ::endgroup::, ::debug and commands that only steer a runner are
  /// ignored: they say nothing about the job.
  bool decode(const Line& line, std::vector<RecordOutput::Finding>& findings,
              std::string& within) const override;
  /// The last OSC 9;4 change of the stretch -> ProgressReported.
  void decode_marks(const Line& stretch, std::vector<RecordOutput::Finding>& findings) const override;
  /// A redrawn bar -> ProgressReported each time its integer percent changes.
  void decode_redraw(const Line& stretch, std::size_t seen,
                     std::vector<RecordOutput::Finding>& findings) const override;
  /// A workflow command that reports something: its text. Other workflow commands say nothing to people.
  std::optional<std::string> readable(std::string_view line) const override;

 private:
  /// Whether the line is a workflow command.
  bool decode_command(const Line& line, std::vector<RecordOutput::Finding>& findings) const;
};

}  // namespace luzia
