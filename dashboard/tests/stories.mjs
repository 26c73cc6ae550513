// What a person comes for: create, see it run, find out why one did not, mend it.
import assert from 'node:assert/strict';

export const evil = `<img src=x onerror="globalThis.hit=1"><script>globalThis.hit=1</script>`;

export async function stories(h) {
  const {page, server, context} = h;

  await h.test('a link signs in once, and leaves nothing behind', async () => {
    await page.goto(server.link);
    await page.getByRole('heading', {name: 'Overview'}).waitFor();
    assert.equal(new URL(page.url()).hash, '#/');
    const cookie = (await context.cookies()).find((one) => one.name.startsWith('carillon_session_'));
    assert.equal(cookie.httpOnly, true);
    assert.equal(cookie.sameSite, 'Strict');
    assert.ok(!JSON.stringify(await page.evaluate(() => ({...localStorage}))).includes(server.token));

    h.expectsOutage = true;
    const second = await h.newContext();
    const again = await second.newPage();
    await again.goto(server.link);
    await again.getByText('This link was used already').waitFor();
    await second.close();
    h.expectsOutage = false;
  });

  await h.testOutage('cookie or key alone is refused', async () => {
    const statuses = await page.evaluate(async () => {
      const key = localStorage.getItem('carillon.session-key');
      const ask = (headers, credentials) => fetch('./api/v1/schedules', {headers, credentials}).then((answer) => answer.status);
      return [await ask({}, 'same-origin'), await ask({'Carillon-Session-Key': key}, 'omit'), await ask({'Carillon-Session-Key': key}, 'same-origin')];
    });
    assert.deepEqual(statuses, [401, 401, 200]);
  });

  await h.test('a schedule is created with a preview, and a run turns green', async () => {
    await page.getByRole('link', {name: 'New schedule'}).first().click();
    await page.getByLabel('Id', {exact: true}).fill('greeter');
    await page.getByText('At 02:00 every day').waitFor();
    await page.getByRole('tab', {name: 'Cron', exact: true}).click();
    await page.getByLabel('Cron expressions').fill('99 2 * * *');
    await page.getByText('above the range').first().waitFor();
    await page.getByText('^^').waitFor(); // under the token
    await page.getByRole('tab', {name: 'Interval'}).click();
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

  await h.test('texts of users stay texts', async () => {
    await server.ask('POST', '/api/v1/schedules', {
      id: 'evil', name: evil.slice(0, 150), description: evil, labels: {team: evil.slice(0, 60)},
      spec: {intervals: [{every: '2s'}], exclude: [{month: 12, dayOfMonth: 25, comment: evil.slice(0, 150)}]},
      action: {command: {argv: ['/bin/sh', '-c', `echo '${evil}'; printf '\\033]0;title\\007\\033[31mred\\033[0m\\r\\n'; echo '${evil}' >&2; exit 3`]}},
      policies: {retry: {maxAttempts: 1}},
    });
    await server.ask('POST', '/api/v1/jobs', {jobType: 'nobody', queue: 'q-evil', payload: {text: evil}});
    await page.evaluate((name) => localStorage.setItem('carillon.views', JSON.stringify([{name, hash: '#/schedules?filter=evil'}, {name: 'bad', hash: 'javascript:globalThis.hit=1'}])), evil);
    await page.reload();
    await h.go('schedules/default/evil');
    await page.getByRole('link', {name: 'failed'}).first().click();
    await page.locator('[role=log]').getByText('<script>').first().waitFor();
    await server.ask('POST', '/api/v1/schedules/evil/pause', {reason: evil});
    const hashes = ['', 'schedules', 'schedules/default/evil', 'runs?skipped=too', 'runs?group=error', 'timeline', 'timeline?group=label:team', 'backfills', 'load?show=work', 'calendar', 'activity', 'queues', 'system', 'edit/default/evil', `schedules?filter=${encodeURIComponent(evil)}`,
      ...['changes', 'definition', 'calendar', 'trend'].map((tab) => `schedules/default/evil?tab=${tab}&month=2026-12`)];
    for (const hash of hashes) {
      await h.go(hash);
      await h.settled();
    }
    assert.equal(await page.locator('a[href^="javascript:"]').count(), 0);
    assert.equal(await page.evaluate(() => globalThis.hit), undefined);
    await page.evaluate(() => localStorage.removeItem('carillon.views'));
    await page.reload();
  });

  await h.test('why something was skipped is two clicks away, with the run that was in the way', async () => {
    await server.ask('POST', '/api/v1/schedules', {id: 'slow', every: '1s', command: ['/bin/sleep', '600']});
    await h.go('schedules/default/slow');
    await page.getByLabel('Only skipped').check();
    await page.getByText('another run of the schedule was active').first().waitFor();
    await h.go('runs?skipped=only&schedule=slow');
    await page.getByRole('link', {name: 'skipped'}).first().click();
    await page.getByRole('heading', {name: 'Why'}).waitFor();
    await page.getByText('another run of the schedule was active').waitFor();
    await page.getByText('In its way').waitFor();
    await page.getByText('which is still running').waitFor();
  });

  await h.test('a running command is cancelled, and the page sees it end', async () => {
    await h.go('runs?state=running,retrying&schedule=slow');
    await page.getByRole('link', {name: 'running'}).first().click();
    await page.getByRole('button', {name: 'Cancel', exact: true}).click();
    await page.locator('h1 + .state', {hasText: 'cancelled'}).waitFor();
    await h.go('schedules');
    await server.ask('DELETE', '/api/v1/schedules/slow');
  });

  await h.test('a failed run is started once more', async () => {
    const failed = (await server.ask('GET', '/api/v1/runs?state=failed&schedule=evil&limit=1')).items[0];
    await h.go(`runs/${failed.id}`);
    await page.getByRole('button', {name: 'Run again'}).click();
    await page.waitForFunction((old) => !location.hash.includes(old) && location.hash.includes('runs/r-'), failed.id);
    await page.getByText('trigger', {exact: true}).first().waitFor();
  });

  await h.test('pausing takes a reason, shows it, and can be undone', async () => {
    await h.go('schedules/default/greeter');
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

  await h.test('a backfill says what it would do, then does it', async () => {
    await server.ask('POST', '/api/v1/schedules', {id: 'hourly', cron: '0 * * * *', timezone: 'Asia/Tokyo', command: ['/bin/true']});
    await h.go('schedules/default/hourly');
    await page.getByRole('button', {name: 'Backfill', exact: true}).click();
    await page.getByText('Times are of Asia/Tokyo').waitFor();
    await page.getByText('24 runs would be started').waitFor();
    await page.getByText('The occurrences in the range').click();
    await page.getByRole('button', {name: 'Start the backfill'}).click();
    await page.getByText('24 of 24 occurrences').waitFor();
    await page.getByRole('tab', {name: 'Trend'}).click();
    await page.getByRole('img', {name: /Durations over time/}).waitFor();
    await page.getByRole('tab', {name: 'Calendar'}).click();
    await page.getByRole('button', {name: /\d+ succeeded/}).first().click();
    await page.getByRole('cell', {name: 'succeeded'}).first().waitFor();
  });

  await h.test('backfills of all schedules are on one page, and can be stopped there', async () => {
    const request = {from: new Date(Date.now() - 6 * 3_600_000).toISOString(), to: new Date().toISOString()};
    await server.ask('POST', '/api/v1/schedules', {id: 'stuck', cron: '0 * * * *', jobType: 'nobody', queue: 'q-stuck', enabled: false});
    const {id} = await server.ask('POST', '/api/v1/schedules/stuck/backfills', request);
    await h.go('');
    await page.getByRole('link', {name: 'Backfills', exact: true}).click();
    await page.getByRole('heading', {name: 'Backfills'}).waitFor();
    await page.getByText('24 of 24 occurrences').waitFor();
    const card = page.locator('main .card', {hasText: id});
    await card.waitFor();
    await page.getByLabel('Only those that still work').check();
    await page.getByText('24 of 24 occurrences').waitFor({state: 'detached'});
    await card.getByRole('button', {name: 'Cancel the rest'}).click();
    await card.waitFor({state: 'detached'});
    await page.getByLabel('Only those that still work').uncheck();
    await card.getByText('cancelled').waitFor();
    await server.ask('DELETE', '/api/v1/schedules/stuck');
  });

  await h.test('the timeline has a row for each schedule, or for each group', async () => {
    await h.go('timeline?span=900000');
    await page.locator('.names').getByRole('link', {name: 'greeter'}).waitFor();
    await page.getByText(/^Rows by/).locator('select').selectOption('queue');
    await page.locator('.names').getByText('@command').waitFor();
    await page.getByText(/^Rows by/).locator('select').selectOption('label team');
    await page.locator('.names').getByText('without team').waitFor();
    await page.getByText(/^Rows by/).locator('select').selectOption('schedule');
    await page.getByLabel('Only schedules that match').fill('id:greeter');
    await page.getByRole('button', {name: 'Filter'}).click();
    await page.locator('.names').getByText('evil').waitFor({state: 'detached'});
    await page.locator('.names').getByRole('link', {name: 'greeter'}).waitFor();
    await page.getByRole('checkbox', {name: 'As a table'}).check();
    await page.getByRole('cell', {name: 'planned'}).first().waitFor();
    await page.locator('main td a', {hasText: 'greeter'}).first().waitFor();
  });

  await h.test('a job without a schedule is queued once more, and workers that wait are listed', async () => {
    const job = await server.ask('POST', '/api/v1/jobs', {jobType: 'mail.send', queue: 'q-mail', payload: {to: 'ann'}});
    await server.ask('POST', `/api/v1/runs/${job.id}/cancel`);
    await server.ask('POST', '/api/v1/workers', {name: 'mailer-7', queues: ['q-nothing'], lease: '5m'});
    await h.go(`runs/${job.id}`);
    await page.getByRole('button', {name: 'Queue again'}).click();
    await page.getByText('Queued once more').waitFor();
    await page.waitForFunction((old) => !location.hash.includes(old), job.id);
    await page.locator('h1 + .state', {hasText: 'queued'}).waitFor();
    await h.go('queues');
    await page.locator('li', {hasText: 'mailer-7'}).getByText('idle').waitFor();
  });

  await h.test('a change is looked at before it is saved', async () => {
    await h.go('edit/default/hourly');
    await page.getByRole('tab', {name: 'Simple', selected: true}).waitFor();
    await page.getByLabel('Repeats').selectOption('daily');
    await page.getByLabel('At', {exact: true}).fill('05:30');
    await page.getByText('Written as 30 5 * * *').waitFor();
    await page.getByText('At 05:30 every day').waitFor();
    await page.getByRole('button', {name: 'Save …'}).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('starts go').waitFor();
    await dialog.getByText('No past occurrence runs again').waitFor();
    await dialog.locator('.diff .added', {hasText: '30 5 * * *'}).waitFor();
    await dialog.getByRole('button', {name: 'Save', exact: true}).click();
    await page.getByText('Saved hourly').waitFor();
    assert.deepEqual((await server.ask('GET', '/api/v1/schedules/hourly')).spec.cron, ['30 5 * * *']);
  });

  await h.test('an expression that no tab can show exactly is never rewritten', async () => {
    const spec = {cron: ['0 9 * * MON-FRI'], calendars: [{hour: '9', dayOfWeek: 'mon#1', comment: 'first Monday'}], exclude: [{month: 12, dayOfMonth: 25}], timezone: 'America/New_York', jitter: '5m', dst: 'literal'};
    const before = await server.ask('POST', '/api/v1/schedules', {id: 'custom', spec, action: {http: {url: 'https://example.com/', headers: {A: 'b'}}}, enabled: false});
    await h.go('edit/default/custom');
    await page.getByRole('tab', {name: 'Several', selected: true}).waitFor();
    assert.equal(await page.getByRole('tab', {name: 'Simple'}).isDisabled(), true);
    await page.getByLabel('Name', {exact: true}).fill('Custom one');
    await page.getByRole('button', {name: 'Save …'}).click();
    await page.getByText('The times stay the same').waitFor();
    await page.getByRole('dialog').getByRole('button', {name: 'Save', exact: true}).click();
    await page.getByText('Saved custom').waitFor();
    const after = await server.ask('GET', '/api/v1/schedules/custom');
    assert.deepEqual(after.spec, before.spec);
    assert.deepEqual(after.action, before.action);
    assert.deepEqual(after.policies, before.policies);
  });

  await h.test('an interval that is counted from creation is shown as it will run', async () => {
    const {nextDueAt} = await server.ask('POST', '/api/v1/schedules', {id: 'phase', every: '7h', jobType: 'none'});
    await h.go('edit/default/phase');
    await page.getByRole('cell', {name: `${nextDueAt.slice(11, 19)} UTC`}).waitFor();
    assert.equal(await page.getByText('Next start:').count(), 0);
    await page.getByLabel('Every', {exact: true}).fill('8h');
    await page.getByText('Next start:').waitFor();
    await page.getByRole('button', {name: 'Discard'}).click();
    await page.getByRole('heading', {name: 'phase', exact: true}).waitFor();
    // Its page would ask for it once more when it hears that it is gone.
    await h.go('schedules');
    await server.ask('DELETE', '/api/v1/schedules/phase');
  });

  await h.test('a revision shows what it changed, and is brought back as an edit', async () => {
    await h.go('schedules/default/hourly?tab=changes');
    await page.getByRole('row', {name: /created/}).getByRole('button', {name: 'Differences'}).click();
    await page.getByText('Revision 1, the first').waitFor();
    await page.getByRole('button', {name: 'Restore revision 1 …'}).click();
    await page.getByText('What you typed before is back').waitFor();
    await page.getByRole('button', {name: 'Save …'}).click();
    await page.getByRole('dialog').locator('.diff .added', {hasText: '0 * * * *'}).waitFor();
    await page.getByRole('dialog').getByRole('button', {name: 'Save', exact: true}).click();
    await page.getByText('Saved hourly').last().waitFor();
    await page.getByRole('heading', {name: 'hourly', exact: true}).waitFor();
    assert.deepEqual((await server.ask('GET', '/api/v1/schedules/hourly')).spec.cron, ['0 * * * *']);
  });

  await h.test('a Temporal workflow is edited in the form', async () => {
    await h.go('edit');
    await page.getByLabel('Id', {exact: true}).fill('flow');
    await page.getByLabel('Temporal workflow').check();
    await page.getByLabel('Workflow type').fill('Report');
    await page.getByLabel('Task queue').fill('reports');
    await page.getByLabel('Input, a JSON list of arguments').fill('{"format": 1}');
    await page.getByText('The input is no JSON list yet').waitFor();
    await page.getByLabel('Input, a JSON list of arguments').fill('[{"format": "html"}]');
    await page.getByRole('button', {name: 'Create', exact: true}).click();
    // This server has no cluster, and says so; what was typed is still there.
    await page.getByRole('alert').getByText(/cluster/i).first().waitFor();
    assert.equal(await page.getByLabel('Workflow type').inputValue(), 'Report');
    await page.getByRole('button', {name: 'Discard'}).click();
    await page.getByRole('heading', {name: /Schedules/}).waitFor();
  });

  await h.test('the load says how many runs are at work, and how many can be', async () => {
    // How much is at work follows from how long runs took: half a second of each ten.
    await server.ask('POST', '/api/v1/schedules', {id: 'works', every: '10s', command: ['/bin/sleep', '0.5']});
    await server.ask('POST', '/api/v1/schedules/works/trigger', {});
    await h.go('schedules/default/works');
    await page.getByRole('link', {name: 'succeeded'}).first().waitFor();
    await h.go('load?show=work');
    await page.getByText(/this server performs 16 at a time/).waitFor();
    await page.getByRole('button', {name: /runs at work/}).nth(1).click();
    await page.getByText('dashed: the 16 that this server performs at a time').waitFor();
    await server.ask('DELETE', '/api/v1/schedules/works');
  });

  await h.test('lint of all schedules is one click, and leads to the documentation', async () => {
    await server.ask('POST', '/api/v1/schedules', {id: 'both-days', cron: '0 4 13 * 5', jobType: 'none', enabled: false});
    await h.go('system');
    await page.getByRole('button', {name: 'Look at all schedules'}).click();
    await page.getByText('dom-dow-or').click();
    await page.getByRole('link', {name: 'both-days'}).waitFor();
    await h.checkAccessibility('lint of all schedules');
    const page_ = await fetch(await page.getByRole('link', {name: 'What it means'}).first().evaluate((one) => one.href));
    assert.equal(page_.status, 200);
    await server.ask('DELETE', '/api/v1/schedules/both-days');
  });

  await h.test('a calendar program can subscribe with an address and a token', async () => {
    await h.go('calendar');
    await page.getByRole('button', {name: 'Subscribe …'}).click();
    await page.getByLabel('Only schedules that match').fill('id:greeter');
    const address = await page.locator('[data-feed]').innerText();
    const {token, id} = await server.ask('POST', '/api/v1/tokens', {name: 'calendar', role: 'viewer'});
    const answer = await fetch(address, {headers: {Authorization: `Basic ${Buffer.from(`me:${token}`).toString('base64')}`}});
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /SUMMARY:greeter/);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({state: 'detached'});
    await server.ask('DELETE', `/api/v1/tokens/${id}`);
    assert.equal((await fetch(address, {headers: {Authorization: `Basic ${Buffer.from(`me:${token}`).toString('base64')}`}})).status, 401);
  });

  await h.test('schedules that start together are spread, after a look at it', async () => {
    await Promise.all(Array.from({length: 50}, (_, i) => server.ask('POST', '/api/v1/schedules', {id: `herd-${i}`, cron: '0 3 * * *', jobType: 'none'})));
    await h.go('load');
    await page.getByRole('button', {name: 'Spread …'}).first().click();
    await page.getByRole('dialog').getByText(/jitter/).first().waitFor();
    await page.getByRole('button', {name: /^change 5\d$/}).click();
    await page.getByText(/change: 5\d done/).waitFor();
    assert.notEqual((await server.ask('GET', '/api/v1/schedules/herd-3')).spec.jitter, '0s');
  });

  await h.testOutage('an action whose schedules changed since the look is refused, and looked at again', async () => {
    await h.go('schedules?filter=herd');
    await page.getByLabel('Select herd-1', {exact: true}).check();
    await page.getByLabel('Select herd-2', {exact: true}).check();
    await page.getByRole('button', {name: 'pause', exact: true}).click();
    await page.getByText('2 change').waitFor();
    await server.ask('PATCH', '/api/v1/schedules/herd-2', {name: 'Moved on'});
    await page.getByRole('button', {name: 'pause 2'}).click();
    await page.getByText('changed since the preview').waitFor();
    await page.getByRole('button', {name: 'Look again'}).click();
    await page.getByText('Moved on').last().waitFor();
    await page.getByRole('button', {name: 'pause 2'}).click();
    await page.getByText('pause: 2 done').waitFor();
    await server.ask('POST', '/api/v1/schedules/batch', {operation: 'delete', filter: {q: 'herd-'}});
  });

  await h.test('a reason leads to its page, which the server has', async () => {
    await h.go('runs?skipped=only');
    const link = page.getByRole('link', {name: 'overlap', exact: true}).first();
    const answer = await fetch(await link.evaluate((one) => one.href));
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /overlap/);
    assert.equal((await fetch(`${server.url}/docs/api`)).status, 200);
  });

  await h.test('the items of a pipeline show what went in and came out, and the failed ones are asked again', async () => {
    const pipeline = (await server.ask('GET', '/api/v1/schedules?action=pipeline')).items[0];
    await h.go(`schedules/${pipeline.namespace}/${pipeline.id}`);
    await page.getByText('change it there').waitFor(); // a file defines it
    await page.getByRole('button', {name: 'Trigger', exact: true}).click();
    await page.getByRole('button', {name: 'Start a run'}).click();
    await page.getByRole('heading', {name: 'Items'}).waitFor();
    await page.getByText('3 of 3').waitFor();
    await page.getByRole('cell', {name: '<script>globalThis.hit=1</script>'}).waitFor();
    await page.getByRole('cell', {name: '<img src=x onerror="globalThis.hit=1">'}).waitFor();
    await page.getByLabel('Which items').selectOption('failed');
    await page.getByRole('button', {name: 'Details of item 2'}).click();
    await h.checkAccessibility('items');
    const before = page.url();
    await page.getByRole('button', {name: 'Retry the failed items'}).click();
    await page.waitForFunction((old) => location.href !== old, before);
    await page.getByText('3 of 3').waitFor();
    assert.equal(await page.evaluate(() => globalThis.hit), undefined);
  });

  await h.test('a warning is mended with one click', async () => {
    await h.go('edit');
    await page.getByRole('tab', {name: 'Cron', exact: true}).click();
    await page.getByLabel('Cron expressions').fill('*/7 * * * *');
    await page.getByRole('button', {name: 'Every 7m exactly'}).click();
    await page.getByText('Every 7 minutes').first().waitFor();
    await page.getByLabel('Zone', {exact: true}).fill('EST');
    await page.getByRole('button', {name: 'Use America/New_York'}).click();
    await page.getByRole('columnheader', {name: 'America/New_York'}).waitFor();
    await page.getByRole('button', {name: 'Discard'}).click();
    await page.getByRole('heading', {name: /Schedules/}).waitFor();
  });

  await h.test('some hundred schedules are a list of few rows; all that match are changed together', async () => {
    const count = 300;
    await Promise.all(
      Array.from({length: 6}, async (_, part) => {
        for (let i = 0; i < count / 6; ++i) await server.ask('POST', '/api/v1/schedules', {id: `many-${part}-${i}`, cron: '0 4 * * *', jobType: 'none'});
      }),
    );
    await h.go('schedules?filter=many');
    await page.getByText(String(count), {exact: true}).waitFor();
    await page.getByRole('grid').evaluate((grid) => grid.scrollTo(0, grid.scrollHeight));
    await page.getByRole('link', {name: 'many-5-9', exact: true}).waitFor();
    assert.ok((await page.getByRole('row').count()) <= 80);
    await page.getByLabel('Select many-5-9', {exact: true}).check();
    await page.getByRole('button', {name: `Select all ${count}`}).click();
    await page.getByRole('button', {name: 'pause', exact: true}).click();
    await page.getByText(`${count} schedules are meant`).waitFor();
    await page.getByRole('button', {name: `pause ${count}`}).click();
    await page.getByText(`pause: ${count} done`).waitFor();
    assert.equal((await server.ask('GET', '/api/v1/schedules?q=many&status=paused&limit=1')).total, count);
    await server.ask('POST', '/api/v1/schedules/batch', {operation: 'delete', filter: {q: 'many-'}});
  });

  await h.test('selected schedules are counted, then changed together, and back', async () => {
    // Not from the list of the story before, which was scrolled to its end and is being emptied.
    await h.go('');
    await h.go('schedules?filter=hourly');
    await page.getByLabel('Select hourly').check();
    await page.getByRole('button', {name: 'disable', exact: true}).click();
    await page.getByText('1 schedules are meant').waitFor();
    await page.getByText(/in the next hour will not run/).waitFor();
    await page.getByRole('button', {name: 'disable 1'}).click();
    await page.getByText('disable: 1 done').waitFor();
    await page.locator('[role=row]', {hasText: 'hourly'}).getByText('disabled').waitFor();
    // That of an earlier action may still be shown.
    await page.locator('.toast', {hasText: 'disable: 1 done'}).getByRole('button', {name: 'Undo'}).click();
    await page.locator('[role=row]', {hasText: 'hourly'}).getByText('disabled').waitFor({state: 'detached'});
  });
}
