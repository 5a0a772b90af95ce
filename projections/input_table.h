// Rows of one kind of request, sorted by the position where they were asked. Open requests are apart from
// those that are over; one index is by id, one by job. Used by the views questions and approvals (inputs.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/event/event.h"
#include "engine/view/projection.h"

namespace luzia {

inline std::string open_input_key(Position asked) {
  return "o" + big_endian_64(asked);
}
inline std::string closed_input_key(Position asked) {
  return "c" + big_endian_64(asked);
}
inline std::string input_id_key(std::string_view id) {
  return std::string("i").append(id);
}
/// Prefix of the keys of a job's requests; the position of each follows.
inline std::string inputs_of_job_key(std::string_view job) {
  return std::string("j").append(job).append(1, '\0');
}

/// `Row`: view::Question or view::Approval. Index rows contain only their `position`. One thread, like
/// RowTable; returned rows are valid until the next flush.
template <class Row>
class InputTable {
 public:
  using Native = typename Row::NativeTableType;

  InputTable(const ProjectionInfo& info, ViewReaderSource rows) : rows_(info, std::move(rows)) {}

  /// A new open row; null: the id is empty or already in use.
  Native* open(std::string_view id, std::string_view job, Position asked) {
    if (id.empty() || rows_.find(input_id_key(id))) return nullptr;
    rows_.add(input_id_key(id)).position = asked;
    rows_.add(inputs_of_job_key(job) + big_endian_64(asked)).position = asked;
    Native& row = rows_.add(open_input_key(asked));
    row.id = id;
    row.job = job;
    row.position = asked;
    return &row;
  }
  /// The row for changing while it is open; null: it is not.
  Native* edit_open(std::string_view id) {
    const Native* index = rows_.find(input_id_key(id));
    return index ? rows_.edit_existing(open_input_key(index->position)) : nullptr;
  }
  /// The row for changing, open or not; null: there is none.
  Native* edit(std::string_view id) {
    if (Native* row = edit_open(id)) return row;
    const Native* index = rows_.find(input_id_key(id));
    return index ? rows_.edit_existing(closed_input_key(index->position)) : nullptr;
  }
  /// Moves an open row to those that are over; null: it is not open.
  Native* close(std::string_view id) {
    const Native* index = rows_.find(input_id_key(id));
    if (!index) return nullptr;
    const Position asked = index->position;
    std::unique_ptr<Native> row = rows_.take(open_input_key(asked));
    if (!row) return nullptr;
    Native& closed = rows_.add(closed_input_key(asked));
    closed = std::move(*row);
    return &closed;
  }
  void edit_open_of_job(std::string_view job, const std::function<void(Native&)>& change) {
    const std::string from = inputs_of_job_key(job);
    for (const std::string& key : rows_.keys(from, after_prefix(from))) {
      if (Native* row = rows_.edit_existing("o" + key.substr(from.size()))) change(*row);
    }
  }
  /// Erases all of the job's requests, open or not, including their index rows.
  void erase_of_job(std::string_view job) {
    const std::string from = inputs_of_job_key(job);
    for (const std::string& key : rows_.keys(from, after_prefix(from))) {
      for (const char kind : {'o', 'c'}) {
        const auto row = rows_.take(kind + key.substr(from.size()));
        if (row) rows_.erase(input_id_key(row->id));
      }
      rows_.erase(key);
    }
  }
  void flush(RowBatch& batch) { rows_.flush(batch); }

 private:
  RowTable<Row> rows_;
};

/// The row of a request, open or not; nullopt: there is none. Any thread.
template <class Row>
std::optional<typename Row::NativeTableType> find_input_row(const ViewReader& rows,
                                                            const ProjectionInfo& info, std::string_view id) {
  const auto index = read_row<Row>(rows, info, input_id_key(id));
  if (!index) return std::nullopt;
  auto row = read_row<Row>(rows, info, open_input_key((*index)->position()));
  if (!row) row = read_row<Row>(rows, info, closed_input_key((*index)->position()));
  return row ? std::optional(row->native()) : std::nullopt;
}

}  // namespace luzia
