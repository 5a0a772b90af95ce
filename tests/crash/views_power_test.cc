// Rows are never fsynced, so a power loss may take the last ones. The rest must still be the rows at the
// cursor: nobody rebuilds rows whose cursor says that they are current.
#include <gtest/gtest.h>

#include "engine/view/rocks_view_store.h"
#include "tests/crash/fragile_disk.h"
#include "tests/engine/log/temp_store.h"

namespace luzia::test {
namespace {

constexpr Position kKeys = 24;

std::string row_key_of(Position write) {
  return "\1\1key" + std::to_string(write % kKeys);
}

/// Large and incompressible, so that write buffers fill up within one run.
std::string row_of(Position write) {
  Dice dice(write);
  std::string row(100'000 + dice.below(300'000), '\0');
  for (std::size_t at = 0; at + 8 <= row.size(); at += 8) {
    const std::uint64_t noise = dice.next();
    std::copy_n(reinterpret_cast<const char*>(&noise), 8, row.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return row;
}

Position last_write_of_key(Position key, Position cursor) {
  Position last = 0;
  for (Position write = 1; write <= cursor; ++write) {
    if (write % kKeys == key) last = write;
  }
  return last;
}

std::size_t tables_in(const std::string& folder) {
  std::size_t tables = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    tables += entry.path().extension() == ".sst" ? 1 : 0;
  return tables;
}

/// Writes rows until the power goes: at any moment, or `operations` after the flush of a full buffer began,
/// while the next buffer fills.
void write_rows(ViewStore& views, FragileDisk& disk, const std::string& folder, std::uint64_t operations) {
  const std::size_t tables = tables_in(folder);
  for (Position write = views.snapshot()->cursor().position + 1; !disk.power_is_off(); ++write) {
    ViewCursor cursor;
    cursor.position = write;
    (void)views.write({{row_key_of(write), row_of(write)}}, cursor);
    if (operations > 0 && tables_in(folder) > tables) disk.lose_power_at(std::exchange(operations, 0));
  }
}

void expect_rows_of_cursor(const ViewStore& views, std::uint64_t seed) {
  const auto rows = views.snapshot();
  const Position cursor = rows->cursor().position;
  for (Position key = 0; key < kKeys; ++key) {
    const Position write = last_write_of_key(key, cursor);
    const auto row = rows->get(row_key_of(key));
    if (write == 0) {
      EXPECT_FALSE(row) << "seed " << seed << ": a row from after the cursor " << cursor;
    } else {
      EXPECT_TRUE(row && *row == row_of(write)) << "seed " << seed << ": the row of write " << write
                                                << " is missing or old, the cursor says " << cursor;
    }
  }
}

TEST(ViewsWithoutPower, KeepTheRowsOfTheirCursor) {
  constexpr std::uint64_t kSeeds = 6, kLives = 5;
  const TempStore place;
  const std::string folder = place.path() + "/views";
  Position kept = 0;
  for (std::uint64_t seed = 0; seed < kSeeds && !testing::Test::HasFailure(); ++seed) {
    std::filesystem::remove_all(place.path());
    std::filesystem::create_directories(place.path());
    FragileEnv fragile(place.path());
    Dice dice(seed);
    for (std::uint64_t life = 0; life < kLives; ++life) {
      const std::uint64_t operations = life % 2 == 0 ? 1 + dice.below(12) : 0;
      fragile.disk().lose_power_at(operations > 0 ? 2000 : 1 + dice.below(60));
      if (auto opened = open_rocks_view_store(folder, OpenMode::read_write, fragile.env())) {
        expect_rows_of_cursor(*opened->store, seed);
        kept = std::max(kept, opened->store->snapshot()->cursor().position);
        write_rows(*opened->store, fragile.disk(), folder, operations);
      }
      fragile.disk().come_back(dice);
    }
  }
  EXPECT_GT(kept, 50U) << "buffers were closed and survived";
}

}  // namespace
}  // namespace luzia::test
