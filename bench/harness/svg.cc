#include "bench/harness/svg.h"

#include <cstdio>

namespace luzia::bench {
namespace {

std::string number(double value) {
  char text[32];
  snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + number(value) + "\"";
}

std::string attribute(const char* name, std::string_view value) {
  return std::string(" ") + name + "=\"" + std::string(value) + "\"";
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

Svg::Svg(double width, double height) : width_(width), height_(height) {}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view color, double width) {
  body_ += "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) + attribute("y2", y2) +
           attribute("stroke", color) + attribute("stroke-width", width) + "/>\n";
}

void Svg::box(double x, double y, double width, double height, std::string_view color) {
  body_ += "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
           attribute("height", height) + attribute("fill", color) + "/>\n";
}

void Svg::text(double x, double y, std::string_view text, Anchor anchor, double size) {
  const char* where = anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
  body_ += "<text" + attribute("x", x) + attribute("y", y) + attribute("font-size", size) +
           attribute("text-anchor", where) + ">" + escape_xml(text) + "</text>\n";
}

std::string Svg::finish() const {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width_) + " " + number(height_) +
         "\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" + body_ +
         "</svg>\n";
}

}  // namespace luzia::bench
