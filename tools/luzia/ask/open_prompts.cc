#include "tools/luzia/ask/open_prompts.h"

#include "engine/base/try.h"
#include "projections/rows/input_rows.h"

namespace luzia {
namespace {

/// Rows of questions and approvals; they point into `pages`.
struct OpenPrompts {
  std::vector<Page> pages;
  ShownQuestions questions;
  ShownApprovals approvals;
};

constexpr std::uint32_t kMostInPage = 1'000;

/// Appends the view's rows: all pages of open ones or, with filter.ended, only the first page, which includes
/// closed ones. Rows of another type, and an unknown view of an older daemon, are ignored.
template <class Row>
Status collect(Invocation& invocation, Client& client, wire::View view, wire::RowType type,
               const wire::FilterT& filter, std::vector<Page>& pages, std::vector<const Row*>& rows) {
  wire::QueryT query = view_query(view, std::make_unique<wire::FilterT>(filter));
  query.limit = kMostInPage;
  do {
    auto page = ask_rows(invocation, client, query);
    if (!page) return page.error().code == "unknown_view" ? Status() : tl::unexpected(page.error());
    if (page->type() != type) return {};
    const auto of_page = page->as<Row>();
    rows.insert(rows.end(), of_page.begin(), of_page.end());
    query.cursor = page->next();
    pages.push_back(std::move(*page));
  } while (!query.cursor.empty() && !filter.ended);
  return {};
}

Result<OpenPrompts> ask_prompts(Invocation& invocation, Client& client, const wire::FilterT& filter) {
  OpenPrompts open;
  Status asked = collect(invocation, client, wire::View::questions, wire::RowType::question, filter,
                         open.pages, open.questions);
  if (asked) {
    asked = collect(invocation, client, wire::View::approvals, wire::RowType::approval, filter, open.pages,
                    open.approvals);
  }
  if (!asked) return tl::unexpected(asked.error());
  return open;
}

std::vector<NamedPrompt> prompts_named(const OpenPrompts& inputs, const std::string& id) {
  std::vector<NamedPrompt> found;
  const auto look_among = [&](const auto& rows) {
    for (const auto* row : rows) {
      if (text(row->id()).starts_with(id)) found.push_back({row->id()->str(), std::string(text(row->job()))});
    }
  };
  look_among(inputs.questions);
  look_among(inputs.approvals);
  return found;
}

}  // namespace

bool is_prompt_id(std::string_view word) {
  return word.starts_with("q-") || word.starts_with("a-");
}

Result<NamedPrompt> find_prompt(Invocation& invocation, Client& client, const std::string& id) {
  std::vector<NamedPrompt> found;
  for (const bool ended : {false, true}) {
    wire::FilterT filter;
    filter.ended = ended;
    const auto inputs = LUZIA_TRY(ask_prompts(invocation, client, filter));
    found = prompts_named(inputs, id);
    if (!found.empty()) break;
  }
  constexpr auto kListed = "luzia inbox lists what is open, each with its job";
  if (found.empty()) {
    return fail(ErrorKind::not_found, id.starts_with("a-") ? "no_such_approval" : "no_such_question",
                "no recent question or approval has the id '" + id + "'", kListed);
  }
  if (found.size() > 1) {
    return fail(ErrorKind::usage, "which_question",
                "'" + id + "' matches both " + found[0].id + " and " + found[1].id, kListed);
  }
  return std::move(found.front());
}

}  // namespace luzia
