#include "bench/harness/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace luzia::bench {
namespace {

constexpr int kBarWidth = 30;

bool seen() {
  return isatty(STDERR_FILENO) == 1;
}

}  // namespace

void show_progress(const std::string& what) {
  if (seen()) fprintf(stderr, "\r\x1b[K%s", what.c_str());
}

void show_progress(const std::string& what, double done, double total) {
  const double share = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 0;
  const auto full = static_cast<std::size_t>(share * kBarWidth);
  show_progress(what + " [" + std::string(full, '#') + std::string(kBarWidth - full, '.') + "] " +
                std::to_string(static_cast<int>(share * 100)) + " %");
}

void clear_progress() {
  if (seen()) fputs("\r\x1b[K", stderr);
}

}  // namespace luzia::bench
