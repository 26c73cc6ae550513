#pragma once

// The version of libcarillon that these headers belong to. Until 1.0 a new minor version may change them.
#define CARILLON_VERSION "0.1.0"
#define CARILLON_VERSION_MAJOR 0
#define CARILLON_VERSION_MINOR 1
#define CARILLON_VERSION_PATCH 0
