#include "projections/rows/row_page.h"

namespace luzia {

tl::unexpected<Error> bad_row() {
  return fail(ErrorKind::trouble, "bad_row", "a row of the answer is damaged or of another version",
              "use the same version of luzia-query and luziad, or add --offline");
}

wire::RowsT rows_reply(const RowPage& page) {
  wire::RowsT reply;
  reply.type = page.type;
  reply.next = page.next;
  reply.position = page.position;
  for (const std::string& bytes : page.rows) {
    auto row = std::make_unique<wire::RowT>();
    row->data.assign(bytes.begin(), bytes.end());
    reply.rows.push_back(std::move(row));
  }
  for (const RowPage& part : page.parts)
    reply.parts.push_back(std::make_unique<wire::RowsT>(rows_reply(part)));
  return reply;
}

}  // namespace luzia
