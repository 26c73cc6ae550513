import type {Run, Worker} from '../../api/types';

export type ShownWorker = {name: string; running: number; runs: Run[]};

/** Workers that are there, with what they have; the busiest first, those of one name together. */
export function workersOf(present: Worker[], working: Run[]): ShownWorker[] {
  const workers = new Map<string, ShownWorker>();
  const of = (name: string): ShownWorker => {
    const worker = workers.get(name) ?? {name, running: 0, runs: []};
    workers.set(name, worker);
    return worker;
  };
  for (const one of present) of(one.name).running += one.running;
  for (const run of working) of(run.attempts?.at(-1)?.worker ?? 'unknown').runs.push(run);
  for (const worker of workers.values()) worker.running = Math.max(worker.running, worker.runs.length);
  return [...workers.values()].sort((a, b) => b.running - a.running || a.name.localeCompare(b.name));
}
