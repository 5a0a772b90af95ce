#include "tools/read/order_report.h"

#include <algorithm>

#include "engine/base/characters.h"
#include "engine/base/joined_names.h"

namespace luzia {
namespace {

constexpr std::size_t kMostOrderText = 500;

std::string order_text_of(const Json& object, const char* name) {
  return without_control_characters(text_of(object, name));
}

std::vector<std::string> order_names_of(const Json& object, const char* name) {
  std::vector<std::string> names;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return names;
  for (const Json& each : *found) {
    if (each.is_string()) names.push_back(without_control_characters(each.get<std::string>()));
  }
  return names;
}

/// What operators and other machines wrote. The whole report has to fit into what a reader takes.
std::string short_text(const std::string& text) {
  return shortened(without_control_characters(text), kMostOrderText);
}

void write_refused_order(JsonObject& object, const RefusedOrder& order) {
  object.text("id", short_text(order.id));
  object.text("kind", short_text(order.kind));
  object.text("project", short_text(order.project));
  object.text("person", short_text(order.person));
  object.time("at", order.at);
  object.text("message", short_text(order.message));
  object.text("hint", short_text(order.hint));
}

}  // namespace

void write_order_report(JsonObject& status, const OrderReport& report) {
  status.begin("orders");
  status.strings("kinds", report.kinds);
  status.strings("labels", report.labels);
  status.strings("people", report.people);
  status.objects("refused", report.refused, write_refused_order);
  status.text_or_null("error", report.error);
  status.end();
}

OrderReport read_order_report(const Json& status) {
  OrderReport report;
  const auto orders = status.find("orders");
  if (orders == status.end() || !orders->is_object()) return report;
  report.kinds = order_names_of(*orders, "kinds");
  report.labels = order_names_of(*orders, "labels");
  report.people = order_names_of(*orders, "people");
  report.error = order_text_of(*orders, "error");
  const auto refused = orders->find("refused");
  if (refused == orders->end() || !refused->is_array()) return report;
  for (const Json& each : *refused) {
    if (!each.is_object()) continue;
    report.refused.push_back({order_text_of(each, "id"), order_text_of(each, "kind"),
                              order_text_of(each, "project"), order_text_of(each, "person"),
                              parse_time(text_of(each, "at"), 0).value_or(0), order_text_of(each, "message"),
                              order_text_of(each, "hint")});
  }
  return report;
}

std::string order_rules_text(const OrderReport& report, const std::string& site) {
  if (report.kinds.empty()) return {};
  std::vector<std::string> names = {site};
  names.insert(names.end(), report.labels.begin(), report.labels.end());
  std::vector<std::string> people = report.people;
  people.emplace_back("who owns the database");
  return "fleet: takes orders to " + joined_names(report.kinds) + ", as " + joined_names(names) +
         " or any, from " + joined_names(people);
}

std::string refused_order_text(const RefusedOrder& order, TimeUs now) {
  return "order " + order.id + " of " + order.person + ", to " + order.kind + " in " + order.project +
         ", was refused " + format_duration(std::max<TimeUs>(0, now - order.at)) + " ago: " + order.message;
}

}  // namespace luzia
