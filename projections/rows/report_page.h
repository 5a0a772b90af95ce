// The report: one HTML file that needs nothing else (no scripts, no fonts, no network, which it also forbids
// itself), in the colours that the reader's system prefers, and made to be printed. Pure, any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {

struct ReportContent {
  TimeUs since = 0;  // 0: from the first job on
  TimeUs until = 0;  // of the state that is shown
  Position position = 0;
  std::vector<const view::OutcomeDay*> outcomes;
  std::vector<const view::CostDay*> costs;
  std::vector<const view::IssueDay*> issues;
  std::vector<const view::Job*> jobs;  // the newest first
  bool more_jobs = false;              // than are listed
};

std::string report_page(const ReportContent& content);

}  // namespace luzia
