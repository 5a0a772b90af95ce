// One event: NewEvent, which a decider returns, and schema::Event, the stored envelope it becomes.
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

/// Position of an event in the log: from 1, without gaps. 0: before the first.
using Position = std::uint64_t;

/// Maximum size of one event and of one blob.
constexpr std::size_t kMaxEventBytes = 256 * 1024;
constexpr std::size_t kMaxBlobBytes = 8 * 1024 * 1024;

/// An erasable text that is stored beside an event. `index` counts within the event.
struct Blob {
  std::uint32_t index = 0;
  std::string salt;  // 16 random bytes; they come with the command
  std::string content;
};

/// The reference that the event keeps: the text's size and salted hash.
schema::BlobRefT blob_ref(const Blob& blob);

/// A decided event, not yet stored. `stream` is "job/ID", "project/NAME" or "system". GroupWriter adds
/// position, version, time, cause and actor. `evidence` unset: asserted.
struct NewEvent {
  std::string stream;
  schema::PayloadUnion payload;
  std::unique_ptr<schema::EvidenceT> evidence;
  std::vector<Blob> blobs;
};

/// Evidence rule of an end that was read from exit.json because the exit record is gone.
inline constexpr const char* kExitCopyRule = "exit-json";
/// Evidence rule of an end without an exit record after a stop was requested: the stop is taken as its cause.
inline constexpr const char* kStoppedUnseenRule = "stop-without-exit-record";

/// Wraps a fact into a NewEvent of that stream; one overload per domain.
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
NewEvent new_event(std::string stream, schema::DeviceFactUnion fact);

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

/// Checks the length, then runs the FlatBuffers verifier (depth 16, 10,000 tables) and checks the identifier.
/// `bytes` must be aligned to 8. The result points into `bytes`.
Result<const schema::Event*> verify_event(Bytes bytes);

/// Name of the fact in the payload ("JobQueued"). "unknown": a member that this program does not know.
std::string_view event_type(const schema::Event& event);

/// The id after "job/"; empty: another stream.
std::string_view job_of_stream(std::string_view stream);
inline std::string_view text(const flatbuffers::String* s) {
  return s ? s->string_view() : std::string_view{};
}

/// Who caused the event, as rows name them: "anna", "anna at phone"; empty: the daemon by itself.
std::string actor_name(const schema::Event& event);

}  // namespace luzia
