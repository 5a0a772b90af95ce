// Shared by the tests of output_log: a temporary job directory, decoding by the shipped text decoder, and
// findings as short text ("osc 10-20 50%", "error 5-18 message").
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "adapters/agents/decoders.h"
#include "adapters/output_log/scanner.h"
#include "tests/scratch.h"

namespace luzia {

class JobDir : public ScratchFolder {
 public:
  std::string log() const { return file("output.log"); }

  void append(std::string_view bytes) const { write_to(O_APPEND, bytes); }
  void overwrite(std::string_view bytes) const { write_to(O_TRUNC, bytes); }
  /// Replaces the file by a new one of the same name, as an editor or log rotation does.
  void replace(std::string_view bytes) const {
    std::filesystem::rename(log(), file("output.log.old"));
    overwrite(bytes);
  }

 private:
  void write_to(int flags, std::string_view bytes) const {
    const int file = ::open(log().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
    ASSERT_GE(file, 0) << log();
    while (!bytes.empty()) {
      const ssize_t written = ::write(file, bytes.data(), bytes.size());
      ASSERT_GT(written, 0);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    ::close(file);
  }
};

inline std::string describe(const RecordOutput::Finding& finding) {
  const auto& evidence = finding.evidence;
  const std::string place =
      " " + std::to_string(evidence.log_from) + "-" + std::to_string(evidence.log_to) + " ";
  if (const auto* output = std::get_if<schema::OutputFactUnion>(&finding.fact)) {
    const auto& annotation = *output->AsAnnotationFound();
    return schema::EnumNameSeverity(annotation.severity) + place + annotation.message;
  }
  const auto& progress = *std::get<schema::ReportFactUnion>(finding.fact).AsProgressReported();
  if (!progress.current_step_name.empty()) return "group" + place + progress.current_step_name;
  const int percent = progress.progress_percent ? static_cast<int>(*progress.progress_percent) : -1;
  return "osc" + place + std::to_string(percent) + "%";
}

inline std::vector<std::string> describe(const std::vector<RecordOutput::Finding>& findings) {
  std::vector<std::string> texts;
  for (const auto& finding : findings) texts.push_back(describe(finding));
  return texts;
}

inline std::shared_ptr<const ScanSource> text_source(const JobDir& dir,
                                                     std::optional<std::uint64_t> final_size = {}) {
  ScanSource source{dir.path(), getuid(), 3, line_decoders()("text"), {}};
  if (final_size) source.final_size = [final_size] { return final_size; };
  return std::make_shared<const ScanSource>(std::move(source));
}

}  // namespace luzia
