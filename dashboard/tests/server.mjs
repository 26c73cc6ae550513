// A real server with a folder of its own, for the tests in the browser.
import {spawn} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';

export class Server {
  constructor(binary) {
    this.binary = resolve(binary);
    this.folder = mkdtempSync(join(tmpdir(), 'carillon-dashboard-'));
    this.port = 0;
  }

  /** Ready when it has greeted. */
  async start() {
    this.process = spawn(
      this.binary,
      ['serve', '--data', join(this.folder, 'data'), '--listen', `127.0.0.1:${this.port}`, '--stop-timeout', '1s'],
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
