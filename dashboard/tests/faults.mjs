// What goes wrong around the page: each says what is so and what can be done, and nothing typed is lost.
import assert from 'node:assert/strict';

export async function faults(h) {
  const {page, server, context} = h;
  const review = async (on = page) => {
    await on.getByRole('button', {name: 'Save …'}).click();
    await on.getByRole('dialog').getByRole('button', {name: 'Save', exact: true}).click();
  };

  await h.testOutage('two who edit: both changes can be kept, and a clash is decided place by place', async () => {
    await server.ask('PATCH', '/api/v1/schedules/hourly', {name: 'Hourly', description: 'old'});
    // While updates are paused the page does not learn of it before it saves.
    await h.go('edit/default/hourly');
    await page.keyboard.press('Tab');
    await page.getByText('● Live').click();
    await page.getByLabel('Name', {exact: true}).fill('My name');
    await page.getByLabel('Labels').fill('team=mine');
    await server.ask('PATCH', '/api/v1/schedules/hourly', {name: 'Their name', description: 'theirs'});
    await review();
    await page.getByText('Somebody changed it meanwhile').waitFor();
    const row = page.getByRole('row', {name: /^name/});
    await row.getByText('Hourly').waitFor();
    await row.getByText('Their name').waitFor();
    await row.getByText('My name').waitFor();
    await page.getByLabel('Keep of name').selectOption('theirs');
    await page.getByRole('button', {name: 'Save what is chosen'}).click();
    await page.getByText('Saved hourly').waitFor();
    const saved = await server.ask('GET', '/api/v1/schedules/hourly');
    assert.deepEqual([saved.name, saved.description, saved.labels], ['Their name', 'theirs', {team: 'mine'}]);
    await page.getByText('‖ Paused').click();
    await page.getByText('● Live').waitFor();
  });

  await h.testOutage('what was typed survives a reload', async () => {
    await h.go('edit/default/hourly');
    await page.getByLabel('Description').fill('half an idea');
    await page.reload();
    await page.getByText('What you typed before is back').waitFor();
    assert.equal(await page.getByLabel('Description').inputValue(), 'half an idea');
    await page.getByRole('button', {name: 'Start over'}).click();
    await page.waitForFunction(() => document.querySelector('input[placeholder="for whoever wonders"]')?.value === 'theirs');
  });

  await h.testOutage('nothing can be typed into a form that is still being read', async () => {
    const other = await h.newContext();
    const tab = await h.signIn(other, 'schedules', server.token);
    await tab.getByRole('heading', {name: 'Schedules'}).waitFor();
    let answer = () => {};
    const asked = new Promise((resolve) => { answer = resolve; });
    await tab.route(/api\/v1\/schedules\/hourly\?/, async (route) => { await asked; await route.continue(); });
    await tab.goto(h.at('edit/default/hourly'));
    await tab.getByRole('heading', {name: 'Edit hourly'}).waitFor();
    assert.equal(await tab.getByLabel('Description').count(), 0);
    await tab.getByText('Loading …').waitFor();
    answer();
    await tab.getByLabel('Description').waitFor();
    assert.equal(await tab.getByLabel('Description').inputValue(), 'theirs');
    await other.close();
  });

  await h.testOutage('a schedule deleted while it is edited can be created again', async () => {
    await server.ask('POST', '/api/v1/schedules', {id: 'doomed', cron: '0 4 * * *', jobType: 'none', enabled: false});
    await h.go('edit/default/doomed');
    await page.getByLabel('Name', {exact: true}).fill('Came back');
    await server.ask('DELETE', '/api/v1/schedules/doomed');
    await page.getByText('Somebody deleted it meanwhile').waitFor();
    assert.equal(await page.getByLabel('Name', {exact: true}).inputValue(), 'Came back');
    await page.getByRole('button', {name: 'Create it again'}).click();
    await page.getByRole('heading', {name: 'Came back'}).waitFor();
  });

  await h.testOutage('a token revoked while a form is open: sign in again, and go on', async () => {
    const editor = await server.ask('POST', '/api/v1/tokens', {name: 'short-lived', role: 'admin'});
    const other = await h.newContext();
    const tab = await h.signIn(other, 'edit/default/hourly', editor.token);
    await tab.getByLabel('Description').fill('typed before the end');
    await server.ask('DELETE', `/api/v1/tokens/${editor.id}`);
    await tab.getByText('The session has ended').waitFor();
    await tab.getByLabel('Or paste a token').fill('carillon_wrong');
    await tab.getByRole('button', {name: 'Sign in'}).click();
    await tab.getByText('This is no valid token').waitFor();
    await tab.getByLabel('Or paste a token').fill(server.token);
    await tab.getByRole('button', {name: 'Sign in'}).click();
    await tab.getByLabel('Or paste a token').waitFor({state: 'detached'});
    assert.equal(await tab.getByLabel('Description').inputValue(), 'typed before the end');
    await review(tab);
    await tab.getByText('Saved hourly').waitFor();
    await other.close();
  });

  await h.testOutage('who may only look is offered no actions, and is told why', async () => {
    const viewer = await server.ask('POST', '/api/v1/tokens', {name: 'wallboard', role: 'viewer'});
    const third = await h.newContext();
    const looking = await h.signIn(third, 'schedules/default/greeter', viewer.token);
    await looking.getByRole('heading', {name: 'greeter'}).waitFor();
    await looking.getByText('You are signed in as viewer').waitFor();
    assert.equal(await looking.getByRole('button', {name: 'Trigger', exact: true}).count(), 0);
    assert.equal(await looking.getByRole('link', {name: 'Activity'}).count(), 0);
    await looking.keyboard.press('t');
    assert.equal(await looking.getByRole('dialog').count(), 0);
    await h.go('activity', looking);
    await looking.getByText('This page needs the role admin').waitFor();
    await h.go('edit/default/greeter', looking);
    await looking.getByText('Saving needs the role editor').waitFor();
    await looking.getByLabel('Name', {exact: true}).fill('Not mine');
    assert.equal(await looking.getByRole('button', {name: 'Save …'}).isDisabled(), true);
    await server.ask('DELETE', `/api/v1/tokens/${viewer.id}`);
    await looking.getByText('The session has ended').waitFor();
    await third.close();
  });

  await h.testOutage('a browser whose clock is wrong is told so, and counts by the server', async () => {
    const other = await h.newContext();
    await other.addInitScript(() => {
      const now = Date.now.bind(Date);
      Date.now = () => now() - 600_000;
    });
    const tab = await h.signIn(other, '', server.token);
    await tab.getByText(/clock of this browser is (10m|9m 59s).* behind/).waitFor();
    await tab.goto(h.at('schedules/default/greeter'));
    await tab.getByRole('heading', {name: 'greeter'}).waitFor();
    const next = await tab.locator('dl time').nth(1).innerText();
    assert.match(next, /^(now|in [0-2]s|[0-9]s ago)/);
    await other.close();
  });

  await h.testOutage('the server goes away and comes back: said so, nothing typed is lost, and it goes on', async () => {
    await h.go('schedules/default/greeter');
    await page.getByText('● Live').waitFor();
    const tab = await context.newPage();
    await h.go('edit/default/hourly', tab);
    await tab.getByLabel('Description').fill('typed during the outage');
    await server.stop();
    await page.getByText('⚠ Stale since').waitFor();
    await tab.getByRole('button', {name: 'Save …'}).click();
    await tab.getByRole('dialog').getByText('the server does not answer').first().waitFor();
    await tab.getByRole('dialog').getByRole('button', {name: 'Back to the form'}).click();
    assert.equal(await tab.getByLabel('Description').inputValue(), 'typed during the outage');
    await server.start();
    await page.getByText('● Live').waitFor();
    await page.getByRole('link', {name: /succeeded|running/}).first().waitFor();
    await review(tab);
    await tab.getByText('Saved hourly').waitFor();
    await tab.close();
  });

  await h.testOutage('a page of an older build says that the server has a newer one', async () => {
    const other = await h.newContext();
    const tab = await h.signIn(other, 'schedules', server.token);
    await tab.getByText('● Live').waitFor();
    // The next build names its first script otherwise.
    await tab.route(`${server.url}/`, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({response: answer, body: (await answer.text()).replace(/assets\/index-[\w-]+\.js/, 'assets/index-newer.js')});
    });
    await server.stop();
    await tab.getByText('⚠ Stale since').waitFor();
    await server.start();
    await tab.getByText('The server has a newer dashboard').waitFor();
    // What it wants to load later is gone with the old build.
    await tab.route('**/assets/Timeline-*.js', (route) => route.fulfill({status: 404, body: ''}));
    await tab.getByRole('link', {name: 'Timeline'}).click();
    await tab.getByText('This page could not be loaded').waitFor();
    await other.close();
  });

  await h.testOutage('signing out ends the session', async () => {
    await h.go('');
    const key = await page.evaluate(() => localStorage.getItem('carillon.session-key'));
    const cookies = (await context.cookies()).map((one) => `${one.name}=${one.value}`).join('; ');
    await page.getByRole('button', {name: 'Sign out'}).click();
    await page.getByLabel('Or paste a token').waitFor();
    const status = async () => (await fetch(`${server.url}/api/v1/schedules`, {headers: {Cookie: cookies, 'Carillon-Session-Key': key}})).status;
    assert.equal(await status(), 401);
    await server.stop();
    await server.start();
    assert.equal(await status(), 401, 'also after a restart');
    const records = (await server.ask('GET', '/api/v1/audit?limit=20')).items.map((record) => record.operation);
    assert.ok(records.includes('session.close'));
  });
}
