#include "tools/luziad/base/job_warning.h"

#include <spdlog/spdlog.h>

#include "tools/luziad/base/loop.h"

namespace luzia {

void warn_job_once(Engine& engine, const std::string& job, std::uint32_t attempt, const JobWarning& warning) {
  constexpr std::size_t kIdDigits = 32;
  CommandMeta meta = by_daemon(wall_now());
  meta.digest = blake2b({as_bytes(warning.type), as_bytes(warning.about)});
  meta.command_id =
      "warning/" + job + '/' + std::to_string(attempt) + '/' + to_hex(meta.digest).substr(0, kIdDigits);
  schema::WarningReportedT fact;
  fact.warning_type = warning.type;
  fact.message = warning.message;
  fact.recommendation = warning.recommendation;
  PublishReport report;
  report.attempt = attempt;
  report.report.Set(std::move(fact));
  engine.submit(meta, to_one_job(job, std::move(report)),
                [job, message = warning.message](const Result<Outcome>& outcome) {
                  if (!outcome || !outcome->repeated) spdlog::warn("job {}: {}", job, message);
                });
}

}  // namespace luzia
