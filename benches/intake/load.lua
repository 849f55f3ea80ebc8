-- wrk's script: the payloads of FOLDER in turn, each request with a delivery id of its own.
local folder = os.getenv("FOLDER")
local bodies, signatures = {}, {}

local function slurp(name)
  local file = assert(io.open(folder .. "/" .. name, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

for n = 1, 64 do
  bodies[n] = slurp(n .. ".json")
  signatures[n] = slurp(n .. ".sig")
end

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["User-Agent"] = "GitHub-Hookshot/0000000"
wrk.headers["X-GitHub-Event"] = "issues"

local count, start = 0, os.time()

function request()
  count = count + 1
  local n = count % 64 + 1
  wrk.headers["X-Hub-Signature-256"] = signatures[n]
  wrk.headers["X-GitHub-Delivery"] = string.format("%08x-cc78-11ef-81ab-%012x", start, count)
  return wrk.format(nil, nil, nil, bodies[n])
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("FIGURES %.0f %d %.3f %.3f %d\n", summary.requests / summary.duration * 1e6, summary.requests,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
