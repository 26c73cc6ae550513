/** The form is a view of the document: what it does not know stays in the document as it is. */
export type Form = {
  id: string;
  name: string;
  labels: string;
  when: 'cron' | 'every' | 'manual';
  cron: string;
  every: string;
  timezone: string;
  jitter: string;
  action: 'command' | 'http' | 'job';
  argv: string;
  url: string;
  method: string;
  jobType: string;
  queue: string;
  overlap: string;
  catchup: string;
  attempts: number;
  backoff: string;
  timeout: string;
};
type Document = Record<string, unknown>;

export function emptyForm(): Form {
  return {
    id: '', name: '', labels: '', when: 'cron', cron: '0 2 * * *', every: '15m', timezone: 'UTC', jitter: '',
    action: 'command', argv: '', url: '', method: 'POST', jobType: '', queue: 'default',
    overlap: 'skip', catchup: 'latest', attempts: 4, backoff: '1m', timeout: '',
  };
}

const record = (value: unknown): Document => (value && typeof value === 'object' ? (value as Document) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Whether the form can show all that the spec and the action say: only then may it be edited in the form. */
export function isSimple(document: Document): boolean {
  const spec = record(document.spec);
  const crons = list(spec.cron).length;
  const intervals = list(spec.intervals) as Document[];
  const others = list(spec.calendars).length + list(spec.times).length + list(spec.exclude).length;
  if (others || spec.startAt || spec.endAt || (crons && intervals.length) || intervals.length > 1) return false;
  const interval = intervals[0];
  if (interval && interval.anchor && interval.anchor !== 'creation') return false;
  if (interval && text(interval.offset) && interval.offset !== '0s') return false;
  const command = record(document.action).command as Document | undefined;
  if (command && (command.shell === true || list(command.argv).some((word) => text(word).includes('\n')))) return false;
  return !('pipeline' in record(document.action));
}

export function formOf(document: Document): Form {
  const form = emptyForm();
  const spec = record(document.spec);
  const action = record(document.action);
  const policies = record(document.policies);
  const retry = record(policies.retry);
  const interval = record(list(spec.intervals)[0]);
  const command = record(action.command);
  const http = record(action.http);
  const job = record(action.job);
  return {
    ...form,
    id: text(document.id),
    name: text(document.name),
    labels: Object.entries(record(document.labels)).map(([key, value]) => `${key}=${String(value)}`).join(', '),
    when: list(spec.cron).length ? 'cron' : interval.every ? 'every' : 'manual',
    cron: list(spec.cron).length ? list(spec.cron).join('\n') : form.cron,
    every: text(interval.every) || form.every,
    timezone: text(spec.timezone) || 'UTC',
    jitter: text(spec.jitter),
    action: action.http ? 'http' : action.job ? 'job' : 'command',
    argv: list(command.argv).join('\n'),
    url: text(http.url),
    method: text(http.method) || 'POST',
    jobType: text(job.type),
    queue: text(job.queue) || 'default',
    overlap: text(policies.overlap) || 'skip',
    catchup: text(record(policies.catchup).policy) || 'latest',
    attempts: Number(retry.maxAttempts ?? form.attempts),
    backoff: text(retry.initial) || form.backoff,
    timeout: text(policies.timeout),
  };
}

/** The document with what the form says. */
export function mergeForm(document: Document, form: Form): Document {
  const spec = record(document.spec);
  const policies = record(document.policies);
  const merged: Document = {
    ...document,
    ...(form.id ? {id: form.id} : {}),
    ...(form.name ? {name: form.name} : {}),
    labels: labelsOf(form.labels),
    spec: {
      ...spec,
      cron: form.when === 'cron' ? form.cron.split('\n').map((line) => line.trim()).filter(Boolean) : [],
      intervals: form.when === 'every' ? [{...record(list(spec.intervals)[0]), every: form.every}] : [],
      timezone: form.timezone || 'UTC',
      ...(form.jitter ? {jitter: form.jitter} : {}),
    },
    action: actionOf(record(document.action), form),
    policies: {
      ...policies,
      overlap: form.overlap,
      catchup: {...record(policies.catchup), policy: form.catchup},
      retry: {...record(policies.retry), maxAttempts: form.attempts, initial: form.backoff || '1m'},
      timeout: form.timeout || null,
    },
  };
  return merged;
}

function labelsOf(line: string): Record<string, string> {
  const pairs = line.split(',').map((pair) => pair.trim()).filter(Boolean);
  return Object.fromEntries(pairs.map((pair) => [pair.split('=', 1)[0] ?? '', pair.includes('=') ? pair.slice(pair.indexOf('=') + 1) : '']));
}

function actionOf(action: Document, form: Form): Document {
  if (form.action === 'http') return {http: {...record(action.http), url: form.url, method: form.method}};
  if (form.action === 'job') return {job: {...record(action.job), type: form.jobType, queue: form.queue || 'default'}};
  return {command: {...record(action.command), argv: form.argv.split('\n').filter(Boolean)}};
}
