#include "tools/luziad/intake/report_rate.h"

#include <algorithm>

namespace luzia {

Status ReportRate::count(const std::string& whose, TimeUs now) {
  if (now - swept_ > kMostAtOnce * kEach) {
    std::erase_if(used_up_until_, [now](const auto& used) { return used.second <= now; });
    swept_ = now;
  }
  TimeUs& until = used_up_until_[whose];
  const TimeUs next = std::max(until, now) + kEach;
  if (next - now <= kMostAtOnce * kEach) {
    until = next;
    return {};
  }
  return fail(ErrorKind::refused, "too_many_reports",
              whose + " has published " + std::to_string(kMostAtOnce) +
                  " reports too quickly: this one was not recorded",
              "publish it again in a second, and one a second from then on; what need not be kept for ever "
              "belongs into its output");
}

}  // namespace luzia
