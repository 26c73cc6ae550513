// What holds on every page: keys, search, zones, tabs, prefixes.
import assert from 'node:assert/strict';
import {createServer, request as forward} from 'node:http';

export async function frame(h) {
  const {page, server, context} = h;

  await h.test('everything can be reached by keyboard alone', async () => {
    await h.go('');
    const keys = async (...all) => {
      for (const key of all) await page.keyboard.press(key);
    };
    await keys('g', 's');
    await page.getByRole('heading', {name: /Schedules/}).waitFor();
    await page.getByRole('link', {name: 'greeter'}).waitFor();
    await keys('j', 'x', 'k', 'Shift+X');
    await page.getByText('2 selected').waitFor();
    await keys('Escape', 't');
    await page.getByRole('dialog').waitFor();
    await keys('Escape');
    await page.locator('dialog').waitFor({state: 'detached'});
    await keys('/');
    await page.keyboard.type('greet');
    await page.getByRole('option', {name: /greeter/}).waitFor();
    await keys('ArrowDown', 'Enter');
    await page.getByRole('heading', {name: 'greeter'}).waitFor();
    await keys('p');
    await page.getByLabel('Reason').waitFor();
    await page.keyboard.type('by keyboard');
    await keys('Enter');
    await page.getByText('by keyboard').first().waitFor();
    await page.locator('dialog').waitFor({state: 'detached'});
    await keys('p');
    await page.getByRole('dialog').waitFor();
    await page.getByRole('button', {name: 'Resume', exact: true}).last().focus();
    await keys('Enter');
    await page.locator('h1 + .state', {hasText: 'active'}).waitFor();
    await keys('b');
    await page.getByText('would be started').waitFor();
    await keys('Escape');
    await page.locator('dialog').waitFor({state: 'detached'});
    await keys('e');
    await page.getByRole('heading', {name: 'Edit greeter'}).waitFor();
    await page.getByRole('tab', {name: 'Interval', selected: true}).focus();
    await keys('ArrowRight');
    await page.getByRole('tab', {name: 'Calendar', selected: true}).waitFor();
    await page.getByRole('button', {name: 'Discard'}).click();
    await page.getByRole('heading', {name: 'greeter'}).waitFor();
    await keys('g', 'b'); // there it is another page, not the dialog of this one
    await page.getByRole('heading', {name: 'Backfills', exact: true}).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    await keys('g', 'r');
    await page.getByRole('heading', {name: 'Runs'}).waitFor();
    await page.locator('[data-row]').first().waitFor();
    await keys('j', 'Enter');
    await page.getByRole('heading', {name: 'Why'}).waitFor();
    await page.getByText('Output').first().waitFor();
  });

  await h.test('keys of a single letter can be switched off', async () => {
    await h.go('schedules');
    await page.keyboard.press('?');
    await page.getByLabel(/Keys of a single letter/).uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.keyboard.press('d');
    assert.equal(new URL(page.url()).hash, '#/schedules');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('calen');
    await page.getByRole('option', {name: /Calendar/}).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', {name: 'Calendar'}).waitFor();
    await page.keyboard.press('?');
    await page.getByLabel(/Keys of a single letter/).check();
    await page.keyboard.press('Escape');
  });

  await h.test('search completes qualifiers; a filter is an address, and can be kept with a name', async () => {
    await h.go('');
    // The dialog that was closed just before has the keyboard for a moment still.
    const field = page.getByRole('combobox', {name: 'Find schedules'});
    for (let i = 0; i < 50 && !(await field.evaluate((one) => one === document.activeElement)); ++i) await page.keyboard.press('/');
    await page.keyboard.type('sta');
    await page.getByRole('option', {name: /state:/}).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('pau');
    await page.getByRole('option', {name: /state:paused/}).click();
    await page.keyboard.type('evil');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes('filter=state:paused') && location.hash.includes('evil'));
    await page.getByText('1', {exact: true}).first().waitFor();
    await page.getByRole('button', {name: 'Save this view'}).click();
    await page.getByLabel('Name of the view').fill('paused evil');
    await page.keyboard.press('Enter');
    await h.go('schedules');
    await page.getByRole('link', {name: 'paused evil'}).click();
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes('state:paused'));
    await page.reload();
    await page.getByRole('link', {name: 'paused evil'}).waitFor();
    await page.getByRole('button', {name: 'Forget the view paused evil'}).click();
    await page.getByRole('link', {name: 'paused evil'}).waitFor({state: 'detached'});
  });

  await h.test('a filter that matches nothing says so, and each part can be taken away', async () => {
    await h.go('schedules?filter=nosuch%20state:dead');
    await page.getByText('No schedule matches').waitFor();
    await page.getByRole('button', {name: 'Remove nosuch'}).click();
    await page.waitForFunction(() => !location.hash.includes('nosuch') && decodeURIComponent(location.hash).includes('state:dead'));
    await page.getByRole('button', {name: 'Remove state:dead'}).click();
    await page.getByRole('link', {name: 'greeter'}).waitFor();
  });

  await h.testOutage('runs of a schedule that is not there: said so, with the way back', async () => {
    await h.go('runs?schedule=nosuch');
    await page.getByRole('button', {name: 'Remove schedule nosuch'}).click();
    await page.locator('[data-row]').first().waitFor();
  });

  await h.test('the zone can be chosen, and every time names it', async () => {
    const newest = (await server.ask('GET', '/api/v1/runs?schedule=hourly&limit=1')).items[0].id;
    await h.go(`runs/${newest}`);
    const due = page.locator('dl time').first();
    await page.getByLabel('Time zone of times').selectOption('utc');
    assert.match(await due.innerText(), / UTC$/);
    await page.getByLabel('Time zone of times').selectOption('own');
    await page.waitForFunction(() => /(GMT\+9|JST)$/.test(document.querySelector('dl time')?.innerText ?? ''));
    await page.getByLabel('Time zone of times').selectOption('local');
    assert.match(await due.innerText(), / CES?T$/);
  });

  await h.test('two tabs share one event stream, and both are live', async () => {
    await h.go('schedules/default/greeter');
    const other = await context.newPage();
    await other.goto(h.at('schedules'));
    await other.getByText('● Live').waitFor();
    await page.getByText('● Live').waitFor();
    const metrics = await server.ask('GET', '/metrics');
    assert.match(metrics, /^carillon_\w*event_streams(?:\{[^}]*\})? 1$/m);
    await server.ask('PATCH', '/api/v1/schedules/greeter', {name: 'Seen in both'});
    await page.getByRole('heading', {name: 'Seen in both'}).waitFor();
    await other.getByRole('link', {name: 'Seen in both'}).waitFor();
    await server.ask('PATCH', '/api/v1/schedules/greeter', {name: 'greeter'});
    await other.close();
  });

  await h.testOutage('it works below a path of a proxy', async () => {
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
    h.origins.push(origin);
    const fourth = await h.newContext();
    const behind = await fourth.newPage();
    await behind.goto(`${origin}/ops/#/schedules`);
    await behind.getByLabel('Or paste a token').fill(server.token);
    await behind.getByRole('button', {name: 'Sign in'}).click();
    await behind.getByRole('link', {name: 'greeter'}).click();
    await behind.getByText('● Live').waitFor();
    await behind.getByRole('heading', {name: 'greeter'}).waitFor();
    await behind.getByRole('tab', {name: 'Trend'}).click(); // a part that is loaded later
    await behind.getByRole('img', {name: /Durations over time/}).waitFor();
    await fourth.close();
    proxy.closeAllConnections();
    proxy.close();
  });
}
