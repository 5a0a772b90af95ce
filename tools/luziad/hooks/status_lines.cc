#include "tools/luziad/hooks/status_lines.h"

#include <spdlog/spdlog.h>

#include "projections/rows/event_text.h"
#include "projections/rows/harmless.h"

namespace luzia {

std::string status_line(const schema::Event& event) {
  const HarmlessOptions one_line{.keep_newlines = false, .keep_tabs = false};
  const std::string_view stream = text(event.stream());
  const std::string_view job = job_of_stream(stream);
  const std::string subject = job.empty() ? std::string(stream) : "job " + std::string(job);
  return make_harmless(subject + ": " + event_text(event), one_line);
}

StatusLines::StatusLines(const Config& config)
    : config_(config), filter_(update_settings_of(config.status_updates)) {}

void StatusLines::config_changed() {
  filter_ = UpdateFilter(update_settings_of(config_.status_updates));
}

void StatusLines::committed(const std::shared_ptr<const Group>& group) {
  if (config_.logging.log_file.empty()) return;
  for (const schema::Event* event : group->events()) {
    if (filter_.takes(*event)) spdlog::info("{}", status_line(*event));
  }
}

}  // namespace luzia
