// A real server with a folder of its own, for the tests in the browser.
import {spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';

export class Server {
  constructor(binary) {
    this.binary = resolve(binary);
    this.folder = mkdtempSync(join(tmpdir(), 'carillon-dashboard-'));
    this.port = 0;
    this.#writePipeline();
  }

  /** A pipeline that asks a file of answers: three rows, one of which gets none that can be read. */
  #writePipeline() {
    const home = join(this.folder, 'pipelines', 'triage');
    mkdirSync(home, {recursive: true});
    writeFileSync(join(home, 'pipeline.yaml'), [
      'name: "Triage"', 'schedule: {cron: "0 9 * * 1-5", timezone: "America/New_York", retryPolicy: {maxRetries: 0}}', 'input: {from: {type: csv, path: "bugs.csv"}}',
      'map: {prompt: "Analyze: {{title}}", output: [severity, note]}', 'reduce: {type: json}', '',
    ].join('\n'));
    writeFileSync(join(home, 'bugs.csv'), 'id,title\n1,Login fails\n2,"<img src=x onerror=""globalThis.hit=1"">"\n3,Broken answer\n');
    writeFileSync(join(this.folder, 'answers.yaml'), [
      'rules:', "  - {contains: Login, answer: '{\"severity\": \"high\", \"note\": \"<script>globalThis.hit=1</script>\"}'}", "  - {contains: Broken, answer: 'no JSON at all'}", "default: '{\"severity\": \"low\", \"note\": \"\"}'", '',
    ].join('\n'));
    writeFileSync(join(this.folder, 'providers.yaml'), 'providers: {demo: {type: mock, answers: answers.yaml}}\n');
  }

  /** Ready when it has greeted. */
  async start() {
    this.process = spawn(
      this.binary,
      ['serve', '--data', join(this.folder, 'data'), '--listen', `127.0.0.1:${this.port}`, '--stop-timeout', '1s', '--watch', join(this.folder, 'pipelines'), '--providers', join(this.folder, 'providers.yaml')],
      {cwd: this.folder, env: {...process.env, XDG_STATE_HOME: join(this.folder, 'state'), JOURNAL_STREAM: undefined}, stdio: ['ignore', 'pipe', 'pipe']},
    );
    let text = '';
    this.process.stderr.on('data', (bytes) => (this.log = (this.log ?? '') + bytes));
    await new Promise((resolve, reject) => {
      this.process.stdout.on('data', (bytes) => {
        text += bytes;
        if (text.includes('Ctrl-C stops it')) resolve();
      });
      this.process.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${text}${this.log}`)));
    });
    this.url = /at (http:\/\/\S+)/.exec(text)[1];
    this.port = Number(new URL(this.url).port);
    this.link = /dashboard: (\S+)/.exec(text)[1];
    this.token = readFileSync(join(this.folder, 'data', 'admin.token'), 'utf8').trim();
  }

  async stop() {
    const gone = new Promise((resolve) => this.process.on('exit', resolve));
    this.process.kill('SIGTERM');
    await gone;
  }

  async close() {
    if (this.process.exitCode === null) await this.stop();
    rmSync(this.folder, {recursive: true, force: true});
  }

  /** A request with the first token. */
  async ask(method, path, body) {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {Authorization: `Bearer ${this.token}`, ...(body ? {'Content-Type': 'application/json'} : {})},
      body: body ? JSON.stringify(body) : undefined,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text && response.headers.get('Content-Type')?.includes('json') ? JSON.parse(text) : text;
  }
}
