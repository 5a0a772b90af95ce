// The list of all projections.
#include "projections/registry.h"

#include <gtest/gtest.h>

#include <set>

namespace luzia {
namespace {

TEST(Registry, EveryViewHasAUniqueIdAndName) {
  std::set<int> ids;
  std::set<std::string_view> names;
  for (const ProjectionInfo& info : list_views(all_projections())) {
    EXPECT_TRUE(ids.insert(info.id).second) << info.name << " has the id of another view: rows get mixed";
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
  }
  EXPECT_GE(ids.size(), 10u);
}

}  // namespace
}  // namespace luzia
