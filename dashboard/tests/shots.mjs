// Pictures of the main pages: node tests/shots.mjs BASE LINK FOLDER
import {chromium} from 'playwright-core';
const [base, link, folder] = process.argv.slice(2);
const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']});
const context = await browser.newContext({viewport: {width: 1440, height: 900}, colorScheme: 'light', timezoneId: 'Europe/Berlin'});
const page = await context.newPage();
page.on('console', (m) => console.log('console', m.type(), m.text()));
page.on('pageerror', (e) => console.log('pageerror', e.message));
await page.goto(link);
await page.waitForSelector('h1');
await page.waitForTimeout(2500);
const run = await page.evaluate(async () => {
  const r = await fetch('./api/v1/runs?limit=100&decisions=true', {headers: {'Carillon-Session-Key': localStorage.getItem('carillon.session-key')}});
  const items = (await r.json()).items;
  return {failed: items.find((i) => i.state === 'failed')?.id, skipped: items.find((i) => i.state === 'skipped')?.id, chatty: items.find((i) => i.schedule === 'chatty')?.id};
});
const pages = {overview: '#/', schedules: '#/schedules', schedule: '#/schedules/default/slow?hours=1', runs: '#/runs?skipped=too', failed: `#/runs/${run.failed}`, chatty: `#/runs/${run.chatty}`, skipped: `#/runs/${run.skipped}`, timeline: '#/timeline?span=900000', load: '#/load', queues: '#/queues', activity: '#/activity', system: '#/system', edit: '#/edit', definition: '#/schedules/default/nightly-etl?tab=definition', editold: '#/edit/default/nightly-etl'};
for (const scheme of ['light', 'dark']) {
  await page.emulateMedia({colorScheme: scheme});
  for (const [name, hash] of Object.entries(pages)) {
    await page.goto(base + '/' + hash);
    await page.waitForTimeout(900);
    await page.screenshot({path: `${folder}/${name}-${scheme}.png`});
  }
}
await page.emulateMedia({colorScheme: 'light'});
await page.setViewportSize({width: 360, height: 740});
for (const [name, hash] of Object.entries(pages)) {
  await page.goto(base + '/' + hash);
  await page.waitForTimeout(700);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  if (wide > 360) console.log(name, 'is', wide, 'wide');
  await page.screenshot({path: `${folder}/${name}-360.png`});
}
await browser.close();
