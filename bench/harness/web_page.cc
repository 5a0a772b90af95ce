// The parts of web that need a browser.
#include <algorithm>

#include "bench/harness/driving.h"
#include "bench/harness/event_load.h"
#include "bench/harness/progress.h"
#include "bench/harness/web_parts.h"
#include "bench/harness/web_subject.h"

namespace luzia::bench {
namespace {

using PageJson = nlohmann::json;

constexpr int kFewJobs = 12;
constexpr double kMib = 1 << 20, kMostScrolling = 900;  // seconds
constexpr const char* kLittleBefore = "--seconds before";
constexpr std::string_view kWord = "Narwhal", kLastLine = "the end of it all";

PageJson address_of(const WebSubject& web) {
  return {{"url", web.url()}, {"code", web.code()}};
}

/// Times in ms, of which the median counts.
Figure ms_figure(const std::string& name, const std::vector<double>& times, double bound_ms) {
  Figure figure = plain_figure(name, median(times), "ms");
  const auto [low, high] = std::minmax_element(times.begin(), times.end());
  figure.spread = figure.value > 0 ? (*high - *low) / figure.value : 0;
  figure.goal = "<= " + std::to_string(static_cast<int>(bound_ms)) + " ms";
  figure.met = figure.value <= bound_ms;
  return figure;
}

Figure lateness_figure(const std::string& name, const std::vector<double>& late_ms,
                       const Latencies& at_socket) {
  Latencies late;
  for (const double each : late_ms) late.add(each / 1e3);
  Figure figure = plain_figure(name, late.percentile_us(0.5) / 1e3, "ms");
  figure.p50_us = late.percentile_us(0.5);
  figure.p99_us = late.percentile_us(0.99);
  figure.yardstick = "the same events at a follower of the socket, p50, ms";
  figure.yardstick_value = at_socket.percentile_us(0.5) / 1e3;
  figure.goal = "p50 <= 50 ms, p99 <= 200 ms";
  figure.met = *figure.p50_us <= 5e4 && *figure.p99_us <= 2e5;
  return figure;
}

/// Frames while something moves, beside the same page at rest.
std::vector<Figure> frame_figures(const std::string& name, const PageJson& moving, const PageJson& still) {
  Figure slow = plain_figure(name + ", frames over 50 ms", number_in(moving, "slow"), "frames");
  slow.yardstick = "frames";
  slow.yardstick_value = number_in(moving, "frames");
  slow.goal = "0";
  slow.met = slow.value == 0;
  Figure longest = plain_figure(name + ", longest frame", number_in(moving, "longest_ms"), "ms");
  longest.yardstick = "while nothing moves, ms";
  longest.yardstick_value = number_in(still, "longest_ms");
  longest.goal = "<= 50 ms";
  longest.met = longest.value <= 50;
  return {slow, longest};
}

/// What the tab keeps once garbage is collected, beside what it kept before.
Figure kept_figure(const std::string& name, const PageJson& kept, const std::string& before) {
  Figure figure = plain_figure(name, number_in(kept, "after") / kMib, "MiB");
  figure.yardstick = before + ", MiB";
  figure.yardstick_value = number_in(kept, "before") / kMib;
  figure.goal = "<= 1.2 x the yardstick";
  figure.met = figure.ratio() <= 1.2;
  return figure;
}

/// A running daemon in whose store so many jobs have ended.
struct Filled {
  Filled(const Setting& setting, const std::string& folder, std::uint64_t jobs)
      : subject(setting.bin, setting.scratch + '/' + folder, 4) {
    HistoryShape shape;
    shape.jobs = jobs;
    shape.terse = true;
    count = static_cast<double>(fill_store(subject, shape).jobs);
    subject.start();
  }
  std::string in_store() const {
    return ", " + std::to_string(static_cast<std::uint64_t>(count)) + " jobs in the store";
  }
  Subject subject;
  double count = 0;
};

/// A job that has printed so many bytes, then a word, then a last line.
std::string printed_job(Client& client, std::uint64_t bytes) {
  const std::string line = "yes 'compiling src/module_000123.cc, a line of a build like any other'";
  return dispatch_all(client,
                      line + " | head -c " + std::to_string(bytes) + "; printf '\\nlook for the " +
                          std::string(kWord) + " here\\n" + std::string(kLastLine) + "\\n'",
                      1)
      .front();
}

/// How long grep takes to find the word in the same file, ms.
double grep_ms(const std::string& file, double seconds) {
  return run_program({"/bin/grep", "-F", "-i", "-c", std::string(kWord), file}, seconds).percentile_us(0.5) /
         1e3;
}

}  // namespace

std::vector<Figure> measure_live(const Setting& setting, PageScript& page) {
  Subject subject(setting.bin, setting.scratch + "/live", kLoadedJobs);
  subject.start();
  const WebSubject web(subject);
  EventLoad load(subject, kWebEventsPerSecond);
  EventFollower follower(subject);
  const PageJson answer = page.run("live", {{"server", address_of(web)}, {"seconds", setting.seconds}});
  load.stop();
  const Latencies at_socket = follower.stop().late;
  if (answer.is_null()) return {};
  return {
      lateness_figure("event to the page's stream, 200 events/s", numbers_in(answer, "heard_ms"), at_socket),
      lateness_figure("event to the screen of Now, 200 events/s", numbers_in(answer, "shown_ms"), at_socket),
      kept_figure("Now: memory that the tab keeps, 200 events/s", object_in(answer, "now"), kLittleBefore),
      kept_figure("Job: memory that the tab keeps, 200 events/s", object_in(answer, "job"), kLittleBefore)};
}

std::vector<Figure> measure_now(const Setting& setting, PageScript& page) {
  Subject few(setting.bin, setting.scratch + "/few", 4);
  few.start();
  Client client = few.connect();
  wait_for_all(client, dispatch_all(client, "true", kFewJobs));
  const WebSubject few_web(few);
  std::vector<Figure> figures;
  double page_bytes = 0;
  for (const std::uint64_t size : setting.web_sizes) {
    const Filled full(setting, "full", size);
    const WebSubject full_web(full.subject);
    const PageJson answer = page.run("now", {{"full", address_of(full_web)},
                                             {"few", address_of(few_web)},
                                             {"repetitions", std::max(3, setting.repetitions)}});
    if (answer.is_null()) return {};
    Figure figure =
        ms_figure("first view of Now, cold page" + full.in_store(), numbers_in(answer, "full"), 500);
    figure.size = full.count;
    figure.yardstick = "with " + std::to_string(kFewJobs) + " jobs, ms";
    figure.yardstick_value = median(numbers_in(answer, "few"));
    figures.push_back(figure);
    page_bytes = number_in(answer, "page_bytes");
  }
  Figure sent = plain_figure("the page's files, compressed", page_bytes / 1024, "KiB");
  sent.goal = "<= 200 KiB";
  sent.met = sent.value > 0 && sent.value <= 200;
  figures.push_back(sent);
  return figures;
}

std::vector<Figure> measure_jobs(const Setting& setting, PageScript& page) {
  std::vector<Figure> figures;
  for (const std::uint64_t size : setting.web_sizes) {
    const Filled full(setting, "scrolled", size);
    const WebSubject web(full.subject);
    const PageJson answer =
        page.run("jobs", {{"server", address_of(web)}, {"jobs", full.count}, {"seconds", kMostScrolling}});
    if (answer.is_null()) return {};
    const PageJson& moving = object_in(answer, "scrolled");
    Figure rows = plain_figure("Jobs scrolled through" + full.in_store(), number_in(moving, "rows"), "jobs");
    rows.yardstick = "jobs in the store";
    rows.yardstick_value = full.count;
    rows.goal = "all of them";
    rows.met = rows.value >= full.count;
    const PageJson& still = object_in(answer, "still");
    std::vector<Figure> more{rows};
    for (Figure& each : frame_figures("Jobs scrolled through" + full.in_store(), moving, still))
      more.push_back(std::move(each));
    for (Figure& each : frame_figures("Jobs scrolled by wheel, keys and bar" + full.in_store(),
                                      object_in(answer, "by_hand"), still)) {
      more.push_back(std::move(each));
    }
    more.push_back(kept_figure("Jobs: memory that the tab keeps" + full.in_store(), object_in(answer, "kept"),
                               "after the first jobs"));
    for (Figure& figure : more) {
      figure.size = full.count;
      figures.push_back(std::move(figure));
    }
  }
  return figures;
}

std::vector<Figure> measure_output(const Setting& setting, PageScript& page) {
  Subject subject(setting.bin, setting.scratch + "/output", 4);
  subject.start();
  Client client = subject.connect();
  const std::string large = printed_job(client, setting.log_bytes), small = printed_job(client, 64 << 10);
  show_progress("web: printing");
  wait_for_all(client, {large, small});
  const WebSubject web(subject);
  const PageJson answer = page.run("output", {{"server", address_of(web)},
                                              {"large", large},
                                              {"small", small},
                                              {"last", kLastLine},
                                              {"word", kWord},
                                              {"repetitions", std::max(3, setting.repetitions)}});
  if (answer.is_null()) return {};
  const std::string mib = std::to_string(setting.log_bytes >> 20) + " MiB";
  Figure opened = ms_figure("end of an output in the page, " + mib, numbers_in(answer, "large"), 300);
  opened.yardstick = "of an output of 64 KiB, ms";
  opened.yardstick_value = median(numbers_in(answer, "small"));
  Figure found = plain_figure("finding a word in an output, " + mib, number_in(answer, "find_ms"), "ms");
  found.yardstick = "grep -F -i -c, ms";
  found.yardstick_value = grep_ms(subject.home() + "/jobs/" + large + "/output.log", setting.seconds);
  found.goal = "(for comparison)";
  found.met = true;
  std::vector<Figure> figures =
      frame_figures("output scrolled, " + mib, object_in(answer, "scrolled"), object_in(answer, "still"));
  figures.insert(figures.begin(), opened);
  figures.push_back(found);
  return figures;
}

}  // namespace luzia::bench
