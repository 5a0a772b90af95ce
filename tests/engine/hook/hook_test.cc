// How one hook proceeds through the log: order, tries, and what it skips.
#include "engine/hook/hook.h"

#include "tests/matchers.h"

namespace luzia {
namespace {

using Step = HookProgress::Step;

HookRule rule(HookMask on = mask_of(HookOn::job_failed)) {
  HookRule rule;
  rule.name = "desk";
  rule.on = on;
  rule.retries = 2;
  return rule;
}

HookEvent event(Position position, HookOn on = HookOn::job_failed, TimeUs time = 0,
                const std::string& subject = "k1") {
  HookEvent event;
  event.position = position;
  event.time = time;
  event.on = on;
  event.mask = mask_of(on);
  event.subject = subject;
  return event;
}

HookEvent over(Position position, HookOn what, const std::string& subject = "k1") {
  HookEvent event;
  event.position = position;
  event.subject = subject;
  event.over_for = mask_of(what);
  return event;
}

const HookTry kTold{true, false, "", 5};
const HookTry kRefused{false, false, "exit code 1", 6};
const HookTry kNever{false, true, "HTTP status 404", 7};

/// The step as text, for tables: "deliver 3 try 1", "record 3 delivered after 1", "wait 1000", "nothing".
std::string words(const Step& step) {
  if (const auto* deliver = std::get_if<HookProgress::Deliver>(&step)) {
    return "deliver " + std::to_string(deliver->position) + " try " + std::to_string(deliver->number);
  }
  if (const auto* wait = std::get_if<HookProgress::Wait>(&step)) {
    return "wait " + std::to_string(wait->until / kMillisecondUs);
  }
  if (const auto* record = std::get_if<HookProgress::Record>(&step)) {
    return "record " + std::to_string(record->fact.position) + " " +
           schema::EnumNameHookOutcome(record->fact.outcome) + " after " + std::to_string(record->fact.tries);
  }
  return "nothing";
}

std::string fail_once(HookProgress& hook, TimeUs now, const HookTry& result = kRefused) {
  hook.begun();
  hook.finished(now, result);
  return words(hook.next(now));
}

TEST(Hook, GetsItsEventsOfItsProjects) {
  HookRule web = rule(mask_of(HookOn::job_failed) | mask_of(HookOn::job_ended));
  EXPECT_TRUE(concerns(web, event(1), "any"));
  EXPECT_FALSE(concerns(web, event(1, HookOn::job_queued), "any"));
  web.projects = {"web", "shop"};
  EXPECT_TRUE(concerns(web, event(1), "shop"));
  EXPECT_FALSE(concerns(web, event(1), "other"));
  EXPECT_FALSE(concerns(web, event(1), "")) << "an event that concerns no project";
}

TEST(Hook, CallbacksAreEndsBelowItsUrl) {
  HookRule calls = rule(mask_of(HookOn::job_ended) | mask_of(HookOn::job_failed));
  calls.callbacks_below = "https://ci.example/done/";
  HookEvent end = event(1);
  EXPECT_FALSE(concerns(calls, end, "any")) << "nobody asked for a callback";
  end.callback = "https://ci.example/done/7";
  EXPECT_TRUE(concerns(calls, end, "any"));
  end.callback = "https://ci.example.evil/done/7";
  EXPECT_FALSE(concerns(calls, end, "any"));
  calls.projects = {"web"};
  end.callback = "https://ci.example/done/7";
  EXPECT_FALSE(concerns(calls, end, "any"));
}

TEST(Hook, DeliversInOrderOneAtATime) {
  HookProgress hook(rule(), 0);
  hook.take(event(3), "");
  hook.take(event(4, HookOn::job_queued), "");
  hook.take(event(5), "");
  EXPECT_EQ(words(hook.next(0)), "deliver 3 try 1");
  hook.begun();
  EXPECT_EQ(words(hook.next(0)), "nothing") << "under way";
  hook.finished(0, kTold);
  EXPECT_EQ(words(hook.next(0)), "record 3 delivered after 1");
  EXPECT_EQ(hook.recorded_position(), 0u);
  hook.recorded();
  EXPECT_EQ(hook.recorded_position(), 3u);
  EXPECT_EQ(words(hook.next(0)), "deliver 5 try 1");
  EXPECT_EQ(hook.done(), 4u);
}

TEST(Hook, SeenEventsAreSkipped) {
  HookProgress hook(rule(), 10);
  hook.take(event(9), "");
  hook.take(event(10), "");
  EXPECT_EQ(words(hook.next(0)), "nothing");
  hook.take(event(11), "");
  hook.take(event(11), "");
  EXPECT_EQ(hook.waiting(), 1u);
}

TEST(Hook, FailedTryBacksOffThenGivesUp) {
  HookProgress hook(rule(), 0);
  hook.take(event(3), "");
  ASSERT_EQ(fail_once(hook, 0).substr(0, 4), "wait");
  const TimeUs first = std::get<HookProgress::Wait>(hook.next(0)).until;
  EXPECT_GE(first, HookProgress::kFirstPause);
  EXPECT_LE(first, HookProgress::kFirstPause * 5 / 4);
  EXPECT_EQ(words(hook.next(first)), "deliver 3 try 2");
  ASSERT_EQ(fail_once(hook, first).substr(0, 4), "wait");
  const TimeUs second = std::get<HookProgress::Wait>(hook.next(first)).until - first;
  EXPECT_GE(second, 2 * HookProgress::kFirstPause);
  EXPECT_EQ(words(hook.next(first + second)), "deliver 3 try 3");
  EXPECT_EQ(fail_once(hook, first + second), "record 3 given_up after 3");
  const auto record = std::get<HookProgress::Record>(hook.next(0)).fact;
  EXPECT_EQ(record.detail, "exit code 1");
  EXPECT_EQ(record.elapsed_ms, 6u);
  hook.recorded();
  EXPECT_EQ(words(hook.next(0)), "nothing");
}

TEST(Hook, BackoffIsDeterministicAndBounded) {
  const auto pause_after = [](std::uint32_t tries) {
    HookRule patient = rule();
    patient.retries = 100;
    HookProgress hook(patient, 0);
    hook.take(event(3), "");
    for (std::uint32_t i = 0; i < tries; ++i) fail_once(hook, 0);
    return std::get<HookProgress::Wait>(hook.next(0)).until;
  };
  EXPECT_EQ(pause_after(2), pause_after(2));
  EXPECT_LE(pause_after(60), HookProgress::kLongestPause * 5 / 4);
}

TEST(Hook, PermanentFailureIsGivenUpAtOnce) {
  HookProgress hook(rule(), 0);
  hook.take(event(3), "");
  EXPECT_EQ(fail_once(hook, 0, kNever), "record 3 given_up after 1");
}

TEST(Hook, CooldownSkipsRepeatsAboutOneSubject) {
  HookRule calm = rule(mask_of(HookOn::job_failed) | mask_of(HookOn::warning));
  calm.cooldown_ms = 1000;
  HookProgress hook(calm, 0);
  const auto tell = [&hook] {
    hook.begun();
    hook.finished(0, kTold);
    hook.recorded();
  };
  hook.take(event(1, HookOn::job_failed, 0), "");
  tell();
  hook.take(event(2, HookOn::job_failed, 999 * kMillisecondUs), "");
  EXPECT_EQ(words(hook.next(0)), "record 2 suppressed after 0");
  EXPECT_NE(std::get<HookProgress::Record>(hook.next(0)).fact.detail, "");
  hook.recorded();
  hook.take(event(3, HookOn::job_failed, 999 * kMillisecondUs, "k2"), "");
  EXPECT_EQ(words(hook.next(kSecondUs)), "deliver 3 try 1") << "another job";
  tell();
  hook.take(event(4, HookOn::warning, 999 * kMillisecondUs), "");
  EXPECT_EQ(words(hook.next(kSecondUs)), "deliver 4 try 1") << "another event";
  tell();
  hook.take(event(5, HookOn::job_failed, 1000 * kMillisecondUs), "");
  EXPECT_EQ(words(hook.next(kSecondUs)), "deliver 5 try 1") << "the cooldown is over";
}

TEST(Hook, CooldownSparesEventsThatItIsNotAbout) {
  HookRule calm = rule(mask_of(HookOn::job_failed) | mask_of(HookOn::question_asked));
  calm.cooldown_ms = 1000;
  calm.cooled = ~mask_of(HookOn::question_asked);
  HookProgress hook(calm, 0);
  for (const Position position : {1U, 2U}) {
    hook.take(event(position, HookOn::question_asked, 0), "");
    EXPECT_EQ(words(hook.next(0)), "deliver " + std::to_string(position) + " try 1");
    hook.begun();
    hook.finished(0, kTold);
    hook.recorded();
  }
}

TEST(Hook, CooldownCountsFromDeliveriesOnly) {
  HookRule calm = rule();
  calm.cooldown_ms = 1000;
  HookProgress hook(calm, 0);
  hook.take(event(1), "");
  fail_once(hook, 0, kNever);
  hook.recorded();
  hook.take(event(2, HookOn::job_failed, 1), "");
  EXPECT_EQ(words(hook.next(kSecondUs)), "deliver 2 try 1") << "the first event was not delivered";
}

TEST(Hook, DwellDeliversOnlyLastingConditions) {
  HookRule slow = rule(mask_of(HookOn::job_failed) | mask_of(HookOn::question_asked));
  slow.dwell_ms = 2000;
  HookProgress hook(slow, 0);
  hook.take(event(1, HookOn::job_failed, 0), "");
  EXPECT_EQ(words(hook.next(0)), "wait 2000");
  hook.take(over(2, HookOn::job_failed, "k2"), "");
  EXPECT_EQ(words(hook.next(0)), "wait 2000") << "another job's retry";
  hook.take(over(3, HookOn::question_asked), "");
  EXPECT_EQ(words(hook.next(0)), "wait 2000") << "another condition's end";
  hook.take(over(4, HookOn::job_failed), "");
  EXPECT_EQ(words(hook.next(0)), "record 1 suppressed after 0");
  hook.recorded();
  hook.take(event(5, HookOn::job_failed, 0), "");
  EXPECT_EQ(words(hook.next(2 * kSecondUs)), "deliver 5 try 1");
}

TEST(Hook, DwellOfAQuestionEndsWithItsOwnAnswer) {
  HookRule slow = rule(mask_of(HookOn::question_asked));
  slow.dwell_ms = 1000;
  HookProgress hook(slow, 0);
  HookEvent asked = event(1, HookOn::question_asked);
  asked.request = "q1";
  hook.take(asked, "");
  HookEvent answered = over(2, HookOn::question_asked);
  answered.request = "q2";
  hook.take(answered, "");
  EXPECT_EQ(words(hook.next(0)), "wait 1000");
  answered.position = 3;
  answered.request = "q1";
  hook.take(answered, "");
  EXPECT_EQ(words(hook.next(0)), "record 1 suppressed after 0");
}

TEST(Hook, WithoutDwellEndedConditionsAreDelivered) {
  HookProgress hook(rule(), 0);
  hook.take(event(1), "");
  hook.take(over(2, HookOn::job_failed), "");
  EXPECT_EQ(words(hook.next(0)), "deliver 1 try 1");
}

TEST(Hook, ClockStepsDoNotChangeDelays) {
  HookProgress hook(rule(), 0);
  hook.take(event(3), "");
  fail_once(hook, 0);
  const TimeUs due = std::get<HookProgress::Wait>(hook.next(0)).until;
  hook.clock_stepped(-kHourUs);
  EXPECT_EQ(words(hook.next(due - kHourUs)), "deliver 3 try 2");
}

TEST(Hook, NewRuleAppliesToWaitingEvents) {
  HookProgress hook(rule(mask_of(HookOn::job_failed) | mask_of(HookOn::warning)), 0);
  hook.take(event(1, HookOn::warning), "");
  hook.take(event(2, HookOn::job_failed), "");
  hook.change(rule());
  EXPECT_EQ(words(hook.next(0)), "deliver 2 try 1");
  hook.begun();
  hook.change(rule(mask_of(HookOn::warning)));
  hook.finished(0, kTold);
  EXPECT_EQ(words(hook.next(0)), "record 2 delivered after 1") << "the delivery was in flight";
}

TEST(Hook, QuietHoursDelayDeliveriesInOrder) {
  HookProgress hook(rule(), 0);
  hook.quiet_until(5 * kSecondUs);
  hook.take(event(1), "");
  hook.take(event(2), "");
  EXPECT_EQ(words(hook.next(kSecondUs)), "wait 5000");
  hook.quiet_until(0);
  EXPECT_EQ(words(hook.next(5 * kSecondUs)), "deliver 1 try 1");
  fail_once(hook, 5 * kSecondUs);
  hook.quiet_until(kHourUs);
  EXPECT_EQ(words(hook.next(kMinuteUs)), "wait 3600000") << "a repetition waits too";
}

TEST(Hook, EventsOverAfterQuietHoursAreSkipped) {
  HookProgress hook(rule(), 0);
  hook.take(event(1), "");
  hook.quiet_until(kHourUs);
  hook.take(event(2), "");
  hook.take(event(3, HookOn::job_failed, 0, "k2"), "");
  hook.take(over(4, HookOn::job_failed), "");
  hook.quiet_until(0);
  for (const Position at : {1, 2}) {
    EXPECT_EQ(words(hook.next(kHourUs)), "record " + std::to_string(at) + " suppressed after 0");
    EXPECT_EQ(std::get<HookProgress::Record>(hook.next(kHourUs)).fact.detail,
              "over before the quiet hours had passed");
    hook.recorded();
  }
  EXPECT_EQ(words(hook.next(kHourUs)), "deliver 3 try 1");
}

TEST(Hook, WatchedEventsAreSkippedOnRequest) {
  HookEvent watched = event(1);
  watched.watched = true;
  HookProgress all(rule(), 0);
  all.take(watched, "");
  EXPECT_EQ(words(all.next(0)), "deliver 1 try 1");
  HookRule discreet = rule();
  discreet.unless_watched = true;
  HookProgress hook(discreet, 0);
  hook.take(watched, "");
  EXPECT_EQ(words(hook.next(0)), "record 1 suppressed after 0");
  EXPECT_EQ(std::get<HookProgress::Record>(hook.next(0)).fact.detail, "somebody was watching the job");
  hook.recorded();
  hook.take(event(2), "");
  EXPECT_EQ(words(hook.next(0)), "deliver 2 try 1");
}

HookEvent escalation(Position position, const std::string& to) {
  HookEvent told = event(position, HookOn::question_reminded);
  told.only_for = to;
  told.request = "q1";
  told.watched = true;
  return told;
}

TEST(Hook, EscalationReachesOnlyItsHook) {
  HookRule boss = rule();  // gets only failures, and only of one project
  boss.called = "boss";
  boss.projects = {"web"};
  boss.dwell_ms = 1000;
  boss.unless_watched = true;
  HookProgress hook(boss, 0);
  hook.take(escalation(1, "chief"), "shop");
  EXPECT_EQ(words(hook.next(0)), "nothing");
  hook.take(escalation(2, "boss"), "shop");
  EXPECT_EQ(words(hook.next(0)), "deliver 2 try 1");
  boss.on = mask_of(HookOn::question_reminded);
  boss.called = "other";
  HookProgress other(boss, 0);
  other.take(escalation(3, "boss"), "web");
  EXPECT_EQ(words(other.next(kHourUs)), "nothing") << "general reminders are a different event";
  boss.called = "boss";
  boss.escalated = mask_of(HookOn::approval_reminded);
  HookProgress urgent(boss, 0);
  urgent.take(escalation(4, "boss"), "web");
  EXPECT_EQ(words(urgent.next(kHourUs)), "nothing") << "another channel of the same hook delivers it";
}

TEST(Hook, AnswerCancelsTheEscalation) {
  HookRule boss = rule();
  boss.called = "boss";
  HookProgress hook(boss, 0);
  hook.take(escalation(1, "boss"), "");
  HookEvent answered = over(2, HookOn::question_reminded);
  answered.request = "q1";
  hook.take(answered, "");
  EXPECT_EQ(words(hook.next(0)), "record 1 suppressed after 0");
}

TEST(Hook, UnavailableDesktopIsSkippedWithoutRetry) {
  HookProgress hook(rule(), 0);
  hook.take(event(1), "");
  HookTry nobody;
  nobody.nobody = true;
  nobody.detail = "no session";
  EXPECT_EQ(fail_once(hook, 0, nobody), "record 1 suppressed after 1");
  EXPECT_EQ(std::get<HookProgress::Record>(hook.next(0)).fact.detail, "no session");
}

TEST(Hook, ServerSetsTheRetryDelay) {
  HookProgress hook(rule(), 0);
  hook.take(event(1), "");
  HookTry slower = kRefused;
  slower.retry_after_ms = 90'000;
  EXPECT_EQ(fail_once(hook, 0, slower), "wait 90000");
  HookProgress patient(rule(), 0);
  patient.take(event(1), "");
  slower.retry_after_ms = ~std::uint64_t{0};
  EXPECT_EQ(fail_once(patient, 0, slower), "wait 3600000") << "at most an hour";
}

TEST(Hook, CooldownCountsEarlierDaemonsDeliveries) {
  HookRule calm = rule();
  calm.cooldown_ms = 1000;
  HookProgress hook(calm, 0);
  hook.notified_before(event(1, HookOn::job_failed, kSecondUs));
  hook.notified_before(event(1, HookOn::job_failed, 0));
  hook.take(event(2, HookOn::job_failed, kSecondUs + 999 * kMillisecondUs), "");
  EXPECT_EQ(words(hook.next(kHourUs)), "record 2 suppressed after 0");
  hook.recorded();
  hook.take(event(3, HookOn::job_failed, 2 * kSecondUs), "");
  EXPECT_EQ(words(hook.next(kHourUs)), "deliver 3 try 1");
}

TEST(Hook, FullQueueAcceptsNoMore) {
  HookProgress hook(rule(), 0);
  for (Position at = 1; at <= HookProgress::kMaxWaiting; ++at) {
    EXPECT_FALSE(hook.full());
    hook.take(event(at), "");
  }
  EXPECT_TRUE(hook.full());
  EXPECT_EQ(hook.done(), 0u);
}

}  // namespace
}  // namespace luzia
