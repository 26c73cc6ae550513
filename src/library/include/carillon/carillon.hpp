#pragma once

// All of libcarillon.
#include <carillon/ai_invoker.hpp>
#include <carillon/failure.hpp>
#include <carillon/handler.hpp>
#include <carillon/listener.hpp>
#include <carillon/lock.hpp>
#include <carillon/pipeline.hpp>
#include <carillon/pipeline_scheduler.hpp>
#include <carillon/schedule.hpp>
#include <carillon/scheduler.hpp>
#include <carillon/version.hpp>
#include <carillon/wall_clock.hpp>
