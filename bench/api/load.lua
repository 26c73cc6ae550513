-- The requests of each measurement, for wrk: `wrk -s load.lua URL -- FOLDER WHAT [WORDS]`. FOLDER/tokens has one token
-- a line. At the end one line of JSON says what came of it.

local function lines_of(path)
  local lines = {}
  for line in io.lines(path) do lines[#lines + 1] = line end
  return lines
end

local tokens
local count = 0

local function headers(number)
  return { ["Authorization"] = "Bearer " .. tokens[number % #tokens + 1], ["Content-Type"] = "application/json" }
end

local function get(path) return wrk.format("GET", path, headers(0)) end

-- Each returns a function from the number of a request to its text.
local makers = {}

function makers.path(path)
  local text = get(path)
  return function() return text end
end

-- The schedules that `create` made with this prefix, in turn.
function makers.each(prefix, number_max)
  return function(number)
    return get(("/api/v1/schedules/%s-%06d"):format(prefix, 2 + number % tonumber(number_max)))
  end
end

-- Far from one another, so that no two clients read the same page.
function makers.offset(size, number_max)
  return function(number)
    return get(("/api/v1/schedules?limit=%s&offset=%d"):format(size, number * 7919 % tonumber(number_max)))
  end
end

function makers.token(size, file)
  local pages = lines_of(file)
  return function(number)
    return get(("/api/v1/schedules?limit=%s&pageToken=%s"):format(size, pages[number * 7919 % #pages + 1]))
  end
end

function makers.create(prefix)
  return function(number)
    local body = ('{"id":"%s-%06d","cron":"%d %d * * *","jobType":"report"}'):format(prefix, number, number % 60,
                                                                                   math.floor(number / 60) % 24)
    return wrk.format("POST", "/api/v1/schedules", headers(0), body)
  end
end

function makers.trigger(prefix, number_max)
  return function(number)
    local path = ("/api/v1/schedules/%s-%06d/trigger"):format(prefix, 2 + number % tonumber(number_max))
    return wrk.format("POST", path, headers(number), '{"overlap":"allow_all"}')
  end
end

-- Of ten requests six read a schedule, two a page, one creates and one triggers; 32 clients that pause 64 ms make 500
-- a second.
function makers.mix(prefix, number_max, new_prefix, offset_max)
  local each, page = makers.each(prefix, number_max), makers.offset(50, offset_max)
  local create, trigger = makers.create(new_prefix), makers.trigger(prefix, number_max)
  local kinds = { each, page, each, create, each, each, page, each, trigger, each }
  function delay() return math.random(0, 128) end
  return function(number) return kinds[number % 10 + 1](number) end
end

local make

function init(words)
  tokens = lines_of(words[1] .. "/tokens")
  make = makers[words[2]](unpack(words, 3))
end

-- wrk asks for the first one only to look at it: what is created begins with number 2.
function request()
  count = count + 1
  return make(count)
end

function done(summary, latency)
  local failed = summary.errors
  io.write(("{\"requests\": %d, \"seconds\": %.6f, \"refused\": %d, \"broken\": %d"):format(
    summary.requests, summary.duration / 1e6, failed.status,
    failed.connect + failed.read + failed.write + failed.timeout))
  for _, share in ipairs({ 50, 95, 99 }) do
    io.write((", \"p%d_ms\": %.3f"):format(share, latency:percentile(share) / 1e3))
  end
  io.write((", \"max_ms\": %.3f}\n"):format(latency.max / 1e3))
end
