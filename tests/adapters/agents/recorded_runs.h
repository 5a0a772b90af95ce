// Recorded runs of real agents (runs/README.md) and the findings of their lines. As in the daemon, a line
// splitter cuts the output into lines and shortens long ones.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "adapters/agents/decoders.h"
#include "adapters/output_log/line_splitter.h"
#include "tests/paths.h"

namespace luzia {

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

inline std::string runs_folder() {
  return source_path("tests/adapters/agents/runs/");
}

/// An .expect file: notes (#), the output format, the preceding run (if any), then the expected facts.
struct Expectation {
  std::string format, before, facts;
};

inline Expectation expectation_of(const std::string& run) {
  Expectation expected;
  const std::string text = read_file(runs_folder() + run + ".expect");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("format ")) {
      expected.format = line.substr(7);
    } else if (line.starts_with("before ")) {
      expected.before = line.substr(7);
    } else if (!line.starts_with("#")) {
      expected.facts += line + "\n";
    }
  }
  return expected;
}

/// Names of all runs, sorted.
inline std::vector<std::string> recorded_runs() {
  std::vector<std::string> runs;
  for (const auto& entry : std::filesystem::directory_iterator(runs_folder())) {
    if (entry.path().extension() == ".jsonl") runs.push_back(entry.path().stem().string());
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

/// A run's name in a form that GoogleTest accepts in test names.
inline std::string name_of_run(const testing::TestParamInfo<std::string>& run) {
  std::string name = run.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Passes each line to a decoder.
class Decoding final : public LineSink {
 public:
  explicit Decoding(std::shared_ptr<const LineDecoder> decoder) : decoder_(std::move(decoder)) {}

  bool line(const Line& line) override {
    std::string within;
    decoder_->decode(line, findings, within);
    return true;
  }
  void oversized(const Line&) override {}

  std::vector<RecordOutput::Finding> findings;

 private:
  std::shared_ptr<const LineDecoder> decoder_;
};

/// Decodes `output`, which arrives in pieces that end at the given offsets; the last piece ends at its end.
inline std::vector<RecordOutput::Finding> findings_of(const std::string& format, std::string_view output,
                                                      const std::vector<std::size_t>& ends) {
  Decoding sink(line_decoders()(format));
  SplitPosition position;
  for (const std::size_t end : ends) {
    const std::size_t from = static_cast<std::size_t>(position.resume_at());
    split_lines(position, output.substr(from, end - from), sink);
  }
  split_last_line(position, output.substr(static_cast<std::size_t>(position.resume_at())), sink);
  return std::move(sink.findings);
}

inline std::vector<RecordOutput::Finding> findings_of(const std::string& format, std::string_view output) {
  return findings_of(format, output, {output.size()});
}

template <class Table, class Fact>
std::string packed(const Fact& fact) {
  typename Table::NativeTableType event;
  event.fact = fact;
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Table::Pack(builder, &event));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

/// A finding as bytes, for comparison with another.
inline std::string bytes_of(const RecordOutput::Finding& finding) {
  const auto& evidence = finding.evidence;
  std::string bytes =
      evidence.rule + " " + std::to_string(evidence.log_from) + "-" + std::to_string(evidence.log_to);
  bytes += std::to_string(finding.fact.index());
  if (const auto* fact = std::get_if<schema::OutputFactUnion>(&finding.fact)) {
    bytes += packed<schema::OutputEvent>(*fact);
  }
  if (const auto* fact = std::get_if<schema::ReportFactUnion>(&finding.fact)) {
    bytes += packed<schema::ReportEvent>(*fact);
  }
  if (const auto* fact = std::get_if<schema::ToolFactUnion>(&finding.fact))
    bytes += packed<schema::ToolEvent>(*fact);
  if (const auto* fact = std::get_if<schema::UsageFactUnion>(&finding.fact))
    bytes += packed<schema::UsageEvent>(*fact);
  return bytes;
}

inline std::vector<std::string> bytes_of(const std::vector<RecordOutput::Finding>& findings) {
  std::vector<std::string> all;
  for (const auto& finding : findings) all.push_back(bytes_of(finding));
  return all;
}

}  // namespace luzia
