// What every test in the browser needs: a real server, Chromium, and an eye on everything that must not happen.
import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {Server} from './server.mjs';

function leaveOut(why) {
  console.log(`not tried: ${why}`);
  process.exit(77);
}

export class Harness {
  faults = [];
  origins = [];
  /** While a refusal or an outage is what a test wants, the browser's own errors about it do not count. */
  expectsOutage = false;
  testCount = 0;
  failedCount = 0;
  axeCount = 0;

  static async open(binary, pictures) {
    const chromiumPath = process.env.CARILLON_CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
    if (!chromiumPath) leaveOut('there is no Chromium');
    const {chromium} = await import('playwright-core').catch(() => leaveOut('the packages of the dashboard are not installed'));
    const h = new Harness();
    h.pictures = pictures;
    if (pictures) mkdirSync(pictures, {recursive: true});
    h.axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    h.server = new Server(binary);
    await h.server.start();
    const index = await (await fetch(h.server.url, {headers: {Accept: 'text/html'}})).text();
    if (index.includes('built without its dashboard')) {
      await h.server.close();
      leaveOut('the program has no dashboard');
    }
    h.origins.push(h.server.url);
    h.browser = await chromium.launch({executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu']});
    h.context = await h.newContext();
    h.page = await h.context.newPage();
    return h;
  }

  async newContext(options = {}) {
    const context = await this.browser.newContext({viewport: {width: 1440, height: 900}, timezoneId: 'Europe/Berlin', ...options});
    context.setDefaultTimeout(15_000);
    await context.addInitScript(() => {
      globalThis.violations = [];
      document.addEventListener('securitypolicyviolation', (event) => globalThis.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
    });
    context.on('page', (page) => this.watch(page));
    return context;
  }
  watch(page) {
    page.on('console', (message) => {
      // A spec that is not valid yet is refused while it is typed, which the browser tells.
      const isRefusal = /status of (412|422)/.test(message.text());
      if (message.type() === 'error' && !isRefusal && !this.expectsOutage) this.faults.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.faults.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => this.faults.push(`dialog: ${dialog.message()}`));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (!this.origins.includes(url.origin) && !['data:', 'blob:'].includes(url.protocol)) this.faults.push(`foreign request: ${request.url()}`);
    });
  }

  async test(name, what) {
    const began = Date.now();
    try {
      await what();
      assert.deepEqual(this.faults.splice(0), [], 'nothing went wrong in the page');
      for (const page of this.context.pages()) assert.deepEqual(await page.evaluate(() => globalThis.violations), [], 'no violation of the content rules');
    } catch (error) {
      console.log(`FAILED  ${name}`);
      console.log(error);
      this.failedCount += 1;
      this.faults.length = 0;
      this.expectsOutage = false;
      if (this.pictures) await this.page.screenshot({path: `${this.pictures}/failed-${this.failedCount}.png`}).catch(() => {});
      // What follows builds on it: the first few tell enough.
      if (this.failedCount >= 3) await this.close();
      return;
    }
    this.testCount += 1;
    console.log(`ok      ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  }
  /** A test in which requests fail on purpose. */
  async testOutage(name, what) {
    await this.test(name, async () => {
      this.expectsOutage = true;
      await what();
      this.expectsOutage = false;
      this.faults.length = 0;
    });
  }

  at(hash) {
    return `${this.server.url}/#/${hash}`;
  }
  async go(hash, page = this.page) {
    await page.goto(this.at(hash));
    await page.locator('h1').first().waitFor();
  }
  async signIn(context, hash, token) {
    const page = await context.newPage();
    await page.goto(this.at(hash));
    await page.getByLabel('Or paste a token').fill(token);
    await page.getByRole('button', {name: 'Sign in'}).click();
    return page;
  }
  /** Waits until nothing is being loaded: what a picture or a check of accessibility should see. */
  async settled(page = this.page) {
    await page.waitForFunction(() => !document.body.innerText.match(/Loading …|Counting …|Asking the server …/));
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  }
  /** All rules, or some: what only colours decide need not be asked of the structure twice. */
  async checkAccessibility(name, page = this.page, rules = null) {
    if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(this.axeSource);
    const result = await page.evaluate((only) => globalThis.axe.run(document, {resultTypes: ['violations'], ...(only ? {runOnly: only} : {})}), rules);
    this.axeCount += 1;
    const found = result.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`).join(' | ')}`);
    for (const one of found) this.faults.push(`axe on ${name}: ${one}`);
  }
  async close() {
    await this.browser.close();
    await this.server.close();
    if (this.failedCount) console.log(`${this.failedCount} failed`);
    console.log(`${this.testCount} browser tests, ${this.axeCount} axe checks`);
    process.exit(this.failedCount ? 1 : 0);
  }
}
