#pragma once

#include "stored_rows/byte_coding.hpp"
#include "stored_rows/feed_bytes.hpp"
#include "stored_rows/row_changes.hpp"
#include "stored_rows/row_flags.hpp"
#include "stored_rows/state_bytes.hpp"
#include "stored_rows/stored_range.hpp"
#include "stored_rows/stored_run.hpp"

// What this store has in common with the other one that keeps rows.
namespace carillon::sqlite {

namespace run_flag = rows::run_flag;
namespace state_flag = rows::state_flag;
using rows::ByteReader;
using rows::ByteWriter;
using rows::FeedPacker;
using rows::has;
using rows::is_possible;
using rows::is_possible_count;
using rows::read_body;
using rows::read_rules;
using rows::released_count;
using rows::rules_bytes;
using rows::status_flags;
using rows::stored_count_max;
using rows::stored_duration_max;
using rows::stored_instant_max;
using rows::stored_instant_min;
using rows::stored_priority_max;
using rows::StoredRun;
using rows::unpack_events;
using rows::with;
using rows::with_released_count;
using rows::write_body;

}  // namespace carillon::sqlite
