// Pictures for the documentation, of a server with a fleet that has run for a while: node tests/pictures.mjs CARILLON FOLDER [SECONDS]
import {mkdirSync, writeFileSync} from 'node:fs';
import {Harness} from './harness.mjs';
import {smallPng} from './small_png.mjs';

const [binary, folder, seconds = '150'] = process.argv.slice(2);
mkdirSync(folder, {recursive: true});
const h = await Harness.open(binary, folder);
const {page, server} = h;
const ask = (path, body) => server.ask('POST', `/api/v1${path}`, body);
const sh = (text) => ['/bin/sh', '-c', text];

await ask('/schedules', {id: 'nightly-etl', name: 'Nightly ETL', description: 'Loads yesterday into the warehouse.', labels: {team: 'data', env: 'prod'}, cron: '30 2 * * *', timezone: 'Europe/Berlin', command: sh('sleep 6; echo loaded')});
await ask('/schedules', {id: 'invoices', name: 'Invoices', labels: {team: 'billing'}, cron: '0 9 1,15 * 1', timezone: 'America/New_York', jobType: 'invoice.send', queue: 'billing'});
await ask('/schedules', {id: 'heartbeat', name: 'Heartbeat', labels: {team: 'ops'}, every: '30s', command: sh('echo ok')});
await ask('/schedules', {id: 'sync', name: 'Sync with the shop', labels: {team: 'shop'}, every: '15s', command: sh('sleep 22; echo synced'), policies: {overlap: 'buffer_one'}});
await ask('/schedules', {id: 'thumbnails', name: 'Thumbnails', labels: {team: 'shop'}, every: '30s', command: sh('printf "\\033[33mwarning\\033[0m: 3 pictures without a size\\n"; echo "no space left on /var/cache" >&2; exit 28'), policies: {retry: {maxAttempts: 2, backoff: 'fixed', initial: '2s'}}});
await ask('/schedules', {id: 'market-open', name: 'Market open', labels: {team: 'trading'}, spec: {calendars: [{hour: 9, minute: 30, dayOfWeek: 'mon-fri'}], exclude: [{month: 12, dayOfMonth: 25, comment: 'Christmas'}, {month: 11, dayOfMonth: 26, comment: 'Thanksgiving'}], timezone: 'America/New_York'}, action: {http: {url: 'https://example.com/open'}}});
await ask('/schedules', {id: 'reports', name: 'Hourly reports', labels: {team: 'data'}, cron: '0 * * * *', command: sh('sleep 0.0$(date +%N | cut -c5)')});
const day = 86_400_000;
await ask('/schedules/reports/backfills', {from: new Date(Date.now() - 5 * day).toISOString(), to: new Date().toISOString(), concurrency: 4});
// Many who start together: what the load page is for.
await Promise.all(Array.from({length: 8}, async (_, part) => {
  for (let i = part; i < 320; i += 8) await ask('/schedules', {id: `tenant-${String(i).padStart(3, '0')}`, name: `Report of tenant ${i}`, labels: {team: 'tenants'}, cron: i < 220 ? '0 3 * * *' : '0 8 * * 1-5', jobType: 'tenant.report', queue: 'tenants'});
}));
await server.ask('PATCH', '/api/v1/schedules/nightly-etl', {spec: {jitter: '5m'}});
// One that still works, beside the one that is done.
await ask('/schedules/nightly-etl/backfills', {from: new Date(Date.now() - 40 * day).toISOString(), to: new Date(Date.now() - 1000).toISOString(), concurrency: 1});
await ask('/workers', {name: 'mailer-1', queues: ['mail'], lease: '1h'});
await ask('/schedules/invoices/pause', {reason: 'billing closes the quarter'});
await ask('/jobs', {jobType: 'mail.send', queue: 'mail', payload: {to: 'ann'}});
await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000));

const failed = (await server.ask('GET', '/api/v1/runs?state=failed&limit=1')).items[0].id;
const month = new Date().toISOString().slice(0, 7);
const pages = {
  overview: '', schedules: 'schedules', schedule: 'schedules/default/sync?hours=1', trend: 'schedules/default/reports?tab=trend', month: `schedules/default/market-open?tab=calendar&month=${month}`, backfills: 'backfills', revisions: 'schedules/default/nightly-etl?tab=changes&revision=2',
  editor: 'edit/default/nightly-etl', runs: 'runs?skipped=too', run: `runs/${failed}`, timeline: 'timeline?span=240000', load: 'load', 'load-work': 'load?show=work', 'timeline-groups': 'timeline?group=label:team&span=900000', calendar: 'calendar', queues: 'queues', activity: 'activity', system: 'system',
};
await page.setViewportSize({width: 1180, height: 760});
await page.goto(server.link);
await page.getByRole('heading', {name: 'Overview'}).waitFor();
for (const colorScheme of ['light', 'dark']) {
  await page.emulateMedia({colorScheme});
  for (const [name, hash] of Object.entries(pages)) {
    await h.go(hash);
    await h.settled();
    await page.waitForTimeout(600);
    writeFileSync(`${folder}/${name}-${colorScheme}.png`, smallPng(await page.screenshot()));
  }
}
await h.close();
