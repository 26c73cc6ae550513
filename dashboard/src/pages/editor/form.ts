/** The form is a view of the document: what it does not know stays in the document as it is. */
import {emptyWhen, specOf, whenOf, type When} from './when';

export type Form = {
  id: string;
  name: string;
  description: string;
  labels: string;
  when: When;
  action: 'command' | 'http' | 'job' | 'pipeline' | 'workflow';
  argv: string;
  url: string;
  method: string;
  jobType: string;
  queue: string;
  payload: string;
  pipeline: string;
  workflowType: string;
  taskQueue: string;
  cluster: string;
  workflowId: string;
  input: string;
  overlap: string;
  catchup: string;
  window: string;
  attempts: number;
  backoffKind: string;
  backoff: string;
  timeout: string;
  startDeadline: string;
  failuresMax: number;
  pauseOnFailure: boolean;
};
type Document = Record<string, unknown>;

export function emptyForm(): Form {
  return {
    id: '', name: '', description: '', labels: '', when: emptyWhen(),
    action: 'command', argv: '', url: '', method: 'POST', jobType: '', queue: 'default', payload: '', pipeline: '', workflowType: '', taskQueue: '', cluster: '', workflowId: '', input: '',
    overlap: 'skip', catchup: 'latest', window: '', attempts: 4, backoffKind: 'exponential', backoff: '1m', timeout: '', startDeadline: '', failuresMax: 0, pauseOnFailure: false,
  };
}

const record = (value: unknown): Document => (value && typeof value === 'object' ? (value as Document) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Whether the form can show what the action says: only then may it be edited in the form. */
export function fitsForm(document: Document): boolean {
  const command = record(document.action).command as Document | undefined;
  return !command || (command.shell !== true && !list(command.argv).some((word) => text(word).includes('\n') || word === ''));
}

export function formOf(document: Document): Form {
  const form = emptyForm();
  const action = record(document.action);
  const policies = record(document.policies);
  const retry = record(policies.retry);
  const catchup = record(policies.catchup);
  const command = record(action.command);
  const http = record(action.http);
  const job = record(action.job);
  const workflow = record(action.workflow);
  return {
    ...form,
    id: text(document.id),
    name: text(document.name),
    description: text(document.description),
    labels: Object.entries(record(document.labels)).map(([key, value]) => `${key}=${String(value)}`).join(', '),
    when: whenOf(record(document.spec)),
    action: action.http ? 'http' : action.job ? 'job' : action.pipeline ? 'pipeline' : action.workflow ? 'workflow' : 'command',
    argv: list(command.argv).join('\n'),
    url: text(http.url),
    method: text(http.method) || 'POST',
    jobType: text(job.type),
    queue: text(job.queue) || 'default',
    payload: job.payload === undefined ? '' : JSON.stringify(job.payload),
    pipeline: text(record(action.pipeline).path),
    workflowType: text(workflow.type),
    taskQueue: text(workflow.taskQueue),
    cluster: text(workflow.cluster),
    workflowId: text(workflow.id),
    input: list(workflow.input).length ? JSON.stringify(workflow.input) : '',
    overlap: text(policies.overlap) || 'skip',
    catchup: text(catchup.policy) || 'latest',
    window: text(catchup.window),
    attempts: Number(retry.maxAttempts ?? form.attempts),
    backoffKind: text(retry.backoff) || form.backoffKind,
    backoff: text(retry.initial) || form.backoff,
    timeout: text(policies.timeout),
    startDeadline: text(policies.startDeadline),
    failuresMax: Number(policies.maxConsecutiveFailures ?? 0),
    pauseOnFailure: policies.pauseOnFailure === true,
  };
}

/** A member that may be absent: written where it is set, or was there. */
function optional(name: string, typed: unknown, old: Document, otherwise: unknown): Document {
  return typed !== otherwise || name in old ? {[name]: typed} : {};
}

/** The document with what the form says. */
export function mergeForm(document: Document, form: Form): Document {
  const policies = record(document.policies);
  const catchup = record(policies.catchup);
  const retry = record(policies.retry);
  return {
    ...document,
    ...(form.id ? {id: form.id} : {}),
    ...(form.name ? {name: form.name} : {}),
    ...optional('description', form.description, document, ''),
    labels: labelsOf(form.labels),
    spec: specOf(record(document.spec), form.when),
    action: actionOf(record(document.action), form),
    policies: {
      ...policies,
      overlap: form.overlap,
      catchup: {...catchup, policy: form.catchup, ...optional('window', form.window || null, catchup, null)},
      retry: {...retry, maxAttempts: form.attempts, initial: form.backoff || '1m', ...optional('backoff', form.backoffKind, retry, 'exponential')},
      timeout: form.timeout || null,
      ...optional('startDeadline', form.startDeadline || null, policies, null),
      ...optional('maxConsecutiveFailures', form.failuresMax || 0, policies, 0),
      ...optional('pauseOnFailure', form.pauseOnFailure, policies, false),
    },
  };
}

function labelsOf(line: string): Record<string, string> {
  const pairs = line.split(',').map((pair) => pair.trim()).filter(Boolean);
  return Object.fromEntries(pairs.map((pair) => [pair.split('=', 1)[0] ?? '', pair.includes('=') ? pair.slice(pair.indexOf('=') + 1) : '']));
}

/** What a payload's text says; undefined while it is no JSON. */
export function payloadOf(typed: string): unknown {
  try {
    return JSON.parse(typed) as unknown;
  } catch {
    return undefined;
  }
}

function actionOf(action: Document, form: Form): Document {
  if (form.action === 'http') return {http: {...record(action.http), url: form.url, method: form.method}};
  if (form.action === 'pipeline') return {pipeline: {...record(action.pipeline), path: form.pipeline}};
  if (form.action === 'workflow') {
    const old = record(action.workflow);
    const input = payloadOf(form.input);
    return {
      workflow: {
        ...old,
        type: form.workflowType,
        taskQueue: form.taskQueue,
        ...optional('id', form.workflowId || null, old, null),
        ...optional('cluster', form.cluster || null, old, null),
        ...(form.input.trim() === '' ? optional('input', null, old, null) : Array.isArray(input) ? {input} : {}),
      },
    };
  }
  if (form.action === 'job') {
    const payload = payloadOf(form.payload);
    return {job: {...record(action.job), type: form.jobType, queue: form.queue || 'default', ...(payload === undefined ? {} : {payload})}};
  }
  return {command: {...record(action.command), argv: form.argv.split('\n').filter(Boolean)}};
}
