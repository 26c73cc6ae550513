/** What is sent for an operation on many schedules: one request for each namespace, as the interface takes one at a time. */
import type {Batch} from '../../api/types';
import type {Meant} from './BulkAction.svelte';

export type BulkRequest = {namespace: string; body: Batch};

export function requestsOf(operation: Batch['operation'], meant: Meant): BulkRequest[] {
  if ('schedules' in meant) {
    const namespaces = [...new Set(meant.schedules.map((schedule) => schedule.namespace))];
    return namespaces.map((namespace) => ({namespace, body: {operation, ids: meant.schedules.filter((schedule) => schedule.namespace === namespace).map((schedule) => schedule.id)}}));
  }
  const {filter} = meant;
  return meant.namespaces.map((namespace) => ({namespace, body: (filter ? {operation, filter} : {operation, all: true}) as Batch}));
}
