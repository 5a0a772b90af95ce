// The tables of what was learned.
#include "projections/rows/export_fields.h"
#include "view.fb.h"

namespace luzia {
namespace {

constexpr ExportField<view::Solution> kWhatSolutionIs[] = {
    {{"id", kText, "Id of the solution."}, as_is<&view::Solution::id>},
    {{"project", kText, "Project that it is for; none: all."}, as_is<&view::Solution::project>},
    {{"problem", kText, "What it solves."}, as_is<&view::Solution::problem>},
    {{"text", kText, "How."}, as_is<&view::Solution::text>},
    {{"links", kText, "Where more stands, with commas between."}, as_is<&view::Solution::references>},
    {{"tags", kText, "With commas between."}, as_is<&view::Solution::tags>},
    {{"confidence", kReal, "0 to 1, after what was tried."}, as_is<&view::Solution::confidence>},
    {{"helped", kInteger, "How often it did."}, as_is<&view::Solution::helped>},
    {{"failed", kInteger, "How often it did not."}, as_is<&view::Solution::failed>},
    {{"created_at", kText, "RFC 3339, UTC."}, as_time<&view::Solution::created_us>},
    {{"expires_at", kText, "RFC 3339, UTC."}, as_time<&view::Solution::expires_us>},
    {{"recorded_by", kText, "Account."}, as_is<&view::Solution::by>},
};

constexpr ExportField<view::Fact> kWhatFactIs[] = {
    {{"project", kText, "Project that it is of; empty: all."}, as_key<&view::Fact::project>},
    {{"subject", kText, "What it is about."}, as_key<&view::Fact::subject>},
    {{"relation", kText, "How both belong together."}, as_key<&view::Fact::relation>},
    {{"object", kText, "To what."}, as_key<&view::Fact::object>},
    {{"context", kText, "What was said beside it."}, as_is<&view::Fact::context>},
    {{"stored_at", kText, "RFC 3339, UTC."}, as_time<&view::Fact::stored_us>},
    {{"stored_by", kText, "Account."}, as_is<&view::Fact::by>},
};

}  // namespace

ExportTable solutions_export_table() {
  return table_of<view::Solution, kWhatSolutionIs>("solutions", "What solved problems before.",
                                                   wire::View::solutions, 1, {"project"});
}

ExportTable facts_export_table() {
  return table_of<view::Fact, kWhatFactIs>("facts", "What is known of a project: subject, relation, object.",
                                           wire::View::facts, 4, {"subject", "object"});
}

}  // namespace luzia
