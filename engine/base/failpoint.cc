#include "engine/base/failpoint.h"

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace luzia {
namespace {

struct Point {
  Point(std::string_view place, std::uint64_t passings) : name(place), left(passings) {}
  Point(Point&& other) noexcept : name(std::move(other.name)), left(other.left.load()) {}
  std::string name;
  std::atomic<std::uint64_t> left;  // passes until the end
};

/// "NAME@N,NAME@N"; skips parts of another form.
std::vector<Point> points_of(std::string_view text) {
  std::vector<Point> points;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const auto at = one.find('@');
    std::uint64_t passings = 0;
    if (at == std::string_view::npos) continue;
    std::from_chars(one.data() + at + 1, one.data() + one.size(), passings);
    if (passings > 0) points.emplace_back(one.substr(0, at), passings);
  }
  return points;
}

std::vector<Point> points_of_environment() {
  const char* text = std::getenv("LUZIA_FAILPOINTS");
  return text == nullptr ? std::vector<Point>{} : points_of(text);
}

}  // namespace

void failpoint(std::string_view name) {
  static std::vector<Point> points = points_of_environment();
  for (Point& point : points) {
    if (point.name == name && point.left.fetch_sub(1) == 1) (void)raise(SIGKILL);
  }
}

}  // namespace luzia
