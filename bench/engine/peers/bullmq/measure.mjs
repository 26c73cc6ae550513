// BullMQ with one worker that does nothing. usage: measure.mjs sustained|burst PORT COUNT [SECONDS]
//
// `sustained`: COUNT job schedulers that want to start every second, more than it can; jobs ended per second over SECONDS.
// `burst`: COUNT delayed jobs, all due at one instant; seconds from there until the last has ended.
import { Queue, Worker } from 'bullmq';

const [what, port, countText, secondsText] = process.argv.slice(2);
const count = Number(countText);
const connection = { host: '127.0.0.1', port: Number(port), maxRetriesPerRequest: null };
const concurrency = 1000;
const jobOptions = { removeOnComplete: true, removeOnFail: true };
const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

const queue = new Queue('bench', { connection });
await queue.obliterate({ force: true }).catch(() => {});
let ended = 0;
let worker;
const startWorker = () => {
  worker = new Worker('bench', async () => {}, { connection, concurrency });
  worker.on('completed', () => { ended += 1; });
};

async function inParts(size, work) {
  for (let first = 0; first < count; first += size) await work(first, Math.min(count, first + size));
}

async function sustained(seconds) {
  await inParts(500, (first, end) =>
    Promise.all(Array.from({ length: end - first }, (_, i) =>
      queue.upsertJobScheduler(`s${first + i}`, { every: 1000 }, { name: 'nothing', opts: jobOptions }))));
  startWorker();
  // Measured once all places of the worker have been used: a slow beginning is not its pace.
  const given = performance.now() + 60000;
  while (ended < 2 * concurrency && performance.now() < given) await sleep(5);
  if (ended < 2 * concurrency) return { what, schedules: count, per_second: null };
  const before = ended;
  const begun = performance.now();
  await sleep(seconds * 1000);
  const perSecond = (ended - before) / ((performance.now() - begun) / 1000);
  return { what, schedules: count, per_second: Math.round(perSecond) };
}

async function burst() {
  startWorker();
  const due = Date.now() + 5000 + count * 0.3;
  await inParts(1000, (first, end) =>
    queue.addBulk(Array.from({ length: end - first }, () =>
      ({ name: 'nothing', data: {}, opts: { ...jobOptions, delay: Math.max(0, due - Date.now()) } }))));
  const isLate = Date.now() > due;
  while (ended < count && Date.now() < due + 60000) await sleep(5);
  const seconds = (Date.now() - due) / 1000;
  return { what, jobs: count, seconds_to_finished: ended < count || isLate ? null : Math.round(seconds * 100) / 100 };
}

console.log(JSON.stringify(what === 'burst' ? await burst() : await sustained(Number(secondsText ?? 10))));
// Not closed in order: jobs are still coming, and the server is thrown away.
process.exit(0);
