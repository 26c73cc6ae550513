// Jobs per second of graphile-worker, tuned: local queue, batched completion, several at a time.
//     node graphile.mjs CONNECTION JOBS
import { createRequire } from "node:module";
const require = createRequire(`${process.env.PEERS}/`);
const { run, runMigrations } = require("graphile-worker");
const { Pool } = require("pg");

const [connectionString, jobs] = [process.argv[2], Number(process.argv[3])];
const pool = new Pool({ connectionString, max: 12 });
for (const event of ["error", "connect"])
  pool.on(event, (it) => (event === "connect" ? it.on("error", () => {}) : console.error(it.message)));
await runMigrations({ pgPool: pool });
await pool.query(
  "SELECT graphile_worker.add_jobs((SELECT array_agg(json_populate_record(NULL::graphile_worker.job_spec, json_build_object('identifier', 'nothing', 'payload', json_build_object('n', n)))) FROM generate_series(1, $1) n))",
  [jobs],
);
let done = 0;
let finish;
const all = new Promise((resolve) => (finish = resolve));
const began = process.hrtime.bigint();
const runner = await run({
  pgPool: pool,
  noHandleSignals: true,
  taskList: { nothing: async () => void (++done === jobs && finish()) },
  preset: { worker: { concurrentJobs: 24, pollInterval: 500, completeJobBatchDelay: 0, failJobBatchDelay: 0, localQueue: { size: 500 } } },
  logger: new (require("graphile-worker").Logger)(() => () => {}),
});
await all;
await runner.stop();
const seconds = Number(process.hrtime.bigint() - began) / 1e9;
await pool.end();
console.log(JSON.stringify({ jobs, seconds, per_second: jobs / seconds }));
