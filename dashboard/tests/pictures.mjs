// Pictures for the documentation, from a server that has run for a while: node tests/pictures.mjs LINK FOLDER
import {mkdirSync} from 'node:fs';
import {chromium} from 'playwright-core';

const [link, folder] = process.argv.slice(2);
mkdirSync(folder, {recursive: true});
const base = link.split('#')[0];
const browser = await chromium.launch({executablePath: process.env.CARILLON_CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox']});
const page = await browser.newPage({viewport: {width: 1280, height: 800}, timezoneId: 'Europe/Berlin'});
await page.goto(link);
await page.getByRole('heading', {name: 'Overview'}).waitFor();
const failed = await page.evaluate(async () => {
  const headers = {'Carillon-Session-Key': localStorage.getItem('carillon.session-key')};
  return (await (await fetch('./api/v1/runs?state=failed&limit=1', {headers})).json()).items[0]?.id;
});
const pages = {overview: '', schedules: 'schedules', schedule: 'schedules/default/slow?hours=1', run: `runs/${failed}`, timeline: 'timeline?span=900000', editor: 'edit/default/nightly-etl'};
for (const colorScheme of ['light', 'dark']) {
  await page.emulateMedia({colorScheme});
  for (const [name, hash] of Object.entries(pages)) {
    await page.goto(`${base}#/${hash}`);
    await page.waitForTimeout(1500);
    await page.screenshot({path: `${folder}/${name}-${colorScheme}.png`});
  }
}
await browser.close();
