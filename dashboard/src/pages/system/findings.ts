/** What a person should know about the server, worst first, each with what to do. */
import type {System} from '../../api/types';
import {durationText} from '../../lib/times';
import type {Sample} from './metrics';

export type Finding = {level: 'bad' | 'warning' | 'good'; what: string; remedy: string};

export function findingsOf(system: System, samples: Sample[], skewMs: number): Finding[] {
  const found: Finding[] = [];
  const store = system.store;
  if (store.status === 'ok') found.push({level: 'good', what: 'The store can be read and written', remedy: ''});
  else found.push({level: 'bad', what: `The store has a problem: ${store.reason ?? store.status}`, remedy: store.remedy ?? 'carillon doctor says more'});
  if (system.stopping) found.push({level: 'warning', what: `The server is stopping and waits for ${system.stopping.waitsFor} runs`, remedy: 'nothing new starts until it is started again'});
  if (system.commandsCanReadData) found.push({level: 'warning', what: 'Commands run as a user who can read the data folder: who may define them may do everything', remedy: 'start the server with --run-as'});

  const stalled = samples.filter((sample) => sample.name === 'carillon_loop_stalled' && sample.value > 0).map((sample) => sample.labels.loop);
  if (stalled.length) found.push({level: 'bad', what: `Stuck inside the server: ${stalled.join(', ')}`, remedy: 'restart it; what it was doing is in its log'});
  const tick = samples.find((sample) => sample.name === 'carillon_timer_tick_age_seconds');
  if (tick && tick.value > 10) found.push({level: 'bad', what: `Nothing was looked at for being due in ${durationText(tick.value * 1000)}`, remedy: 'restart it; what it was doing is in its log'});
  else if (tick && !stalled.length) found.push({level: 'good', what: 'Everything inside the server is moving', remedy: ''});
  const dropped = samples.find((sample) => sample.name === 'carillon_event_streams_dropped_total');
  if (dropped && dropped.value > 0) found.push({level: 'warning', what: `${dropped.value} event streams were cut off because their clients read too slowly`, remedy: 'those clients reconnect by themselves'});

  if (Math.abs(skewMs) > 5000) found.push({level: 'warning', what: `The server's clock and this browser's differ by ${durationText(skewMs)}`, remedy: 'one of them is wrong: check that both are synchronised (timedatectl)'});
  else found.push({level: 'good', what: "The server's clock agrees with this browser's", remedy: ''});

  const behind = system.nextWake ? Date.parse(system.now) - Date.parse(system.nextWake) : 0;
  if (behind > 5000) found.push({level: 'bad', what: `Something has been due for ${durationText(behind)} and was not decided`, remedy: 'carillon doctor, then the log of the server'});
  const order = {bad: 0, warning: 1, good: 2};
  return found.sort((a, b) => order[a.level] - order[b.level]);
}
