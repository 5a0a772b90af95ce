#include "tools/luziad/hooks/hooks.h"

#include <spdlog/spdlog.h>

#include "adapters/notify/quiet_time.h"
#include "engine/base/failpoint.h"
#include "projections/flows.h"
#include "projections/hooks.h"
#include "projections/jobs.h"
#include "projections/query.h"
#include "projections/rows/row_bytes.h"
#include "tools/luziad/hooks/hook_notices.h"
#include "tools/luziad/hooks/hook_recall.h"

namespace luzia {
namespace {

/// How long it counts that somebody looks at the page, unless that is repeated.
constexpr TimeUs kPagesCount = kMinuteUs;
/// A device chose the address to which each of its samples is sent.
constexpr unsigned kMostSamplesAMinute = 10;
constexpr std::size_t kEventsAtOnce = 20'000;  // of the past, read in one turn of a worker

/// The stream that holds the project of a job or flow.
std::string stream_of_subject(const std::string& subject) {
  return subject.starts_with("f-") ? flow_stream(subject) : "job/" + subject;
}

bool changes_pushes(const schema::Event* event) {
  const auto* device = event->payload_as_DeviceEvent();
  return device != nullptr &&
         (device->fact_as_PushSubscribed() != nullptr || device->fact_as_PushEnded() != nullptr ||
          device->fact_as_DeviceRevoked() != nullptr);
}

}  // namespace

/// The past events that a worker has read.
struct Hooks::Past {
  Position from = 0, until = 0;  // range read: (from, until]
  std::vector<Seen> seen;
  std::unique_ptr<ViewReader> rows;
  Status status;
};

// --------------------------------------------------------------------------------------- configuration

void Hooks::start(std::string socket) {
  surroundings_.socket = std::move(socket);
  config_changed();
}

void Hooks::config_changed() {
  const auto plans = hook_plans(desk_.config, surroundings_, desk_.engine.devices().known());
  std::map<std::string, Position> known;
  for (const auto& row : hook_cursors(*store_.views.snapshot())) known.emplace(row.hook, row.position);
  std::erase_if(hooks_, [&](const auto& entry) {
    return std::none_of(plans.begin(), plans.end(),
                        [&](const auto& plan) { return plan->rule.name == entry.first; });
  });
  for (const auto& plan : plans) {
    const std::string& name = plan->rule.name;
    if (const auto it = hooks_.find(name); it != hooks_.end()) {
      it->second.plan = plan;
      it->second.current = std::make_shared<const bool>(true);
      it->second.progress.change(plan->rule);
      pump(name);
      continue;
    }
    auto cursor = known.find(name);
    const bool is_new = cursor == known.end();
    // A hook that gets quiet hours only now continues from its old position.
    if (is_new && !plan->digests) cursor = known.find(plan->name);
    // A device that takes pushes again is not notified of what came in between.
    const Position recorded = cursor == known.end() ? 0 : cursor->second;
    const bool begins = is_new || recorded < plan->since;
    const Position position =
        cursor == known.end() && plan->since == 0 ? desk_.engine.durable() : std::max(recorded, plan->since);
    Hook& hook = hooks_.try_emplace(name, plan, position, threads_.loop).first->second;
    hook.recalled = plan->rule.cooldown_ms == 0 || position == 0;
    if (begins) note(0, domain_fact(schema::HookRegisteredT{{}, name, position}));
  }
  recall();
  read_past();
}

void Hooks::note(Position cause, schema::SystemFactUnion fact) {
  desk_.engine.submit(by_daemon(wall_now(), cause), SystemNote{std::move(fact)}, {});
}

void Hooks::record_position(Hook& hook) {
  const Position position = hook.progress.done();
  note(0, domain_fact(schema::HookRegisteredT{{}, hook.plan->rule.name, position}));
  hook.progress.recorded_at(position);
}

void Hooks::stop() {
  if (std::exchange(stopping_, true)) return;
  for (auto& [name, hook] : hooks_) {
    hook.timer.stop();
    if (hook.progress.done() >= hook.progress.recorded_position() + kRecordAtStopAfter) record_position(hook);
  }
}

void Hooks::close() {
  stopping_ = true;
  deliveries_.reset();
  pushes_.reset();
  hooks_.clear();
}

void Hooks::clock_stepped(TimeUs step) {
  for (auto& [name, hook] : hooks_) {
    hook.progress.clock_stepped(step);
    if (hook.armed_for != 0) hook.armed_for += step;  // the timer uses the monotonic clock
  }
  std::vector<std::string> by_the_day;
  for (auto& [name, hook] : hooks_) {
    if (hook.plan->quiet) by_the_day.push_back(name);
  }
  for (const std::string& name : by_the_day) {
    hooks_.at(name).armed_for = 0;  // quiet hours follow the wall clock
    pump(name);
  }
}

/// Loads what earlier daemons delivered to hooks with a cooldown.
void Hooks::recall() {
  auto work = std::make_shared<std::pair<std::vector<DeliveredTo>, Result<std::vector<Delivered>>>>();
  for (const auto& [name, hook] : hooks_) {
    if (!hook.recalled) {
      work->first.push_back({name, hook.progress.recorded_position(), hook.plan->rule.cooldown_ms});
    }
  }
  if (work->first.empty()) return;
  const Position durable = desk_.engine.durable();
  threads_.workers.run(
      [work, durable, &log = store_.log, rows = std::shared_ptr<const ViewReader>(store_.views.snapshot())] {
        work->second = delivered_before(log, rows, work->first, durable);
      },
      [this, work] {
        if (stopping_) return;
        if (!work->second) {
          spdlog::error("hooks: reading what was delivered before: {}", work->second.error().message);
        } else {
          for (const Delivered& told : *work->second) {
            if (const auto it = hooks_.find(told.hook); it != hooks_.end())
              it->second.progress.notified_before(told.event);
          }
        }
        for (const DeliveredTo& each : work->first) {
          const auto it = hooks_.find(each.hook);
          if (it == hooks_.end()) continue;
          it->second.recalled = true;
          pump(each.hook);
        }
      });
}

// ---------------------------------------------------------------------------------------------- events

bool Hooks::needs_project(const HookEvent& event) const {
  const auto is_narrow = [](const Page& page) { return !page.projects.empty(); };
  return std::ranges::any_of(looking_, is_narrow) ||
         std::any_of(hooks_.begin(), hooks_.end(), [&](const auto& entry) {
           const HookRule& rule = entry.second.plan->rule;
           return !rule.projects.empty() && (rule.on & event.mask) != 0;
         });
}

std::string Hooks::project_of(const HookEvent& event) const {
  const Flow* flow = desk_.engine.flows().find(event.subject);
  if (flow != nullptr) return flow->project;
  if (!event.project.empty() || event.subject.empty() || !needs_project(event)) return event.project;
  if (const JobState* job = desk_.engine.find_live(event.subject); job != nullptr && job->spec) {
    return job->spec->project;
  }
  return project_of_stream(*store_.views.snapshot(), stream_of_subject(event.subject));
}

void Hooks::about_to_notify(const Group& group) {
  watched_at_.clear();
  HookMask asked = 0;
  for (const auto& [name, hook] : hooks_) {
    if (hook.plan->rule.unless_watched) asked |= hook.plan->rule.on;
  }
  if (asked == 0 || stopping_) return;
  for (const schema::Event* event : group.events()) {
    const HookEvent seen = hook_event(*event);
    if ((seen.mask & asked) == 0 || seen.subject.empty()) continue;
    const bool ended = (seen.mask & mask_of(HookOn::job_ended)) != 0;
    if (watched_(seen.subject, ended)) watched_at_.insert(seen.position);
  }
}

bool Hooks::looks(const std::string& person, const std::string& project) const {
  return monotonic_now() < looking_until_ && std::ranges::any_of(looking_, [&](const Page& page) {
           const auto& shown = page.projects;
           return page.person == person &&
                  (shown.empty() || std::ranges::find(shown, project) != shown.end());
         });
}

void Hooks::committed(const std::shared_ptr<const Group>& committed_group) {
  const Group& group = *committed_group;
  if (!stopping_ && std::ranges::any_of(group.events(), changes_pushes)) config_changed();
  if (hooks_.empty() || stopping_) return;
  const auto follows = [&](const Hook& hook) {
    return hook.caught_up && !hook.progress.full() && hook.progress.seen() + 1 >= group.first_position();
  };
  for (auto& [name, hook] : hooks_) hook.caught_up = follows(hook);
  for (const schema::Event* event : group.events()) {
    HookEvent seen = hook_event(*event);
    if (seen.mask == 0 && seen.over_for == 0) continue;
    seen.watched = watched_at_.contains(seen.position);
    const std::string project = project_of(seen);
    for (auto& [name, hook] : hooks_) {
      if (hook.caught_up && hook.progress.full()) hook.caught_up = false;  // continues from the log later
      if (!hook.caught_up) continue;
      const auto* push = std::get_if<Push>(&hook.plan->way);
      HookEvent told = seen;
      told.watched = told.watched || (push != nullptr && looks(push->person, project));
      hook.progress.take(told, project);
    }
  }
  for (auto& [name, hook] : hooks_) {
    if (hook.caught_up) hook.progress.seen_up_to(group.last_position());
    if (hook.progress.done() >= hook.progress.recorded_position() + kRecordAfter) record_position(hook);
    pump(name);
  }
  read_past();
}

/// Brings all hooks that are behind up to date with one pass over the log.
void Hooks::read_past() {
  if (reading_ || stopping_) return;
  auto past = std::make_shared<Past>();
  past->from = ~Position{0};
  std::vector<std::string> now_current;
  for (auto& [name, hook] : hooks_) {
    if (hook.caught_up || hook.progress.full()) continue;
    hook.caught_up = hook.progress.seen() >= desk_.engine.durable();
    if (hook.caught_up) now_current.push_back(name);
    if (!hook.caught_up) past->from = std::min(past->from, hook.progress.seen());
  }
  const bool some_behind = past->from != ~Position{0};
  reading_ = some_behind;
  for (const std::string& name : now_current) pump(name);
  if (!some_behind) return;
  const Position durable = desk_.engine.durable();
  const auto read = [past, durable, &log = store_.log] {
    const auto cursor = log.read_from(past->from + 1);
    past->until = past->from;
    for (std::size_t looked = 0; looked < kEventsAtOnce && past->until < durable;) {
      auto group = cursor->next();
      if (!group) past->status = tl::unexpected(group.error());
      if (!group || !*group) return;
      for (const schema::Event* event : (*group)->events()) {
        HookEvent seen = hook_event(*event);
        if (seen.position <= past->from || (seen.mask == 0 && seen.over_for == 0)) continue;
        std::string project = seen.project;
        // Also for hooks that join meanwhile, or get projects.
        if (project.empty() && !seen.subject.empty() && seen.mask != 0)
          project = project_of_stream(*past->rows, stream_of_subject(seen.subject));
        past->seen.push_back({std::move(seen), std::move(project)});
      }
      looked += (*group)->events().size();
      past->until = (*group)->last_position();
    }
    if (past->status) past->status = past->rows->status();
  };
  // The rows must include the projects of the events read.
  store_.when_at(durable, [this, past, read] {
    past->rows = store_.views.snapshot();
    threads_.workers.run(read, [this, past] { take_past(*past); });
  });
}

void Hooks::take_past(const Past& past) {
  reading_ = false;
  if (stopping_) return;
  if (!past.status) {
    spdlog::error("hooks: reading events from position {} on: {}", past.from + 1,
                  past.status.error().message);
    return;  // retried with the next events
  }
  std::vector<std::string> names;
  for (auto& [name, hook] : hooks_) {
    HookProgress& progress = hook.progress;
    if (hook.caught_up || progress.seen() < past.from || progress.full()) continue;
    for (const Seen& seen : past.seen) {
      if (progress.full()) break;
      progress.take(seen.event, seen.project);
    }
    if (!progress.full()) progress.seen_up_to(past.until);
    names.push_back(name);
  }
  for (const std::string& name : names) pump(name);
  read_past();
}

// ---------------------------------------------------------------------------------------- deliveries

void Hooks::pump(const std::string& name) {
  const auto it = hooks_.find(name);
  if (it == hooks_.end() || stopping_) return;
  Hook& hook = it->second;
  if (!hook.recalled) return;
  // Whether a condition still holds is known only after reading everything that came later.
  if (hook.plan->rule.dwell_ms != 0 && !hook.caught_up && !hook.progress.full()) return;
  const bool was_full = hook.progress.full();
  for (;;) {
    const TimeUs now = wall_now();
    hook.progress.quiet_until(hook.plan->quiet ? quiet_until(*hook.plan->quiet, now) : 0);
    auto step = hook.progress.next(now);
    if (auto* record = std::get_if<HookProgress::Record>(&step)) {
      const Position position = record->fact.position;
      note(position, domain_fact(std::move(record->fact)));
      hook.progress.recorded();
      continue;
    }
    if (const auto* wait = std::get_if<HookProgress::Wait>(&step)) {
      wait_until(hook, wait->until, now);
    } else if (const auto* due = std::get_if<HookProgress::Deliver>(&step)) {
      begin(hook, due->position);
    }
    break;
  }
  if (was_full && !hook.progress.full()) read_past();
}

/// Groups arrive often: do not restart a timer that is already right.
void Hooks::wait_until(Hook& hook, TimeUs until, TimeUs now) {
  if (std::exchange(hook.armed_for, until) == until) return;
  hook.timer.start(static_cast<std::uint64_t>((until - now) / kMillisecondUs) + 1,
                   [this, name = hook.plan->rule.name] {
                     const auto it = hooks_.find(name);
                     if (it == hooks_.end()) return;
                     it->second.armed_for = 0;
                     pump(name);
                   });
}

DeliveryThreads& Hooks::threads_for(const HookPlan& plan) {
  auto& threads = std::holds_alternative<Push>(plan.way) ? pushes_ : deliveries_;
  if (!threads) threads = std::make_unique<DeliveryThreads>();
  return *threads;
}

/// A subscription that the service does not know any more is over, unless the browser has another one by now.
void Hooks::end_push(const HookPlan& plan, const Delivery& delivery, Position cause) {
  const auto* push = std::get_if<Push>(&plan.way);
  if (push == nullptr || !delivery.gone || stopping_) return;
  EndPush command{push->device, "its push service has ended it: " + delivery.result.detail,
                  push->order.endpoint};
  desk_.engine.submit(by_daemon(wall_now(), cause), ToDevices{std::move(command)}, {});
}

void Hooks::begin(Hook& hook, Position position) {
  const std::string& name = hook.plan->rule.name;
  if (store_.view_thread.position() < position) {
    // The job's row must include the event.
    if (std::exchange(hook.awaits_rows, true)) return;
    store_.when_at(position, [this, name] {
      const auto it = hooks_.find(name);
      if (it == hooks_.end()) return;
      it->second.awaits_rows = false;
      // If the rows have failed, the daemon is about to restart.
      if (store_.view_thread.status()) pump(name);
    });
    return;
  }
  hook.progress.begun();
  std::shared_ptr<const ViewReader> rows = store_.views.snapshot();
  threads_for(*hook.plan)
      .run([this, plan = hook.plan, current = std::weak_ptr(hook.current), rows, position,
            told = hook.told](const std::stop_token& stop) {
        // While it waited for a thread, its plan was changed or dropped: the device was revoked.
        if (current.expired()) {
          threads_.mailbox.post([this, name = plan->rule.name, position] { begin_again(name, position); });
          return;
        }
        const Delivery delivery = notify(*plan, store_.log, *rows, position, told, stop);
        if (stop.stop_requested() && !delivery.result.delivered) return;  // as if never tried
        threads_.mailbox.post(
            [this, name = plan->rule.name, position, delivery] { ended(name, position, delivery); });
      });
}

void Hooks::begin_again(const std::string& name, Position position) {
  const auto it = hooks_.find(name);
  if (it == hooks_.end() || stopping_) return;
  const HookProgress& progress = it->second.progress;
  if (progress.under_way() && progress.done() + 1 == position) begin(it->second, position);
}

void Hooks::ended(const std::string& name, Position position, const Delivery& delivery) {
  const auto it = hooks_.find(name);
  // Removed from the configuration meanwhile, and perhaps added again.
  if (it == hooks_.end()) return;
  const HookProgress& progress = it->second.progress;
  if (!progress.under_way() || progress.done() + 1 != position) return;
  const HookTry& result = delivery.result;
  if (result.delivered) {
    it->second.told = position;
    spdlog::debug("hook {}: notified of event {} within {} ms: {}", name, position, result.elapsed_ms,
                  delivery.output);
  } else {
    spdlog::log(result.nobody ? spdlog::level::info : spdlog::level::warn,
                "hook {}: not notified of event {}: {}", name, position, result.detail);
    if (!delivery.output.empty()) spdlog::info("hook {}: it said: {}", name, delivery.output);
  }
  failpoint("hook.told");
  const auto plan = it->second.plan;
  it->second.progress.finished(wall_now(), result);
  pump(name);
  end_push(*plan, delivery, position);
}

// ------------------------------------------------------------------------------------------- requests

Status Hooks::list(const RequestId& to, const Caller& caller, Queries& queries) {
  if (!caller.trusted) {
    return fail(ErrorKind::refused, "not_allowed", caller.name + " may not see the daemon's hooks",
                "ask its user or root");
  }
  return queries.when_current(to, [this, to] { return send_rows(to); });
}

Status Hooks::note_pages(const RequestId& to, const Caller& caller, const wire::NotePages& request) {
  if (!caller.trusted || !caller.job.empty())
    return fail(ErrorKind::refused, "not_allowed", caller.name + " may not say who looks at the page",
                "root and the daemon's user may, outside of jobs");
  looking_.clear();
  const auto* devices = request.devices();
  for (flatbuffers::uoffset_t i = 0; devices != nullptr && i < devices->size(); ++i) {
    const Device* device = desk_.engine.devices().known().find(devices->Get(i)->string_view());
    if (device != nullptr) looking_.push_back({device->person, device->projects});
  }
  looking_until_ = monotonic_now() + kPagesCount;
  return send_reply(desk_, to, wire::AcceptedT{});
}

Status Hooks::send_rows(const RequestId& to) {
  std::map<std::string, view::HookCursorT> known;
  const auto snapshot = store_.views.snapshot();
  for (auto& row : hook_cursors(*snapshot)) known.emplace(row.hook, std::move(row));
  LUZIA_TRY(snapshot->status());
  std::vector<std::string> rows;
  for (const auto& [name, hook] : hooks_) {
    view::HookCursorT row = known[name];
    row.hook = name;
    row.position = std::max(row.position, hook.progress.done());
    rows.push_back(row_bytes(row));
  }
  return send_reply(desk_, to,
                    rows_reply({wire::RowType::hook, std::move(rows), {}, desk_.engine.durable()}));
}

Status Hooks::begin_sample(const std::string& name) {
  Samples& its = samples_[name];
  const TimeUs now = monotonic_now();
  if (now - its.since >= kMinuteUs) its = {now, 0, its.under_way};
  if (its.under_way || its.number >= kMostSamplesAMinute) {
    return fail(ErrorKind::refused, "too_many_samples",
                "'" + name + "' gets one sample at a time, and at most " +
                    std::to_string(kMostSamplesAMinute) + " a minute",
                "wait a minute");
  }
  ++its.number;
  its.under_way = true;
  return {};
}

Status Hooks::try_out(const RequestId& to, const std::string& name) {
  const auto it = hooks_.find(name);
  if (it == hooks_.end()) {
    std::string known;
    for (const auto& [other, hook] : hooks_) known += (known.empty() ? "known: " : ", ") + other;
    const std::string add = name == "telegram"              ? "add [telegram] with token_file and chats"
                            : known.empty()                 ? "add [[hooks]]"
                            : name.ends_with(kDigestSuffix) ? "add digest = \"07:00\" to it"
                                                            : "";
    return fail(ErrorKind::not_found, "no_such_hook", "no hook '" + name + "' is configured",
                add.empty()
                    ? known
                    : add + " to luzia.toml, then luzia daemon reload" + (known.empty() ? "" : "; " + known));
  }
  const bool is_push = std::holds_alternative<Push>(it->second.plan->way);
  if (is_push) {
    LUZIA_TRY(begin_sample(name));
  }
  const std::shared_ptr<ViewReader> rows = store_.views.snapshot();
  threads_for(*it->second.plan).run([this, to, plan = it->second.plan, rows](const std::stop_token& stop) {
    const auto [event, delivery] = send_sample(*plan, site_, wall_now(), store_.log, *rows, stop);
    threads_.mailbox.post([this, to, plan, event = event, delivery = delivery] {
      samples_[plan->rule.name].under_way = false;
      end_push(*plan, delivery, 0);
      const HookTry& result = delivery.result;
      wire::ProgressedT reply;
      const std::string what = plan->digests ? "a digest" : "a sample " + event;
      reply.message =
          result.delivered ? "notified of " + what : "not notified of " + what + ": " + result.detail;
      reply.message += " (" + std::to_string(result.elapsed_ms) + " ms)";
      if (!delivery.output.empty()) reply.message += "\n" + delivery.output;
      reply.last = true;
      reply.failed = !result.delivered;
      send_reply(desk_, to, std::move(reply));
    });
  });
  return {};
}

}  // namespace luzia
