#!/usr/bin/env node
// Measures the dashboard of a real server in Debian's Chromium, and prints each number beside its goal.
//
//   bench/dashboard/run.mjs [--bin CARILLON] [--schedules N] [--seconds N] [--only WORDS] [--json FILE]
//
// --bin        the program; it must have the dashboard inside (tools/build_dashboard). Default: build/release/bin/carillon
// --schedules  how many there are (default 100000); they are created over the API and due once a year
// --seconds    how long the measurements that wait last (default 60): memory and the server's processor time
// --only       names measurements, between commas: load, list, log, timeline, memory, server
//
// Nothing else should run on the machine: with a load of more than 0.5 before it begins, the table says that it is noisy.
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {loadavg} from 'node:os';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const {Server} = await import(`${root}dashboard/tests/server.mjs`);
const {values: options} = parseArgs({
  options: {
    bin: {type: 'string', default: `${root}build/release/bin/carillon`},
    schedules: {type: 'string', default: '100000'},
    seconds: {type: 'string', default: '60'},
    only: {type: 'string', default: 'load,list,log,timeline,memory,server'},
    json: {type: 'string'},
  },
});
const scheduleCount = Number(options.schedules);
const seconds = Number(options.seconds);
const wanted = new Set(options.only.split(','));
const noise = loadavg()[0];

const results = [];
function tell(name, value, unit, goal) {
  results.push({name, value, unit, goal, isMet: goal === undefined ? undefined : value <= goal});
  console.error(`${name}: ${value} ${unit}`);
}
const rounded = (value, digits = 0) => Number(value.toFixed(digits));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** Of the whole process, in seconds. */
function processorTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo'];
const teams = ['data', 'web', 'billing', 'mail', 'search'];
function schedule(i) {
  return {
    id: `bench-${String(i).padStart(6, '0')}`,
    name: `${['Report', 'Sync', 'Cleanup', 'Import'][i % 4]} ${i}`,
    labels: {team: teams[i % teams.length]},
    cron: `${i % 60} ${i % 24} ${1 + (i % 28)} ${1 + (i % 12)} *`,
    timezone: zones[i % zones.length],
    jobType: 'bench',
  };
}
async function createSchedules(server, count) {
  const began = Date.now();
  let next = 0;
  const work = async () => {
    while (next < count) await server.ask('POST', '/api/v1/schedules', schedule(next++));
  };
  await Promise.all(Array.from({length: 32}, work));
  console.error(`${count} schedules created in ${rounded((Date.now() - began) / 1000, 1)} s`);
}

async function times(count, ask) {
  const taken = [];
  for (let i = 0; i < count; ++i) {
    const began = performance.now();
    await ask(i);
    taken.push(performance.now() - began);
  }
  return taken;
}

async function measureList(server) {
  const page = (query) => server.ask('GET', `/api/v1/schedules?limit=100&recent=10&sentence=true&${query}`);
  const search = (text) => page(`filter=${encodeURIComponent(text)}`);
  const offsets = await times(100, (i) => page(`offset=${(i * 9973) % scheduleCount}`));
  tell('a page of 100 schedules anywhere in the list, p95', rounded(percentile(offsets, 0.95)), 'ms', 150);
  const searches = [
    ['text', (i) => search(`report ${i}`)],
    ['label and state', (i) => search(`label:team=${teams[i % teams.length]} state:active`)],
    ['kind and name', (i) => search(`kind:job name~import -label:team=${teams[i % teams.length]}`)],
    ['time zone', (i) => search(`tz:${['Europe', 'Asia', 'America'][i % 3]}/*`)],
    ['nothing found', (i) => search(`no-such-thing-${i}`)],
  ];
  for (const [name, ask] of searches) {
    const taken = await times(30, ask);
    tell(`a search by ${name}, p95`, rounded(percentile(taken, 0.95)), 'ms', 150);
  }
  const timeline = await times(20, () => server.ask('GET', '/api/v1/timeline?limit=50&width=1200'));
  tell('a timeline of 50 rows, p95', rounded(percentile(timeline, 0.95)), 'ms', 150);
  const groups = await times(20, (i) => server.ask('GET', `/api/v1/timeline?group=${['schedule', 'label:team', 'queue'][i % 3]}&width=1200`));
  tell('a timeline by schedule, label or queue, p95', rounded(percentile(groups, 0.95)), 'ms', 150);
  const load = await times(10, () => server.ask('GET', '/api/v1/load?bucket=12h&work=true'));
  tell('the load of a day, with the runs at work, p95', rounded(percentile(load, 0.95)), 'ms');
}

async function signedIn(browser, server) {
  const context = await browser.newContext({viewport: {width: 1440, height: 900}, timezoneId: 'Europe/Berlin'});
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await page.goto(server.link);
  await page.locator('h1').first().waitFor();
  return {context, page};
}

/** Bytes of scripts and styles that a first visit loads, as they are sent, and the time until the first row is shown. */
async function measureFirstLoad(context, server) {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', {cacheDisabled: true});
  const kinds = new Map();
  let bytes = 0;
  session.on('Network.responseReceived', (event) => kinds.set(event.requestId, event.response.url));
  session.on('Network.loadingFinished', (event) => {
    if (/\.(js|css)$/.test(new URL(kinds.get(event.requestId) ?? 'http://x/').pathname)) bytes += event.encodedDataLength;
  });
  await page.goto('about:blank');
  const began = performance.now();
  await page.goto(`${server.url}/#/schedules`, {waitUntil: 'commit'});
  await page.locator('[role=row] a').first().waitFor();
  tell('time until the first list is shown', rounded(performance.now() - began), 'ms', 1000);
  tell('scripts and styles of that page, as sent', rounded(bytes / 1000, 1), 'kB', 75);
  tell('rows in the page', await page.locator('[role=row]').count(), 'rows', 80);
  const grid = page.locator('[role=grid]').first();
  await grid.evaluate((node) => (node.scrollTop = node.scrollHeight / 2));
  await page.waitForTimeout(1000);
  tell('rows in the page after scrolling to the middle', await page.locator('[role=row]').count(), 'rows', 80);
  await page.close();
}

async function measureLog(page, server) {
  await server.ask('PUT', '/api/v1/schedules/bench-log', {name: 'A million lines', command: ['/usr/bin/seq', '1000000']});
  const {run} = await server.ask('POST', '/api/v1/schedules/bench-log/trigger');
  for (;;) {
    const now = await server.ask('GET', `/api/v1/runs/${run.id}`);
    if (now.state === 'succeeded') break;
    await pause(200);
  }
  await page.goto(`${server.url}/#/runs/${run.id}`);
  const taken = [];
  for (let i = 0; i < 5; ++i) {
    await page.goto(`${server.url}/#/`);
    await page.locator('h1').first().waitFor();
    const began = performance.now();
    await page.goto(`${server.url}/#/runs/${run.id}`);
    await page.locator('[role=log] .text').first().waitFor();
    taken.push(performance.now() - began);
  }
  tell('a log of a million lines is shown', rounded(percentile(taken, 0.5)), 'ms', 300);
  tell('lines of it in the page', await page.locator('[role=log] .text').count(), 'lines', 500);
}

/** Time of the browser's main thread for a frame, while the timeline is moved. */
async function measureTimeline(context, page, server) {
  for (let i = 0; i < 40; ++i)
    await server.ask('PUT', `/api/v1/schedules/bench-often-${i}`, {cron: '* * * * *', jobType: 'bench', policies: {overlap: 'allow_all'}});
  await page.goto(`${server.url}/#/timeline`);
  await page.locator('svg rect, svg circle, canvas').first().waitFor();
  await page.waitForTimeout(2000);
  const marks = await page.locator('main svg rect, main svg circle').count();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  const taskTime = async () => (await session.send('Performance.getMetrics')).metrics.find((one) => one.name === 'TaskDuration').value;
  const before = await taskTime();
  const frames = await page.evaluate(async () => {
    const key = (name) => globalThis.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true}));
    let count = 0;
    const end = performance.now() + 4000;
    while (performance.now() < end) {
      if (count % 30 === 0) key(count % 60 === 0 ? 'l' : 'h');
      await new Promise((resolve) => requestAnimationFrame(resolve));
      count += 1;
    }
    return count;
  });
  tell(`work for a frame of the timeline (${marks} marks)`, rounded(((await taskTime()) - before) / frames * 1000, 1), 'ms', 16);
  await session.detach();
}

async function heapSize(session) {
  await session.send('HeapProfiler.collectGarbage');
  const {usedSize} = await session.send('Runtime.getHeapUsage');
  return usedSize;
}

/** A working day in a minute: as many events as the pause of a second between two reads lets through, on every page. */
async function measureMemory(context, page, server) {
  const session = await context.newCDPSession(page);
  await session.send('HeapProfiler.enable');
  const pages = ['', 'schedules', 'runs', 'timeline', 'load', 'queues', 'activity', 'system'];
  const visit = async (name) => {
    await page.goto(`${server.url}/#/${name}`);
    await page.locator('h1').first().waitFor();
    await page.waitForTimeout(300);
  };
  for (const name of [...pages, ...pages]) await visit(name);
  const before = await heapSize(session);
  const end = Date.now() + seconds * 1000;
  let runs = 0;
  for (let i = 0; Date.now() < end; ++i) {
    await visit(pages[i % pages.length]);
    await Promise.all(Array.from({length: 20}, () => server.ask('POST', '/api/v1/schedules/bench-000000/trigger', {overlap: 'allow_all'})));
    runs += 20;
  }
  for (const name of pages) await visit(name);
  const growth = (await heapSize(session)) - before;
  tell(`growth of memory over ${seconds} s with ${runs} runs`, rounded(Math.max(0, growth) / 1e6, 1), 'MB', 20);
  await session.detach();
}

/** What one open page costs the server, beside what it costs without. */
async function measureServer(page, server) {
  const share = async () => {
    const before = processorTime(server.process.pid);
    await pause(seconds * 1000);
    return ((processorTime(server.process.pid) - before) / seconds) * 100;
  };
  await page.goto('about:blank');
  await pause(3000);
  const alone = await share();
  await page.goto(`${server.url}/#/`);
  await page.locator('h1').first().waitFor();
  await pause(5000);
  const open = await share();
  tell('processor of the server without a page', rounded(alone, 2), '% of a core');
  tell('what one open page adds', rounded(Math.max(0, open - alone), 2), '% of a core', 0.5);
}

const server = new Server(options.bin);
await server.start();
let browser;
try {
  await createSchedules(server, scheduleCount);
  if (wanted.has('list')) await measureList(server);
  const needsBrowser = ['load', 'log', 'timeline', 'memory', 'server'].some((one) => wanted.has(one));
  if (needsBrowser) {
    const chromiumPath = process.env.CARILLON_CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
    if (!chromiumPath) throw new Error('there is no Chromium: install Debian’s chromium');
    const index = await (await fetch(server.url, {headers: {Accept: 'text/html'}})).text();
    if (index.includes('built without its dashboard')) throw new Error('this program has no dashboard: run tools/build_dashboard and build it again');
    const {chromium} = createRequire(`${root}dashboard/package.json`)('playwright-core');
    browser = await chromium.launch({executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu']});
    const {context, page} = await signedIn(browser, server);
    if (wanted.has('load')) await measureFirstLoad(context, server);
    if (wanted.has('log')) await measureLog(page, server);
    if (wanted.has('server')) await measureServer(page, server);
    if (wanted.has('timeline')) await measureTimeline(context, page, server);
    if (wanted.has('memory')) await measureMemory(context, page, server);
  }
} finally {
  await browser?.close();
  await server.close();
}

console.log(`\n${scheduleCount} schedules${noise > 0.5 ? `; NOISY: the machine had a load of ${noise.toFixed(1)} before` : ''}\n`);
console.log('| what | measured | goal | |\n|---|--:|--:|---|');
for (const {name, value, unit, goal, isMet} of results)
  console.log(`| ${name} | ${value} ${unit} | ${goal === undefined ? '' : `${goal} ${unit}`} | ${isMet === undefined ? '' : isMet ? 'met' : 'missed'} |`);
if (options.json) writeFileSync(options.json, JSON.stringify({schedules: scheduleCount, load: noise, results}, null, 2));
