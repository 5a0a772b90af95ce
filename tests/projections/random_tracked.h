// Random tracked jobs: published tasks, and processes and logs under watch. How they begin, what is reported
// and found, and how they end.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "engine/job/job.h"

namespace luzia::test {

class RandomTracked {
 public:
  explicit RandomTracked(std::function<std::uint64_t(std::uint64_t)> below) : below_(std::move(below)) {}

  JobCommand beginning(const std::string& job) {
    schema::JobSpecT spec;
    spec.project = below_(2) == 0 ? "alpha" : "beta";
    spec.user = "ada";
    const Blob prompt{0, "0123456789abcdef", "work of others " + job};
    if (below_(3) == 0) {
      schema::TaskStartedT started;
      started.task_id = "nightly-" + job;
      started.description = "nightly";
      started.estimated_duration_seconds = static_cast<double>(below_(1000));
      return TrackTask{job, std::move(spec), started.task_id, prompt, std::move(started)};
    }
    TrackWork work;
    work.fact.job = job;
    work.fact.spec = std::make_unique<schema::JobSpecT>(std::move(spec));
    const std::uint64_t what = below_(3);
    if (what != 0) {
      work.fact.pid = static_cast<std::uint32_t>(1 + below_(10'000));
      work.fact.pid_start = below_(1'000'000);
      work.fact.boot_id = "boot";
    }
    if (what != 1) work.fact.log = "/var/log/app.log";
    if (!work.fact.log.empty() && below_(2) == 0) {
      work.fact.checkpoint = std::make_unique<schema::CheckpointT>();
      work.fact.checkpoint->scanned_to = work.fact.checkpoint->line_start = below_(10'000);
    }
    work.prompt = prompt;
    return work;
  }

  /// Something that happens to a tracked job. Only the last four of twenty end it.
  JobCommand step(const JobState& job) {
    const std::uint64_t what = below_(20);
    if (what < 8 && !job.log.empty()) return output(job);
    switch (what) {
      case 16:
        return ReportTrackedGone{below_(2) == 0 ? "the machine has restarted" : "", "last words"};
      case 17:
        return UntrackJob{"enough"};
      case 18:
        return ended(true);
      case 19:
        return ended(false);
      default:
        return progress();
    }
  }

 private:
  static RecordOutput::Finding found(decltype(RecordOutput::Finding::fact) fact, const RecordOutput& output) {
    RecordOutput::Finding finding{std::move(fact), {}};
    finding.evidence.kind = schema::EvidenceKind::inferred;
    finding.evidence.attempt = output.attempt;
    finding.evidence.log_from = output.appended->from;
    finding.evidence.log_to = output.appended->to;
    finding.evidence.rule = "workflow-command";
    return finding;
  }

  RecordOutput output(const JobState& job) {
    RecordOutput output;
    output.attempt = job.attempt;
    output.from = job.checkpoint ? job.checkpoint->scanned_to : 0;
    output.from_generation = job.checkpoint ? job.checkpoint->generation : 0;
    std::uint64_t from = output.from;
    std::uint32_t generation = output.from_generation;
    if (below_(6) == 0) {  // the log was rotated
      schema::OutputRestartedT restarted;
      restarted.attempt = job.attempt;
      restarted.reason = schema::OutputReset::replaced;
      restarted.lost_from = from;
      restarted.checkpoint = std::make_unique<schema::CheckpointT>();
      restarted.checkpoint->generation = ++generation;
      output.restarted = std::move(restarted);
      from = 0;
    }
    schema::OutputAppendedT appended;
    appended.attempt = job.attempt;
    appended.from = from;
    appended.to = from + 1 + below_(1000);
    appended.lines = below_(20);
    appended.checkpoint = std::make_unique<schema::CheckpointT>();
    appended.checkpoint->generation = generation;
    appended.checkpoint->scanned_to = appended.checkpoint->line_start = appended.to;
    output.appended = std::move(appended);
    for (std::uint64_t count = below_(3); count > 0; --count) output.findings.push_back(finding(output));
    return output;
  }

  RecordOutput::Finding finding(const RecordOutput& output) {
    if (below_(2) == 0) {
      schema::AnnotationFoundT fact;
      fact.attempt = output.attempt;
      fact.severity = below_(2) == 0 ? schema::Severity::warning : schema::Severity::error;
      fact.message = "it broke\x1b[31m";
      return found(domain_fact(std::move(fact)), output);
    }
    return found(domain_fact(progress_fact()), output);
  }

  schema::ProgressReportedT progress_fact() {
    schema::ProgressReportedT fact;
    if (below_(4) != 0) fact.progress_percent = static_cast<double>(below_(101));
    fact.elapsed_seconds = static_cast<double>(below_(100));
    if (below_(2) == 0) fact.estimated_remaining_seconds = static_cast<double>(below_(100));
    return fact;
  }

  PublishReport progress() {
    PublishReport publish;
    publish.report.Set(progress_fact());
    return publish;
  }

  PublishReport ended(bool completed) {
    PublishReport publish;
    if (completed) {
      schema::TaskCompletedT fact;
      fact.findings_count = static_cast<std::uint32_t>(below_(5));
      fact.recommendations_count = static_cast<std::uint32_t>(below_(5));
      fact.status = schema::Verdict::APPROVED;
      publish.report.Set(std::move(fact));
      return publish;
    }
    schema::TaskFailedT fact;
    fact.error = "no network";
    fact.retry_count = static_cast<std::uint32_t>(below_(3));
    publish.report.Set(std::move(fact));
    return publish;
  }

  std::function<std::uint64_t(std::uint64_t)> below_;
};

}  // namespace luzia::test
