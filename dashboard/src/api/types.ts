import type {components} from './schema';

type Schemas = components['schemas'];
/** Schemas with definitions of their own carry them as a member, which no document has. */
type Document<T> = Omit<T, '$defs'>;

export type Run = Document<Schemas['Run']> & Required<Pick<Schemas['Run'], 'attempts' | 'namespace'>>;
export type Attempt = Schemas['Run']['$defs']['attempt'];
export type RunState = Schemas['Run']['$defs']['runState'];
export type SkipReason = Schemas['Run']['$defs']['skipReason'];
export type ShortRun = Schemas['Run']['$defs']['shortRun'];
export type Occurrence = Schemas['Occurrence'];
export type Occurrences = Schemas['Occurrences'];
export type Preview = Schemas['Preview'];
export type Backfill = Schemas['Backfill'];
export type BackfillRequest = Document<Schemas['BackfillRequest']>;
export type BackfillPreview = Schemas['BackfillPreview'];
export type Upcoming = Schemas['Upcoming']['items'][number];
export type TimelineRow = Schemas['Timeline']['items'][number];
export type Worker = Schemas['WorkerList']['items'][number];
export type Load = Schemas['Load'];
type Fields = Record<string, unknown>;
export type Item = Omit<Schemas['Item'], 'input' | 'output'> & {input: Fields; output: Fields};
export type Queue = Schemas['Queue'];
export type AuditRecord = Schemas['AuditRecord'];
export type System = Schemas['System'];
export type Session = Schemas['Session'];
export type Problem = Schemas['Problem'];
export type Warning = Schemas['Warning'];
export type BatchAnswer = Schemas['BatchAnswer'];
export type Spread = Schemas['Spread'];
export type Batch = Schemas['Batch'];
export type PlannedStart = Schemas['PlannedStart'];

export type Status = 'active' | 'paused' | 'disabled' | 'done' | 'dead';
type Action =
  | {command: {argv: string[]; shell: boolean}}
  | {http: {url: string; method: string}}
  | {job: {type: string; queue: string}}
  | {pipeline: {path: string}};

/** A schedule as the server answers it. The description has every member optional, because it may also be sent. */
export type Schedule = {
  id: string;
  namespace: string;
  name: string;
  description: string;
  labels: Record<string, string>;
  enabled: boolean;
  spec: {timezone: string; [member: string]: unknown};
  policies: {overlap: string; [member: string]: unknown};
  action: Action;
  status: Status;
  activity: 'idle' | 'running' | 'error';
  pause: {reason: string | null; until: string | null; by: string | null; at: string | null} | null;
  nextRunAt: string | null;
  nextDueAt: string | null;
  lastRunAt: string | null;
  lastSuccessAt: string | null;
  lastError: string | null;
  running: number;
  waiting: number;
  runCount: number;
  successCount: number;
  errorCount: number;
  skipped: Record<string, number>;
  stats: {averageDurationMs: number | null};
  managedBy: string | null;
  owner: string | null;
  revision: number;
  createdAt: string;
  updatedAt: string;
  warnings: Warning[];
  recent?: ShortRun[];
  sentence?: string;
  recentRuns?: Run[];
  upcoming?: PlannedStart[];
};
