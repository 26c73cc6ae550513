/** What is sent for an operation on many schedules: one request for each namespace, as the interface takes one at a time. */
import type {Batch} from '../../api/types';
import type {Meant} from './BulkAction.svelte';

export type BulkRequest = {namespace: string; body: Batch};

export function requestsOf(operation: Batch['operation'], meant: Meant): BulkRequest[] {
  if ('schedules' in meant) {
    const namespaces = [...new Set(meant.schedules.map((schedule) => schedule.namespace))];
    return namespaces.map((namespace) => ({namespace, body: {operation, ids: meant.schedules.filter((schedule) => schedule.namespace === namespace).map((schedule) => schedule.id)}}));
  }
  const {q, action, label, status} = meant.filter;
  const filter = {
    ...(q ? {q} : {}),
    ...(action ? {action} : {}),
    ...(label ? {labels: {[label.split('=', 1)[0] ?? '']: label.slice(label.indexOf('=') + 1)}} : {}),
  };
  const statuses = status ? status.split(',') : [''];
  return meant.namespaces.flatMap((namespace) =>
    statuses.map((one) => {
      const whole = {...filter, ...(one ? {status: one} : {})};
      return {namespace, body: (Object.keys(whole).length ? {operation, filter: whole} : {operation, all: true}) as Batch};
    }),
  );
}
