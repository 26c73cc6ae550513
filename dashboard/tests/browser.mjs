// The built dashboard against a real server, in Debian's Chromium. Usage: node tests/browser.mjs CARILLON [PICTURES]
// Ends with 77 where there is no Chromium, no installed packages or no dashboard in the program: then nothing was tried.
import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync} from 'node:fs';
import {createServer, request as forward} from 'node:http';
import {createRequire} from 'node:module';
import {Server} from './server.mjs';

const [binary, pictures] = process.argv.slice(2);
const chromiumPath = process.env.CARILLON_CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

function leaveOut(why) {
  console.log(`not tried: ${why}`);
  process.exit(77);
}
if (!chromiumPath) leaveOut('there is no Chromium');
const {chromium} = await import('playwright-core').catch(() => leaveOut('the packages of the dashboard are not installed'));
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const server = new Server(binary);
await server.start();
const index = await (await fetch(server.url, {headers: {Accept: 'text/html'}})).text();
if (index.includes('built without its dashboard')) {
  await server.close();
  leaveOut('the program has no dashboard');
}

const browser = await chromium.launch({executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu']});
const faults = [];
const origins = [server.url];
let expectsOutage = false;
let axeCount = 0;
let testCount = 0;

async function newContext(options = {}) {
  const context = await browser.newContext({viewport: {width: 1440, height: 900}, timezoneId: 'Europe/Berlin', ...options});
  context.setDefaultTimeout(15_000);
  await context.addInitScript(() => {
    globalThis.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => globalThis.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  context.on('page', watch);
  return context;
}
function watch(page) {
  page.on('console', (message) => {
    // A spec that is not valid yet is refused while it is typed, which the browser tells; so it does while the server
    // is away, or where a refusal is what a test wants.
    const isRefusal = /status of (412|422)/.test(message.text());
    if (message.type() === 'error' && !isRefusal && !expectsOutage) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => faults.push(`dialog: ${dialog.message()}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (!origins.includes(url.origin) && !['data:', 'blob:'].includes(url.protocol)) faults.push(`foreign request: ${request.url()}`);
  });
}
async function test(name, what) {
  const began = Date.now();
  try {
    await what();
    assert.deepEqual(faults.splice(0), [], 'nothing went wrong in the page');
  } catch (error) {
    console.log(`FAILED  ${name}`);
    console.log(error);
    if (pictures) await page.screenshot({path: `${pictures}/failed.png`}).catch(() => {});
    await browser.close();
    await server.close();
    process.exit(1);
  }
  testCount += 1;
  console.log(`ok      ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
}
const at = (hash) => `${server.url}/#/${hash}`;
async function go(hash) {
  await page.goto(at(hash));
  await page.locator('h1').first().waitFor();
}
async function checkAccessibility(name) {
  await page.evaluate(axeSource);
  const result = await page.evaluate(() => globalThis.axe.run(document, {resultTypes: ['violations']}));
  axeCount += 1;
  const found = result.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`).join(' | ')}`);
  for (const one of found) faults.push(`axe on ${name}: ${one}`);
}

const context = await newContext();
const page = await context.newPage();
watch(page);

await test('a link signs in once, and leaves nothing behind', async () => {
  await page.goto(server.link);
  await page.getByRole('heading', {name: 'Overview'}).waitFor();
  assert.equal(new URL(page.url()).hash, '#/');
  const cookie = (await context.cookies()).find((one) => one.name.startsWith('carillon_session_'));
  assert.equal(cookie.httpOnly, true);
  assert.equal(cookie.sameSite, 'Strict');
  assert.ok(!JSON.stringify(await page.evaluate(() => ({...localStorage}))).includes(server.token));

  expectsOutage = true;
  const second = await newContext();
  const again = await second.newPage();
  await again.goto(server.link);
  await again.getByText('This link was used already').waitFor();
  await second.close();
  expectsOutage = false;
});

await test('cookie or key alone is refused', async () => {
  expectsOutage = true;
  const statuses = await page.evaluate(async () => {
    const key = localStorage.getItem('carillon.session-key');
    const ask = (headers, credentials) => fetch('./api/v1/schedules', {headers, credentials}).then((answer) => answer.status);
    return [await ask({}, 'same-origin'), await ask({'Carillon-Session-Key': key}, 'omit'), await ask({'Carillon-Session-Key': key}, 'same-origin')];
  });
  assert.deepEqual(statuses, [401, 401, 200]);
  expectsOutage = false;
});

await test('a schedule is created with a preview, and a run turns green', async () => {
  await page.getByRole('link', {name: 'New schedule'}).first().click();
  await page.getByLabel('Id', {exact: true}).fill('greeter');
  await page.getByLabel('Cron expressions').fill('99 2 * * *');
  await page.getByText('above the range').first().waitFor();
  await page.getByLabel('Interval').check();
  await page.getByPlaceholder('15m').fill('2s');
  await page.getByText('Every 2 seconds').waitFor();
  await page.getByLabel('Program and arguments').fill('/bin/sh\n-c\nprintf "\\033[32mgreen\\033[0m <b>bold</b>\\n"');
  await page.getByRole('button', {name: 'Create', exact: true}).click();
  await page.getByRole('heading', {name: 'greeter'}).waitFor();
  const done = page.getByRole('link', {name: 'succeeded'}).first();
  await done.click();
  await page.getByText('green <b>bold</b>').waitFor();
  assert.equal(await page.locator('[role=log] b').count(), 0);
});

const evil = `<img src=x onerror="globalThis.hit=1"><script>globalThis.hit=1</script>`;
await test('texts of users stay texts', async () => {
  await server.ask('POST', '/api/v1/schedules', {
    id: 'evil', name: evil.slice(0, 150), description: evil, labels: {team: evil.slice(0, 60)}, every: '2s',
    command: ['/bin/sh', '-c', `echo '${evil}'; printf '\\033]0;title\\007\\033[31mred\\033[0m\\r\\n'; echo '${evil}' >&2; exit 3`],
    policies: {retry: {maxAttempts: 1}},
  });
  await server.ask('POST', '/api/v1/jobs', {jobType: 'nobody', queue: 'q-evil', payload: {text: evil}});
  await go('schedules/default/evil');
  await page.getByRole('link', {name: 'failed'}).first().click();
  await page.locator('[role=log]').getByText('<script>').first().waitFor();
  await server.ask('POST', '/api/v1/schedules/evil/pause', {reason: evil});
  for (const hash of ['', 'schedules', 'schedules/default/evil', 'schedules/default/evil?tab=changes', 'schedules/default/evil?tab=definition', 'runs?skipped=too', 'timeline', 'activity', 'queues', 'edit/default/evil', `schedules?q=${encodeURIComponent(evil)}`]) {
    await go(hash);
    await page.waitForTimeout(150);
  }
  assert.equal(await page.evaluate(() => globalThis.hit), undefined);
});

await test('why something was skipped is two clicks away', async () => {
  await server.ask('POST', '/api/v1/schedules', {id: 'slow', every: '1s', command: ['/bin/sleep', '600']});
  await go('schedules/default/slow');
  await page.getByLabel('Only skipped').check();
  await page.getByText('another run of the schedule was active').first().waitFor();
  await go('runs?skipped=only&schedule=slow');
  await page.getByRole('link', {name: 'skipped'}).first().click();
  await page.getByRole('heading', {name: 'Why'}).waitFor();
  await page.getByText('another run of the schedule was active').waitFor();
});

await test('a running command is cancelled, and the page sees it end', async () => {
  await go('runs?state=running,retrying&schedule=slow');
  await page.getByRole('link', {name: 'running'}).first().click();
  await page.getByRole('button', {name: 'Cancel', exact: true}).click();
  await page.locator('h1 + .state', {hasText: 'cancelled'}).waitFor();
  await server.ask('DELETE', '/api/v1/schedules/slow');
});

await test('a failed run is started once more', async () => {
  const failed = (await server.ask('GET', '/api/v1/runs?state=failed&schedule=evil&limit=1')).items[0];
  await go(`runs/${failed.id}`);
  await page.getByRole('button', {name: 'Run again'}).click();
  await page.waitForFunction((old) => !location.hash.includes(old) && location.hash.includes('runs/r-'), failed.id);
  await page.getByText('trigger', {exact: true}).first().waitFor();
});

await test('pausing takes a reason, shows it, and can be undone', async () => {
  await go('schedules/default/greeter');
  await page.getByRole('button', {name: 'Pause', exact: true}).click();
  await page.getByLabel('Reason').fill('database migration');
  await page.getByRole('button', {name: 'Copy as…'}).last().click();
  await page.getByText("carillon pause greeter --reason 'database migration'").waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').getByRole('button', {name: 'Pause', exact: true}).click();
  await page.getByText('database migration').first().waitFor();
  await page.getByRole('button', {name: 'Undo'}).click();
  await page.locator('h1 + .state', {hasText: 'active'}).waitFor();
});

await test('a backfill says what it would do, then does it', async () => {
  await server.ask('POST', '/api/v1/schedules', {id: 'hourly', cron: '0 * * * *', command: ['/bin/true']});
  await go('schedules/default/hourly');
  await page.getByRole('button', {name: 'Backfill', exact: true}).click();
  await page.getByText('24 runs would be started').waitFor();
  await page.getByRole('button', {name: 'Start the backfill'}).click();
  await page.getByText('24 of 24 occurrences').waitFor();
});

await test('an edit from an old revision loses nothing', async () => {
  expectsOutage = true; // the refusal is an error to the browser
  await go('edit/default/hourly');
  await page.getByLabel('Name', {exact: true}).fill('My name');
  await server.ask('PATCH', '/api/v1/schedules/hourly', {name: 'Their name'});
  await page.getByRole('button', {name: 'Save', exact: true}).click();
  await page.getByText('Somebody changed it meanwhile').waitFor();
  await page.getByRole('button', {name: 'Save mine over it'}).click();
  await page.getByRole('heading', {name: 'My name'}).waitFor();
  expectsOutage = false;
});

await test('everything can be reached by keyboard', async () => {
  await go('');
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page.getByRole('heading', {name: /Schedules/}).waitFor();
  await page.getByRole('link', {name: 'greeter'}).waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('j');
  await page.keyboard.press('t');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({state: 'detached'});
  await page.keyboard.press('/');
  await page.keyboard.type('status:paused evil');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.includes('status=paused') && location.hash.includes('q=evil'));
  await page.getByText('1', {exact: true}).first().waitFor();
});

await test('a thousand schedules are a list of few rows', async () => {
  await Promise.all(
    Array.from({length: 10}, async (_, ten) => {
      for (let i = 0; i < 100; ++i) await server.ask('POST', '/api/v1/schedules', {id: `many-${ten}-${i}`, cron: '0 4 * * *', jobType: 'none', enabled: false});
    }),
  );
  await go('schedules?q=many');
  await page.getByText('1,000').waitFor();
  await page.getByRole('grid').evaluate((grid) => grid.scrollTo(0, grid.scrollHeight));
  await page.getByRole('link', {name: 'many-9-99'}).waitFor();
  assert.ok((await page.getByRole('row').count()) <= 80);
  await server.ask('POST', '/api/v1/schedules/batch', {operation: 'delete', filter: {q: 'many-'}});
});

await test('selected schedules are counted, then changed together', async () => {
  await go('schedules?q=o'); // hourly
  await page.getByLabel('Select hourly').check();
  await page.getByRole('button', {name: 'disable', exact: true}).click();
  await page.getByText('1 schedules are meant').waitFor();
  await page.getByRole('button', {name: 'disable 1'}).click();
  await page.getByText('disable: 1 done').waitFor();
  await page.locator('[role=row]', {hasText: 'My name'}).getByText('disabled').waitFor();
});

const newest = (await server.ask('GET', '/api/v1/runs?schedule=greeter&limit=1')).items[0].id;
const pages = {
  overview: '', schedules: 'schedules', schedule: 'schedules/default/greeter?hours=1', backfills: 'schedules/default/hourly?tab=backfills',
  definition: 'schedules/default/greeter?tab=definition', runs: 'runs?skipped=too', run: `runs/${newest}`, timeline: 'timeline?span=900000', load: 'load',
  queues: 'queues', activity: 'activity', system: 'system', editor: 'edit/default/greeter', nothing: 'nowhere',
};
for (const scheme of ['light', 'dark']) {
  await test(`every page is accessible, ${scheme}`, async () => {
    await page.emulateMedia({colorScheme: scheme, reducedMotion: 'reduce'});
    for (const [name, hash] of Object.entries(pages)) {
      await go(hash);
      await page.waitForTimeout(250);
      await checkAccessibility(`${name}, ${scheme}`);
      if (pictures) {
        mkdirSync(pictures, {recursive: true});
        await page.screenshot({path: `${pictures}/${name}-${scheme}.png`});
      }
    }
  });
}

await test('every page fits 360 pixels', async () => {
  await page.setViewportSize({width: 360, height: 740});
  for (const [name, hash] of Object.entries(pages)) {
    await go(hash);
    await page.waitForTimeout(200);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `${name} is ${width} pixels wide`);
    if (['overview', 'schedules', 'run', 'editor'].includes(name)) await checkAccessibility(`${name}, narrow`);
    if (pictures) await page.screenshot({path: `${pictures}/${name}-360.png`});
  }
  await page.setViewportSize({width: 1440, height: 900});
});

await test('the zone can be chosen, and every time names it', async () => {
  await go(`runs/${newest}`);
  const due = page.locator('dl time').first();
  await page.getByLabel('Time zone of times').selectOption('utc');
  assert.match(await due.innerText(), / UTC$/);
  await page.getByLabel('Time zone of times').selectOption('local');
  assert.match(await due.innerText(), / CES?T$/);
});

await test('two tabs share one event stream, and both are live', async () => {
  await go('schedules/default/greeter');
  const other = await context.newPage();
  await other.goto(at('schedules'));
  await other.getByText('● Live').waitFor();
  await page.getByText('● Live').waitFor();
  const metrics = await server.ask('GET', '/metrics');
  assert.match(metrics, /^carillon_\w*event_streams(?:\{[^}]*\})? 1$/m);
  await other.close();
});

await test('the page goes on after the server was restarted', async () => {
  await go('schedules/default/greeter');
  await page.getByText('● Live').waitFor();
  expectsOutage = true;
  await server.stop();
  await page.getByText('⚠ Stale since').waitFor();
  await server.start();
  await page.getByText('● Live').waitFor();
  expectsOutage = false;
  await page.getByRole('link', {name: /succeeded|running/}).first().waitFor();
  faults.length = 0;
});

await test('who may only look is offered no actions', async () => {
  const viewer = await server.ask('POST', '/api/v1/tokens', {name: 'wallboard', role: 'viewer'});
  const third = await newContext();
  const looking = await third.newPage();
  expectsOutage = true; // who is not signed in is refused first
  await looking.goto(at('schedules/default/greeter'));
  await looking.getByLabel('Or paste a token').fill(viewer.token);
  await looking.getByRole('button', {name: 'Sign in'}).click();
  await looking.getByRole('heading', {name: 'greeter'}).waitFor();
  assert.equal(await looking.getByRole('button', {name: 'Trigger', exact: true}).count(), 0);
  assert.equal(await looking.getByRole('link', {name: 'Activity'}).count(), 0);
  await server.ask('DELETE', `/api/v1/tokens/${viewer.id}`);
  await looking.getByText('The session has ended').waitFor();
  await third.close();
  expectsOutage = false;
  faults.length = 0;
});

await test('it works below a path of a proxy', async () => {
  const proxy = createServer((asked, answer) => {
    const path = asked.url.replace(/^\/ops\//, '/');
    const onward = forward({port: server.port, host: '127.0.0.1', method: asked.method, path, headers: asked.headers}, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    asked.pipe(onward);
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${proxy.address().port}`;
  origins.push(origin);
  expectsOutage = true; // who is not signed in is refused first
  const fourth = await newContext();
  const behind = await fourth.newPage();
  await behind.goto(`${origin}/ops/#/schedules`);
  await behind.getByLabel('Or paste a token').fill(server.token);
  await behind.getByRole('button', {name: 'Sign in'}).click();
  await behind.getByRole('link', {name: 'greeter'}).click();
  await behind.getByText('● Live').waitFor();
  await behind.getByRole('heading', {name: 'greeter'}).waitFor();
  await fourth.close();
  proxy.closeAllConnections();
  proxy.close();
  expectsOutage = false;
  faults.length = 0;
});

await test('signing out ends the session', async () => {
  const key = await page.evaluate(() => localStorage.getItem('carillon.session-key'));
  const cookies = (await context.cookies()).map((one) => `${one.name}=${one.value}`).join('; ');
  expectsOutage = true;
  await page.getByRole('button', {name: 'Sign out'}).click();
  await page.getByLabel('Or paste a token').waitFor();
  const answer = await fetch(`${server.url}/api/v1/schedules`, {headers: {Cookie: cookies, 'Carillon-Session-Key': key}});
  assert.equal(answer.status, 401);
  const records = (await server.ask('GET', '/api/v1/audit?limit=20')).items.map((record) => record.operation);
  assert.ok(records.includes('session.close'));
});

assert.deepEqual(await page.evaluate(() => globalThis.violations), [], 'no violation of the content rules');
await browser.close();
await server.close();
console.log(`${testCount} browser tests, ${axeCount} axe checks`);
