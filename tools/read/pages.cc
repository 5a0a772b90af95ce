#include "tools/read/pages.h"

#include <algorithm>

#include "engine/base/try.h"

namespace luzia {

void append_rows(RowPage& page, const wire::Rows& rows) {
  page.type = rows.type();
  page.position = rows.position();
  page.next = text(rows.next());
  for (std::uint32_t i = 0; rows.rows() != nullptr && i < rows.rows()->size(); ++i) {
    const auto* data = rows.rows()->Get(i)->data();
    page.rows.emplace_back(data != nullptr ? as_text({data->data(), data->size()}) : std::string_view{});
  }
  for (std::uint32_t i = 0; rows.parts() != nullptr && i < rows.parts()->size(); ++i)
    append_rows(page.parts.emplace_back(), *rows.parts()->Get(i));
}

Status visit_pages(Source& source, wire::QueryT query, std::size_t limit,
                   const std::function<Status(const RowPage&)>& visit) {
  const bool all = limit == 0;
  for (std::size_t left = limit; all || left > 0;) {
    query.limit = all ? kMaxLimit : static_cast<std::uint32_t>(std::min<std::size_t>(left, kMaxLimit));
    auto page = LUZIA_TRY(source.query(query));
    LUZIA_TRY(visit(page));
    if (page.next.empty()) return {};
    left -= std::min(left, page.rows.size());
    query.cursor = std::move(page.next);
    if (page.type == wire::RowType::event && query.at_position == 0 && page.position != 0) {
      query.at_position = page.position;
      query.at_time_us = 0;
    }
  }
  return {};
}

Result<RowPage> Source::collect(const wire::QueryT& query, std::size_t limit) {
  RowPage all;
  LUZIA_TRY(visit_pages(*this, query, limit, [&](const RowPage& page) -> Status {
    all.type = page.type;
    all.position = page.position;
    all.next = page.next;
    all.rows.insert(all.rows.end(), page.rows.begin(), page.rows.end());
    return {};
  }));
  return all;
}

Result<RowPage> collect_pages(Source& source, const wire::QueryT& query, std::size_t limit) {
  return source.collect(query, limit);
}

Result<std::vector<const schema::Event*>> events_of(const RowPage& page) {
  std::vector<const schema::Event*> events;
  events.reserve(page.rows.size());
  for (const std::string& bytes : page.rows) {
    auto event = LUZIA_TRY(verify_event(as_bytes(bytes)));
    events.push_back(event);
  }
  return events;
}

}  // namespace luzia
