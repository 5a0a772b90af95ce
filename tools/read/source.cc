#include "tools/read/source.h"

#include <algorithm>
#include <array>

namespace luzia {

bool is_finding(const Error& error) {
  static constexpr std::array<std::string_view, 8> kFindings = {
      "log_corrupt",        "log_shorter_than_watermark",
      "watermark_mismatch", "watermark_missing",
      "watermark_damaged",  "views_differ",
      "text_damaged",       "log_rolled_back"};
  return std::ranges::find(kFindings, error.code) != kFindings.end();
}

Status need_store(const std::string& store) {
  if (!store.empty()) return {};
  return fail(ErrorKind::trouble, "no_store", "LUZIA_SOCKET names the daemon's socket, not its store",
              "name the store: --store DIR");
}

}  // namespace luzia
