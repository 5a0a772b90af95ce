// luzia-web: how soon the page shows what happens, and how little the daemon notices of its readers and
// attackers. The parts with a browser are in web_page.cc, those against sockets in web_sockets.cc.
#include <cstdio>
#include <optional>

#include "bench/harness/progress.h"
#include "bench/harness/web_parts.h"

namespace luzia::bench {
namespace {

struct BrowserPart {
  std::string name;
  std::vector<Figure> (*measure)(const Setting&, PageScript&);
  std::vector<std::string> rows;  // that are missing without a browser
};

struct SocketPart {
  std::string name;
  std::vector<Figure> (*measure)(const Setting&);
};

const std::vector<BrowserPart>& browser_parts() {
  static const std::vector<BrowserPart> kParts = {
      {"live", measure_live, {"event to the page's stream", "event to the screen of Now"}},
      {"now", measure_now, {"first view of Now", "the page's files, compressed"}},
      {"jobs", measure_jobs, {"Jobs scrolled through", "Jobs: memory that the tab keeps"}},
      {"output", measure_output, {"end of an output in the page", "finding a word in an output"}}};
  return kParts;
}

const std::vector<SocketPart>& socket_parts() {
  static const std::vector<SocketPart> kParts = {
      {"read", measure_read}, {"readers", measure_readers}, {"attacks", measure_attacks}};
  return kParts;
}

}  // namespace

const std::vector<std::string>& web_parts() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const BrowserPart& part : browser_parts()) names.push_back(part.name);
    for (const SocketPart& part : socket_parts()) names.push_back(part.name);
    return names;
  }();
  return kNames;
}

std::vector<Figure> run_web(const Setting& setting) {
  std::vector<Figure> figures;
  const auto is_chosen = [&](const std::string& name) {
    if (!setting.only.empty() && setting.only != name) return false;
    show_progress("web: " + name);
    return true;
  };
  const auto take = [&](std::vector<Figure> more) {
    for (Figure& figure : more) figures.push_back(std::move(figure));
  };
  std::optional<PageScript> page;
  for (const BrowserPart& part : browser_parts()) {
    if (!is_chosen(part.name)) continue;
    if (!page) page.emplace(setting.scratch + "/page");
    if (page->missing().empty()) take(part.measure(setting, *page));
    if (page->missing().empty()) continue;
    for (const std::string& row : part.rows) figures.push_back(missing_figure(row, page->missing()));
  }
  for (const SocketPart& part : socket_parts()) {
    if (is_chosen(part.name)) take(part.measure(setting));
  }
  if (page && !page->missing().empty()) {
    clear_progress();
    fprintf(stderr, "luzia-bench: the parts with a browser were not measured: %s\n", page->missing().c_str());
  }
  return figures;
}

}  // namespace luzia::bench
