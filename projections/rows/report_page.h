// The report: one self-contained HTML file without scripts, fonts or network access, which it also forbids.
// It uses the reader's preferred color scheme and can be printed. Pure, any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {

struct ReportContent {
  TimeUs since = 0;  // 0: from the first job
  TimeUs until = 0;  // time of the state shown
  Position position = 0;
  std::vector<const view::OutcomeDay*> outcomes;
  std::vector<const view::CostDay*> costs;
  std::vector<const view::IssueDay*> issues;
  std::vector<const view::Job*> jobs;  // newest first
  bool more_jobs = false;              // there are more than those listed
};

std::string report_page(const ReportContent& content);

}  // namespace luzia
