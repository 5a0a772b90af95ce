// What happens to an order, as one table of transitions. PostgreSQL with orders.sql and MemoryFleet, by which
// the simulation goes, both have to pass it: else the simulation would prove something about another
// database.
#pragma once

#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tools/luzia-fleet/order_ports.h"

namespace luzia::test {

/// A database that the table runs against. Answers in words: the state of the order, or the SQLSTATE.
class OrdersUnderTest {
 public:
  virtual ~OrdersUnderTest() = default;
  virtual OrderDatabase& machine(const std::string& site) = 0;
  virtual std::string place(const std::string& id, const std::string& to, const std::string& kind,
                            const std::string& about, int seconds) = 0;
  virtual std::string look(const std::string& id) = 0;
  virtual std::string withdraw(const std::string& id) = 0;
  virtual void add_job(const std::string& job, const std::string& site) = 0;
  virtual void pass(int seconds) = 0;
};

/// One line each: `WORDS -> ANSWER`. A machine names its last claim of the order; `claims MS`: none younger.
inline constexpr const char* kOrderTransitions = R"(
# A claim covers the start only, and its fence ends with the next claim.
one offers dispatch,cancel,retry gpu -> ok
two offers dispatch,cancel,retry gpu -> ok
place o1 any dispatch - 3600 -> open
place o1 any dispatch - 3600 -> open
place o1 two dispatch - 3600 -> LZ004
one claims -> o1
two claims -> none
pass 29 -> ok
two claims -> none
pass 2 -> ok
two claims -> o1
one accepts o1 ja -> no
one finishes o1 -> ok
look o1 -> claimed
two accepts o1 jb -> yes
two accepts o1 jb -> yes
two accepts o1 jc -> no
pass 60 -> ok
one claims -> none
two accepted -> o1
withdraw o1 -> LZ006
two finishes o1 -> ok
two refuses o1 -> ok
look o1 -> done
two accepts o1 jb -> yes
two accepted -> none
place o1 any dispatch - 3600 -> done

# A late acceptance within the order's time holds if nobody else has claimed it.
place late any dispatch - 3600 -> open
one claims -> late
pass 40 -> ok
one accepts late ja -> yes
one finishes late -> ok

# Who has ended comes back: what it had claimed is open, what it had accepted is its own.
place o2 one dispatch - 3600 -> open
place o3 one dispatch - 3600 -> open
one claims -> o2
one accepts o2 ja -> yes
one claims -> o3
one lets go -> ok
look o2 -> accepted
look o3 -> open
one accepts o3 jb -> no
two claims -> none
one claims -> o3
one finishes o2 -> ok
one refuses o3 -> ok
look o3 -> refused

# An order expires unless it is claimed or accepted.
place o4 any dispatch - 20 -> open
place o5 any dispatch - 20 -> open
one claims -> o4
pass 25 -> ok
look o4 -> claimed
look o5 -> expired
two claims -> none
one accepts o4 ja -> yes
one finishes o4 -> ok
place o6 any dispatch - 20 -> open
one claims -> o6
pass 31 -> ok
one accepts o6 ja -> no
look o6 -> expired

# Who cannot do it passes it on; if none is left, it is refused.
place o7 gpu dispatch - 3600 -> open
one claims -> o7
one passes o7 -> ok
look o7 -> open
one claims -> none
one passes o7 -> ok
two claims -> o7
two passes o7 -> ok
look o7 -> refused
place o8 any dispatch - 3600 -> open
one claims -> o8
withdraw o8 -> refused
one accepts o8 ja -> no
one passes o8 -> ok
look o8 -> refused
withdraw o8 -> refused

# An order about a job goes to its machine; one that replaces it goes to another, and fences it.
job mine one -> ok
place o9 any cancel none 3600 -> LZ005
place o9 two cancel mine 3600 -> LZ005
place o9 any cancel mine 3600 -> open
two claims -> none
one claims -> o9
one finishes o9 -> ok
place o10 any dispatch mine 3600 -> open
one claims -> none
two claims -> o10
one fences -> none
two accepts o10 jb -> yes
one fences -> mine
two fences -> none
one hears mine o9 -> ok
one fences -> mine
one hears mine o10 -> ok
one fences -> none
two finishes o10 -> ok

# One for several machines is left to those with more room until it has some age, and after a claim that ended.
place o12 any dispatch - 3600 -> open
one claims 60000 -> none
pass 70 -> ok
one claims 60000 -> o12
pass 31 -> ok
one claims 60000 -> none
pass 11 -> ok
one claims 60000 -> o12
one finishes o12 -> ok
place o13 one dispatch - 3600 -> open
one claims 60000 -> o13
one finishes o13 -> ok

# What no machine takes cannot be ordered.
one offers cancel -> ok
two offers - -> ok
place o11 any dispatch - 3600 -> LZ005
place o11 two cancel mine 3600 -> LZ005
place o11 any dispatch mine 3600 -> LZ005
look o11 -> none
withdraw o11 -> none
)";

/// Runs one line after the other. Returns what was different, or "".
class OrderContract {
 public:
  explicit OrderContract(OrdersUnderTest& orders) : orders_(orders) {}

  std::string run(const std::string& table) {
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t arrow = line.find(" -> ");
      if (arrow == std::string::npos) continue;
      const std::string answer = act(line.substr(0, arrow)), wanted = line.substr(arrow + 4);
      if (answer != wanted) return line + ", but the answer is " + answer;
    }
    return "";
  }

 private:
  static std::vector<std::string> names_in(const std::string& list) {
    std::vector<std::string> names;
    std::istringstream words(list);
    for (std::string name; std::getline(words, name, ',');) {
      if (name != "-") names.push_back(name);
    }
    return names;
  }
  static std::string said(const Status& done) { return done ? "ok" : done.error().message; }

  std::string act(const std::string& words) {
    std::istringstream in(words);
    std::string who, what, first, second;
    in >> who;
    if (who == "place") {
      std::string kind, about;
      int seconds = 0;
      in >> first >> second >> kind >> about >> seconds;
      return orders_.place(first, second, kind, about == "-" ? "" : about, seconds);
    }
    in >> what >> first >> second;
    if (who == "look") return orders_.look(what);
    if (who == "withdraw") return orders_.withdraw(what);
    if (who == "pass") return orders_.pass(std::stoi(what)), "ok";
    if (who == "job") return orders_.add_job(what, first), "ok";
    return machine_acts(who, what, first, second);
  }

  std::string machine_acts(const std::string& who, const std::string& what, const std::string& first,
                           const std::string& second) {
    OrderDatabase& machine = orders_.machine(who);
    const std::int64_t fence = fences_[who + " " + first];
    if (what == "offers") return said(machine.offer(rules_[who] = {names_in(first), names_in(second)}));
    if (what == "claims")
      return claim(machine, who, std::chrono::milliseconds(first.empty() ? 0 : std::stoi(first)));
    if (what == "accepts") {
      const auto accepted = machine.accept(first, fence, second);
      return accepted ? (*accepted ? "yes" : "no") : accepted.error().message;
    }
    if (what == "finishes") {
      wire::ReplyUnion reply;
      reply.Set(wire::AcceptedT());
      return said(machine.finish(first, fence, std::move(reply)));
    }
    const Error error{ErrorKind::refused, "no", "it cannot be done", ""};
    if (what == "refuses") return said(machine.finish(first, fence, tl::unexpected(error)));
    if (what == "passes") return said(machine.pass(first, fence, error));
    if (what == "lets") return said(machine.release_claims());
    if (what == "hears") return said(machine.hear_fence({first, "", second, ""}, "cancelled"));
    std::string list;
    if (what == "accepted") {
      for (const AcceptedOrder& order : machine.accepted().value_or(std::vector<AcceptedOrder>()))
        list += order.id;
    } else {
      for (const FencedJob& fenced : machine.fences().value_or(std::vector<FencedJob>())) list += fenced.job;
    }
    return list.empty() ? "none" : list;
  }

  std::string claim(OrderDatabase& machine, const std::string& who, std::chrono::milliseconds least_age) {
    const auto order = machine.claim(rules_[who], least_age);
    if (!order) return order.error().message;
    if (!*order) return "none";
    fences_[who + " " + (*order)->id] = (*order)->fence;
    return (*order)->id;
  }

  OrdersUnderTest& orders_;
  std::map<std::string, OrderRules> rules_;
  std::map<std::string, std::int64_t> fences_;
};

}  // namespace luzia::test
