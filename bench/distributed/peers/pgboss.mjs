// Jobs per second of pg-boss: inserted in one call, fetched and completed in batches, as its documentation has it.
//     node pgboss.mjs CONNECTION JOBS
import { createRequire } from "node:module";
const require = createRequire(`${process.env.PEERS}/`);
const PgBoss = require("pg-boss");

const [connectionString, jobs] = [process.argv[2], Number(process.argv[3])];
const boss = new PgBoss({ connectionString, max: 8, supervise: false, schedule: false });
boss.on("error", (error) => console.error(error.message));
await boss.start();
await boss.createQueue("nothing");
for (let n = 0; n < jobs; n += 1000)
  await boss.insert(Array.from({ length: Math.min(1000, jobs - n) }, (_, i) => ({ name: "nothing", data: { n: n + i } })));
const began = process.hrtime.bigint();
let done = 0;
const work = async () => {
  while (done < jobs) {
    const batch = await boss.fetch("nothing", { batchSize: 500 });
    if (!batch?.length) return;
    await boss.complete("nothing", batch.map((job) => job.id));
    done += batch.length;
  }
};
await Promise.all([work(), work(), work(), work()]);
const seconds = Number(process.hrtime.bigint() - began) / 1e9;
await boss.stop({ graceful: false, wait: false });
console.log(JSON.stringify({ jobs: done, seconds, per_second: done / seconds }));
process.exit(0);
