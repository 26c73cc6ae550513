#pragma once

// All of libcarillon.
#include <carillon/failure.hpp>
#include <carillon/handler.hpp>
#include <carillon/listener.hpp>
#include <carillon/schedule.hpp>
#include <carillon/scheduler.hpp>
#include <carillon/version.hpp>
#include <carillon/wall_clock.hpp>
