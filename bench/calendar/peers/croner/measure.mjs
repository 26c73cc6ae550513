// Prints what croner needs for the same questions: kind, expression, zone and nanoseconds, separated by tabs.
import { Cron } from "croner";

const expressions = ["* * * * *", "*/15 9-17 * * 1-5", "0 9 * * 1-5", "0 0 1 1 *",
  "0 0 29 2 *", "30 2 * * *", "0 0 13 * 5", "*/10 * * * * *"];
const instants = Array.from({ length: 512 }, (_, i) => new Date(Date.UTC(2026, 0, 1) + i * 61583 * 1000));

// The shortest time of one operation over several windows.
function best(operation) {
  let shortest = Infinity;
  for (let window = 0; window < 7; ++window) {
    let count = 0;
    const begin = process.hrtime.bigint();
    let spent = 0n;
    while (spent < 40_000_000n) {
      for (let i = 0; i < 8; ++i) operation(count++);
      spent = process.hrtime.bigint() - begin;
    }
    shortest = Math.min(shortest, Number(spent) / count);
  }
  return shortest.toFixed(1);
}

for (const zone of ["UTC", "America/New_York"]) {
  for (const expression of expressions) {
    const cron = new Cron(expression, { timezone: zone, paused: true });
    console.log(["next", expression, zone, best((i) => cron.nextRun(instants[i % 512]))].join("\t"));
  }
}
for (const expression of expressions) {
  console.log(["parse", expression, "", best(() => new Cron(expression, { paused: true }))].join("\t"));
}
