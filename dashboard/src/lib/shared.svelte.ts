/** Documents that several parts of the page show. */
import {api, ask} from '../api/client';
import type {Schedule} from '../api/types';

const failedText = 'failed,timed_out,lost,expired';

export function readSystem() {
  return ask(api.GET('/api/v1/system'));
}

export function readFailures(since: string) {
  return ask(api.GET('/api/v1/runs', {params: {query: {state: failedText, since, limit: 200}}}));
}

export async function readSchedule(id: string, namespace?: string): Promise<Schedule> {
  const query = namespace ? {namespace} : {};
  return (await ask(api.GET('/api/v1/schedules/{id}', {params: {path: {id}, query}}))) as unknown as Schedule;
}

export function actionText(schedule: {action: object}): string {
  const action = schedule.action as Record<string, Record<string, unknown>>;
  if (action.command) return ((action.command.argv as string[]) ?? []).join(' ');
  if (action.http) return `${String(action.http.method ?? 'POST')} ${String(action.http.url)}`;
  if (action.job) return `job ${String(action.job.type)} in queue ${String(action.job.queue)}`;
  if (action.pipeline) return `pipeline ${String(action.pipeline.path)}`;
  return 'unknown action';
}
