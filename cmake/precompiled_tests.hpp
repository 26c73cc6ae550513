// What most tests include, read by the compiler once for all of them (cmake/carillon_precompiled.cmake).
#pragma once

#include "precompiled.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
