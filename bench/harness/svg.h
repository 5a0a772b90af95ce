// The subset of SVG that a chart needs. Coordinates are pixels from the upper left corner. One thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia::bench {

enum class Anchor { start, middle, end };

class Svg {
 public:
  Svg(double width, double height);
  void line(double x1, double y1, double x2, double y2, std::string_view color, double width = 1);
  void box(double x, double y, double width, double height, std::string_view color);
  void text(double x, double y, std::string_view text, Anchor anchor = Anchor::start, double size = 12);
  /// The whole document.
  std::string finish() const;

 private:
  std::string body_;
  double width_, height_;
};

std::string escape_xml(std::string_view text);

}  // namespace luzia::bench
