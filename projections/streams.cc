#include "projections/streams.h"

#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {
namespace {

/// Sorts after every key of a stream: no chunk number reaches it.
constexpr std::string_view kLastChunk{"\xff\xff\xff\xff", 4};

std::string chunk_key(std::string_view stream, std::uint64_t chunk) {
  const std::string number = big_endian_32(static_cast<std::uint32_t>(chunk));
  std::string key;
  key.reserve(stream.size() + 1 + number.size());  // one allocation, because this runs for each event
  return key.append(stream).append(1, '\0').append(number);
}

std::string end_key(std::string_view stream) {
  return std::string(stream).append(1, '\0').append(kLastChunk);
}

class Streams : public OneView<Projection, view::StreamChunk, kStreamsView> {
 public:
  using OneView::OneView;

  void fold(const schema::Event& event) override {
    const std::uint64_t index = event.version() - 1;
    const std::string key = chunk_key(text(event.stream()), index / kPositionsPerChunk);
    const bool begins = index % kPositionsPerChunk == 0;
    view::StreamChunkT& chunk = begins ? rows_.add(key) : rows_.edit(key);
    if (chunk.positions.empty()) chunk.first_version = event.version();
    chunk.positions.push_back(event.position());
  }
};

}  // namespace

std::unique_ptr<Projection> make_streams_projection(ViewReaderSource rows) {
  return std::make_unique<Streams>(std::move(rows));
}

std::vector<Position> stream_positions(const ViewReader& rows, std::string_view stream,
                                       std::uint64_t from_version, std::size_t limit) {
  std::vector<Position> positions;
  if (from_version == 0) from_version = 1;
  const std::string from = chunk_key(stream, (from_version - 1) / kPositionsPerChunk);
  rows.scan(row_key(kStreamsView, from), row_key(kStreamsView, end_key(stream)),
            [&](std::string_view, std::string_view value) {
              const StoredRow<view::StreamChunk> chunk(value);
              std::uint64_t version = chunk->first_version();
              for (const Position position : *chunk->positions()) {
                if (version++ >= from_version && positions.size() < limit) positions.push_back(position);
              }
              return positions.size() < limit;
            });
  return positions;
}

std::uint64_t last_version(const ViewReader& rows, std::string_view stream) {
  std::uint64_t version = 0;
  rows.scan_back(row_key(kStreamsView, chunk_key(stream, 0)), row_key(kStreamsView, end_key(stream)),
                 [&](std::string_view, std::string_view value) {
                   const StoredRow<view::StreamChunk> chunk(value);
                   version = chunk->first_version() + chunk->positions()->size() - 1;
                   return false;
                 });
  return version;
}

std::string greatest_job_id(const ViewReader& rows) {
  std::string id;
  rows.scan_back(row_key(kStreamsView, "job/"), row_key(kStreamsView, "job0"),
                 [&](std::string_view key, std::string_view) {
                   key.remove_prefix(2);
                   id = job_of_stream(key.substr(0, key.find('\0')));
                   return false;
                 });
  return id;
}

}  // namespace luzia
