/** One stream of events for a browser, not one for each tab: the tab that holds the lock reads it and tells the others. */
import {base, request} from '../api/client';
import {EventTextReader, type ServerEvent} from './event_text';

export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'paused' | 'signed-out';
type Listener = (events: ServerEvent[]) => void;
type Message = {events?: ServerEvent[]; state?: LiveState; hello?: true};

const waitMax = 15_000;
const hiddenMax = 60_000;

class Live {
  state = $state<LiveState>('connecting');
  /** When the stream was last known to be whole. */
  seen = $state(Date.now());
  #listeners = new Set<Listener>();
  #channel = new BroadcastChannel(`carillon-events ${base}`);
  #lastId = '';
  #abort: AbortController | null = null;
  #isLeader = false;
  #started = false;
  #isAsleep = false;

  constructor() {
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A tab that nobody looks at asks for nothing. Alone in its browser only: others may be looked at, and listen to this.
    document.addEventListener('visibilitychange', () => {
      clearTimeout(timer);
      this.#isAsleep = false;
      if (!document.hidden || navigator.locks) return;
      timer = setTimeout(() => {
        this.#isAsleep = true;
        this.#abort?.abort();
      }, hiddenMax);
    });
    this.#channel.onmessage = (message: MessageEvent<Message>) => {
      if (message.data.hello && this.#isLeader) this.#channel.postMessage({state: this.state} satisfies Message);
      if (message.data.state && !this.#isLeader && this.state !== 'paused') this.#enter(message.data.state);
      if (message.data.events && this.state !== 'paused') this.#deliver(message.data.events);
    };
  }

  /** To be called when signed in. */
  start(): void {
    if (this.#started) {
      if (this.state === 'signed-out') {
        this.#enter('connecting');
        // What was refused meanwhile is read again.
        this.#deliver([{id: '', name: 'resync', data: null}]);
      }
      return;
    }
    this.#started = true;
    this.#channel.postMessage({hello: true} satisfies Message);
    const lead = async (): Promise<void> => {
      this.#isLeader = true;
      await this.#read();
    };
    // Locks exist only in secure contexts, of which localhost is one. Elsewhere each tab has a stream of its own.
    if (navigator.locks) void navigator.locks.request(`carillon-events ${base}`, lead);
    else void lead();
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Paused means no request at all until resumed. */
  togglePause(): void {
    if (this.state === 'paused') {
      this.#enter('connecting');
      this.#deliver([{id: '', name: 'resync', data: null}]);
      this.#channel.postMessage({hello: true} satisfies Message);
    } else {
      this.state = 'paused';
      this.#abort?.abort();
    }
  }
  get isPaused(): boolean {
    return this.state === 'paused';
  }
  signedOut(): void {
    this.#tell('signed-out');
    this.#abort?.abort();
  }

  #enter(state: LiveState): void {
    this.state = state;
    if (state === 'live') this.seen = Date.now();
  }
  #tell(state: LiveState): void {
    this.#enter(state);
    if (this.#isLeader) this.#channel.postMessage({state} satisfies Message);
  }
  #deliver(events: ServerEvent[]): void {
    this.seen = Date.now();
    for (const listener of this.#listeners) listener(events);
  }

  async #read(): Promise<void> {
    let wait = 500;
    for (;;) {
      if (this.isPaused || this.#isSignedOut() || this.#isAsleep) {
        await sleep(250);
        continue;
      }
      const began = Date.now();
      try {
        await this.#readStream();
      } catch {
        // Gone, refused or cut: tried again below.
      }
      if (this.isPaused || this.#isSignedOut() || this.#isAsleep) continue;
      this.#tell('reconnecting');
      if (Date.now() - began > 10_000) wait = 500;
      await sleep(wait);
      wait = Math.min(wait * 2, waitMax);
    }
  }
  #isSignedOut(): boolean {
    return this.state === 'signed-out';
  }

  async #readStream(): Promise<void> {
    this.#abort = new AbortController();
    const {signal} = this.#abort;
    const headers: Record<string, string> = {Accept: 'text/event-stream'};
    const isReturn = this.#lastId !== '';
    if (isReturn) headers['Last-Event-ID'] = this.#lastId;
    const response = await request(new Request(`${base}/api/v1/events`, {headers, signal}));
    if (!response.ok || !response.body) throw new Error(`events: ${response.status}`);
    this.#tell('live');
    // What was missed without an id is read anew by whoever listens.
    if (!isReturn) this.#spread([{id: '', name: 'resync', data: null}]);
    const reader = new EventTextReader();
    const decoder = new TextDecoder();
    const body = response.body.getReader();
    for (;;) {
      const {done, value} = await body.read();
      if (done) return;
      this.seen = Date.now();
      const events = reader.read(decoder.decode(value, {stream: true}));
      for (const event of events) if (event.id) this.#lastId = event.id;
      if (events.length) this.#spread(events);
    }
  }
  #spread(events: ServerEvent[]): void {
    this.#deliver(events);
    this.#channel.postMessage({events} satisfies Message);
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export const live = new Live();
