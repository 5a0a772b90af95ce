// One event: what a decider returns (NewEvent), and the stored envelope it becomes (schema::Event).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/result.h"
#include "engine/base/time.h"
#include "event.fb.h"

namespace luzia {

/// Place of an event in the log: gapless from 1; 0 = before the first.
using Position = std::uint64_t;

/// Limits of one event and one blob (design: Storage).
constexpr std::size_t kMaxEventBytes = 256 * 1024;
constexpr std::size_t kMaxBlobBytes = 8 * 1024 * 1024;

/// An erasable text that travels beside an event. `index` counts within the event.
struct Blob {
  std::uint32_t index = 0;
  std::string salt;  // 16 random bytes, from the command
  std::string content;
};

/// The reference that the event keeps: size and salted hash.
schema::BlobRefT blob_ref(const Blob& blob);

/// A decision not yet stored. `stream` is "job/ID", "project/NAME" or "system"; position, version, time,
/// cause and actor are added when it is appended. `evidence` unset = asserted.
struct NewEvent {
  std::string stream;
  schema::PayloadUnion payload;
  std::unique_ptr<schema::EvidenceT> evidence;
  std::vector<Blob> blobs;
};

/// Rule in the evidence of an end that was read in exit.json, since its record is gone.
inline constexpr const char* kExitCopyRule = "exit-json";
/// Rule of the end of a job whose processes went without an exit record after a stop was ordered: what ended
/// them is taken to be the stop.
inline constexpr const char* kStoppedUnseenRule = "stop-without-exit-record";

/// Wraps a fact of domain job, output, report, queue, system ... into a NewEvent of that stream.
NewEvent new_event(std::string stream, schema::JobFactUnion fact);
NewEvent new_event(std::string stream, schema::OutputFactUnion fact);
NewEvent new_event(std::string stream, schema::ReportFactUnion fact);
NewEvent new_event(std::string stream, schema::QueueFactUnion fact);
NewEvent new_event(std::string stream, schema::SystemFactUnion fact);
NewEvent new_event(std::string stream, schema::AlertFactUnion fact);
NewEvent new_event(std::string stream, schema::ToolFactUnion fact);
NewEvent new_event(std::string stream, schema::UsageFactUnion fact);
NewEvent new_event(std::string stream, schema::IssueFactUnion fact);
NewEvent new_event(std::string stream, schema::QuestionFactUnion fact);
NewEvent new_event(std::string stream, schema::ApprovalFactUnion fact);
NewEvent new_event(std::string stream, schema::WorkspaceFactUnion fact);

/// `job_event("k3…", JobEndedT{…})`: the fact in stream "job/k3…".
template <class Fact>
NewEvent job_event(std::string_view job, Fact fact) {
  schema::JobFactUnion u;
  u.Set(std::move(fact));
  return new_event(std::string("job/").append(job), std::move(u));
}
template <class Fact>
NewEvent output_event(std::string_view job, Fact fact) {
  schema::OutputFactUnion u;
  u.Set(std::move(fact));
  return new_event(std::string("job/").append(job), std::move(u));
}
template <class Fact>
NewEvent report_event(std::string_view job, Fact fact) {
  schema::ReportFactUnion u;
  u.Set(std::move(fact));
  return new_event(std::string("job/").append(job), std::move(u));
}

/// Checks length, then the FlatBuffers verifier (depth 16, 10,000 tables) and identifier. `bytes` must be
/// aligned to 8. The result points into `bytes`.
Result<const schema::Event*> verify_event(Bytes bytes);

/// Name of the fact in the payload ("JobQueued"), "unknown" for a member that this program does not know.
std::string_view event_type(const schema::Event& event);

/// The id after "job/", or empty for another stream.
std::string_view job_of_stream(std::string_view stream);
inline std::string_view text(const flatbuffers::String* s) {
  return s ? s->string_view() : std::string_view{};
}

}  // namespace luzia
