// Core view streams: the positions of each stream's events in the log, 256 to a row. Key: stream name, 0x00,
// big-endian chunk number. Reading functions: any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/view/projection.h"

namespace luzia {

constexpr ProjectionInfo kStreamsView{1, 1, "streams", ViewKind::core};
constexpr std::uint64_t kPositionsPerChunk = 256;

std::unique_ptr<Projection> make_streams_projection(ViewReaderSource rows);

/// Positions of the events of `stream` from version `from_version` (1: the first), at most `limit`.
std::vector<Position> stream_positions(const ViewReader& rows, std::string_view stream,
                                       std::uint64_t from_version = 1, std::size_t limit = ~std::size_t{0});

/// Version of the stream's last event; 0: no such stream.
std::uint64_t last_version(const ViewReader& rows, std::string_view stream);

/// The greatest job id that has a stream; empty: none.
std::string greatest_job_id(const ViewReader& rows);

}  // namespace luzia
