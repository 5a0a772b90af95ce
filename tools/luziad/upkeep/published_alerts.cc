#include "tools/luziad/upkeep/published_alerts.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "engine/base/characters.h"
#include "engine/base/lower_case.h"
#include "projections/alerts.h"
#include "tools/luziad/base/command_meta.h"
#include "tools/luziad/base/time_limits.h"
#include "tools/luziad/upkeep/config_watch.h"
#include "tools/luziad/upkeep/login_watch.h"
#include "tools/luziad/upkeep/scrub.h"

namespace luzia {
namespace {

constexpr std::uint64_t kDayMs = 86'400'000;
constexpr std::size_t kMostNameBytes = 64, kMostTextBytes = 16 * 1024, kMostPublished = 1'000;
constexpr TimeUs kLongestSleep = 3'600 * kSecondUs;
/// What Luzia measures itself.
constexpr std::array<std::string_view, 6> kMeasured = {"memory", "memory_pressure", "load",
                                                       "disk",   kStoreDamaged,     kConfigRefused};

bool is_measured_alert(std::string_view name) {
  return std::ranges::find(kMeasured, name) != kMeasured.end() || name.starts_with(kLoginRefused);
}

/// "RESOURCE_WARNING" is named resource_warning.
std::string alert_name(const std::string& type) {
  std::string name = lower_case(type.empty() ? "system_alert" : type);
  std::ranges::replace_if(
      name, [](char c) { return !is_letter_or_digit(c) && c != '-'; }, '_');
  return name;
}

Status check_alert(const schema::SystemAlertReportedT& report, const std::string& name) {
  const auto bad = [](const std::string& why) { return fail(ErrorKind::usage, "bad_field", why); };
  if (is_blank(report.message)) return bad("message is empty: say what the alert is about");
  if (std::max(report.message.size(), report.recommendation.size()) > kMostTextBytes) {
    return bad("message or recommendation is longer than 16 KiB");
  }
  if (name.size() > kMostNameBytes) return bad("alert_type is longer than 64 bytes");
  if (is_measured_alert(name)) return bad("alert_type: Luzia measures '" + name + "' itself");
  return {};
}

Status check_caller(const Caller& caller, const std::string& doing) {
  if (caller.trusted) return {};
  return fail(ErrorKind::refused, "not_allowed", caller.name + " may not " + doing + " alerts of the machine",
              "root and the daemon's user may");
}

SystemNote raised_note(const std::string& name, schema::SystemAlertReportedT report, TimeUs expires) {
  schema::AlertRaisedT fact;
  fact.alert = name;
  fact.alert_type = report.alert_type.empty() ? "SYSTEM_ALERT" : std::move(report.alert_type);
  fact.severity = report.severity;
  fact.message = std::move(report.message);
  fact.recommendation = std::move(report.recommendation);
  fact.expires_us = expires;
  return {domain_fact(std::move(fact))};
}

SystemNote ended_note(const std::string& name) {
  schema::AlertEndedT fact;
  fact.alert = name;
  return {domain_fact(std::move(fact))};
}

}  // namespace

void PublishedAlerts::load(const ViewReader& rows) {
  for (const view::AlertT& alert : open_alerts(rows)) {
    if (alert.expires_us != 0) open_[alert.alert] = alert.expires_us;
  }
  arm();
}

Status PublishedAlerts::publish(const RequestId& to, const Caller& caller, const wire::Publish& request) {
  wire::PublishT copy;
  request.UnPackTo(&copy);
  const auto* report = copy.report.AsSystemAlertReported();
  if (report == nullptr) {
    return fail(ErrorKind::usage, "no_job", "publishing: only a system_alert needs no job",
                "luzia publish KIND JOB ...");
  }
  const std::string name = alert_name(report->alert_type);
  const std::uint64_t lasts_ms = copy.expires_ms == 0 ? kDayMs : copy.expires_ms;
  LUZIA_TRY(check_caller(caller, "publish"));
  LUZIA_TRY(check_alert(*report, name));
  LUZIA_TRY(check_duration("the time until it expires", lasts_ms, "leave it out for a day"));
  if (open_.size() >= kMostPublished && !open_.contains(name)) {
    return fail(ErrorKind::refused, "too_many_alerts", "1000 published alerts are open",
                "luzia alert clear ends them");
  }
  CommandMeta meta = meta_of(caller, copy, schema::ActorKind::person);
  const TimeUs expires = meta.now + static_cast<TimeUs>(lasts_ms) * kMillisecondUs;
  return submit_and_reply(desk_, to, meta, raised_note(name, *report, expires));
}

Status PublishedAlerts::clear(const RequestId& to, const Caller& caller, const wire::ClearAlerts& request) {
  wire::ClearAlertsT copy;
  request.UnPackTo(&copy);
  LUZIA_TRY(check_caller(caller, "clear"));
  if (copy.alerts.empty()) {
    for (const auto& [name, expires] : open_) copy.alerts.push_back(name);
  }
  std::ranges::sort(copy.alerts);
  copy.alerts.erase(std::ranges::unique(copy.alerts).begin(), copy.alerts.end());
  const auto rows = views_.snapshot();
  std::erase_if(copy.alerts, [this, &rows](const std::string& name) {
    const auto row = read_row<view::Alert>(*rows, kAlertsView, name);
    return !open_.contains(name) && row && (*row)->expires_us() != 0;  // it has ended already
  });
  for (const std::string& name : copy.alerts) {
    if (open_.contains(name)) continue;
    if (is_measured_alert(name)) {
      return fail(ErrorKind::refused, "alert_measured",
                  "cannot clear '" + name + "': Luzia measures it, and it ends by itself",
                  "[monitor] in luzia.toml sets its limits");
    }
    return fail(ErrorKind::not_found, "no_such_alert", "no published alert '" + name + "' is open",
                "luzia status --alerts lists them");
  }
  CommandMeta meta = meta_of(caller, schema::ActorKind::person);
  auto names = std::make_shared<std::vector<std::string>>(std::move(copy.alerts));
  if (names->empty()) return send_reply(desk_, to, wire::AcceptedT());
  for (const std::string& name : *names) {
    const bool is_last = name == names->back();
    desk_.engine.submit(meta, ended_note(name), [this, to, names, is_last](const Result<Outcome>& outcome) {
      if (!outcome) return is_last ? refuse(desk_, to, outcome.error()) : void();
      if (!is_last) return;
      wire::AcceptedT accepted;
      accepted.ids = *names;
      accepted.position = outcome->position;
      send_reply(desk_, to, std::move(accepted));
    });
  }
  return {};
}

void PublishedAlerts::committed(const std::shared_ptr<const Group>& group) {
  bool changed = false;
  for (const schema::Event* event : group->events()) {
    const auto* alert = event->payload_as_AlertEvent();
    if (alert == nullptr) continue;
    if (const auto* raised = alert->fact_as_AlertRaised(); raised != nullptr && raised->expires_us() != 0) {
      open_[std::string(text(raised->alert()))] = raised->expires_us();
      changed = true;
    }
    if (const auto* ended = alert->fact_as_AlertEnded()) {
      changed = open_.erase(std::string(text(ended->alert()))) > 0 || changed;
    }
  }
  if (changed) arm();
}

void PublishedAlerts::clock_stepped(TimeUs /*step*/) {
  arm();
}

void PublishedAlerts::arm() {
  if (!timer_ || open_.empty()) return;
  const auto first = std::ranges::min_element(open_, {}, [](const auto& each) { return each.second; });
  // Not for long at once: the wall clock may be set.
  const TimeUs left = std::clamp<TimeUs>(first->second - wall_now(), 0, kLongestSleep);
  timer_->start(static_cast<std::uint64_t>(left / kMillisecondUs) + 1, [this] { end_due(); });
}

void PublishedAlerts::end_due() {
  const TimeUs now = wall_now();
  for (const auto& [name, expires] : open_) {
    if (expires <= now) desk_.engine.submit(by_daemon(now), ended_note(name), {});
  }
  std::erase_if(open_, [now](const auto& each) { return each.second <= now; });
  arm();
}

}  // namespace luzia
