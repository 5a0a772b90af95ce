#include "adapters/socket/frame.h"

#include <algorithm>
#include <cstring>

namespace luzia {
namespace {

// The smallest FlatBuffer with a root table: offset, vtable of two entries, table.
constexpr std::size_t kMinFrameBytes = 12;
// A frame's memory is freed after it, except for small frames, which reuse it. There may be ten thousand
// connections.
constexpr std::size_t kKeptWords = 4 * 1024 / 8;
constexpr unsigned kMaxDepth = 16;
constexpr unsigned kMaxTables = 400'000;  // a batch of 100,000 jobs, a page of as many rows

// The verifier accepts a union with a type but no value.
bool is_whole(const wire::ClientFrame& frame) {
  if (frame.request_type() != wire::Request::NONE && frame.request() == nullptr) return false;
  if (const wire::Publish* publish = frame.request_as_Publish(); publish != nullptr)
    return publish->report_type() == schema::ReportFact::NONE || publish->report() != nullptr;
  if (const wire::NoteWorkspace* note = frame.request_as_NoteWorkspace(); note != nullptr)
    return note->fact_type() == schema::WorkspaceFact::NONE || note->fact() != nullptr;
  return true;
}

bool is_whole(const wire::ServerFrame& frame) {
  return frame.reply_type() == wire::Reply::NONE || frame.reply() != nullptr;
}

template <class Frame>
Result<const Frame*> parse(Bytes frame, const char* who) {
  flatbuffers::Verifier verifier(frame.data(), frame.size(), kMaxDepth, kMaxTables);
  if (!verifier.VerifyBuffer<Frame>(nullptr) || !is_whole(*flatbuffers::GetRoot<Frame>(frame.data()))) {
    return fail(ErrorKind::usage, "bad_frame",
                "reading a frame of " + std::to_string(frame.size()) + " bytes from the " + who +
                    ": it is not a message of protocol " + std::to_string(kProtocolVersion),
                "check that both sides are of the same version: luzia --version");
  }
  return flatbuffers::GetRoot<Frame>(frame.data());
}

}  // namespace

Result<std::optional<std::size_t>> frame_size(Bytes bytes, std::size_t most) {
  if (bytes.size() < kFrameHeaderBytes) return std::nullopt;
  const std::size_t size = flatbuffers::ReadScalar<std::uint32_t>(bytes.data());
  if (size < kMinFrameBytes || size > most) {
    return fail(ErrorKind::usage, "bad_frame",
                "reading a frame: its size field says " + std::to_string(size) + " bytes, possible are " +
                    std::to_string(kMinFrameBytes) + " to " + std::to_string(most),
                size > kMaxFrameBytes || size < kMinFrameBytes
                    ? "speak the protocol of schema/protocol.fbs, or split the request"
                    : "send a Hello first; whoever may use no project sends no more than this");
  }
  return size;
}

void FrameReader::store(Bytes bytes) {
  const std::size_t words = (used_ + bytes.size() + 7) / 8;
  if (words > memory_.size()) memory_.resize(std::max(words, memory_.size() * 2));
  std::copy(bytes.begin(), bytes.end(), body() + used_);
  used_ += bytes.size();
}

Status FrameReader::feed(Bytes bytes, const std::function<void(Bytes frame)>& each) {
  while (!bytes.empty()) {
    if (header_used_ < kFrameHeaderBytes) {
      const std::size_t take = std::min(bytes.size(), kFrameHeaderBytes - header_used_);
      std::memcpy(header_ + header_used_, bytes.data(), take);
      header_used_ += take;
      bytes = bytes.subspan(take);
    }
    const auto size = LUZIA_TRY(frame_size({header_, header_used_}, most_));
    if (!size.has_value()) return {};
    const std::size_t take = std::min(bytes.size(), *size - used_);
    const bool whole = take == *size;
    if (whole && reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 == 0) {
      header_used_ = 0;
      each(bytes.first(take));
    } else {
      store(bytes.first(take));
      if (used_ == *size) {
        header_used_ = 0;
        used_ = 0;
        each({body(), *size});
        if (memory_.size() > kKeptWords) std::vector<std::uint64_t>().swap(memory_);
      }
    }
    bytes = bytes.subspan(take);
  }
  return {};
}

Result<const wire::ClientFrame*> parse_client_frame(Bytes frame) {
  return parse<wire::ClientFrame>(frame, "client");
}

Result<const wire::ServerFrame*> parse_server_frame(Bytes frame) {
  return parse<wire::ServerFrame>(frame, "daemon");
}

void append_frame(std::string& to, const flatbuffers::FlatBufferBuilder& finished) {
  std::uint8_t header[kFrameHeaderBytes];
  flatbuffers::WriteScalar(header, static_cast<std::uint32_t>(finished.GetSize()));
  to.append(reinterpret_cast<const char*>(header), sizeof header);
  to.append(reinterpret_cast<const char*>(finished.GetBufferPointer()), finished.GetSize());
}

}  // namespace luzia
