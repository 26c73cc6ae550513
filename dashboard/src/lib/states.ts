/** Shape, word and colour of every state: never colour alone. */
export type Look = {shape: string; word: string; tone: Tone};
export type Tone = 'ok' | 'failed' | 'skipped' | 'waiting' | 'running' | 'planned';

const looks: Record<string, Look> = {
  succeeded: {shape: '✔', word: 'succeeded', tone: 'ok'},
  failed: {shape: '✗', word: 'failed', tone: 'failed'},
  timed_out: {shape: '⧗', word: 'timed out', tone: 'failed'},
  lost: {shape: '?', word: 'lost', tone: 'failed'},
  expired: {shape: '⌛', word: 'expired', tone: 'failed'},
  cancelled: {shape: '■', word: 'cancelled', tone: 'skipped'},
  skipped: {shape: '⊘', word: 'skipped', tone: 'skipped'},
  waiting: {shape: '◷', word: 'waiting', tone: 'waiting'},
  queued: {shape: '◷', word: 'queued', tone: 'waiting'},
  claimed: {shape: '◷', word: 'claimed', tone: 'waiting'},
  retrying: {shape: '↻', word: 'retrying', tone: 'waiting'},
  running: {shape: '▶', word: 'running', tone: 'running'},
  launched: {shape: '▶', word: 'running', tone: 'running'},
  planned: {shape: '○', word: 'planned', tone: 'planned'},
  started: {shape: '▶', word: 'started', tone: 'running'},
  active: {shape: '●', word: 'active', tone: 'ok'},
  paused: {shape: '‖', word: 'paused', tone: 'waiting'},
  disabled: {shape: '◌', word: 'disabled', tone: 'skipped'},
  done: {shape: '✔', word: 'done', tone: 'skipped'},
  dead: {shape: '✗', word: 'dead', tone: 'failed'},
  error: {shape: '✗', word: 'last run failed', tone: 'failed'},
  completed: {shape: '✔', word: 'completed', tone: 'ok'},
};

export function lookOf(state: string): Look {
  return looks[state] ?? {shape: '·', word: state.replaceAll('_', ' '), tone: 'planned'};
}

export const failedStates = ['failed', 'timed_out', 'lost', 'expired'];
export const openStates = ['waiting', 'queued', 'running', 'retrying'];

export function isOpen(state: string): boolean {
  return openStates.includes(state);
}

/** A sentence of the server without the time and the reason that stand beside it already. */
export function shortWhy(why: string | null | undefined): string {
  return (why ?? '').replace(/^scheduled for \S+ \(revision \d+\); /, '').replace(/^skipped \(\w+\): /, '');
}

/** What a reason means, for the place where only its word stands. */
export const reasonWords: Record<string, string> = {
  overlap: 'the previous run was still active',
  buffer_full: 'too many starts were waiting already',
  superseded: 'a newer missed occurrence was started instead',
  missed: 'carillon was not running, and catch-up is off or too late',
  quota: 'more were missed than catch-up may start',
  paused: 'the schedule was paused',
  deleted: 'the schedule was deleted',
  condition: 'its condition did not hold',
  upstream: 'the schedule it follows did not succeed in time',
  exhausted: 'a limit of the schedule was reached',
  outage: 'no server was running when it was due',
  clock: 'the clock of the server was wrong',
};
