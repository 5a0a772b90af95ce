#include "tools/luziad/watching/limit_dates.h"

#include <algorithm>

#include "adapters/agents/limit_words.h"

namespace luzia {

void date_limits(RecordOutput& stretch, TimeUs now) {
  const TimeUs written = stretch.written_us > 0 ? std::min(now, stretch.written_us) : now;
  for (RecordOutput::Finding& finding : stretch.findings) {
    auto* usage = std::get_if<schema::UsageFactUnion>(&finding.fact);
    schema::LimitReachedT* limit = usage != nullptr ? usage->AsLimitReached() : nullptr;
    if (limit == nullptr || limit->resets_us != 0) continue;
    limit->resets_us = reset_in_words(limit->text, written, now);
  }
}

}  // namespace luzia
