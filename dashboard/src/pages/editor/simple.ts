/** The few shapes of a cron expression that can be chosen instead of typed. Any other one stays text. */
export type Simple = {kind: 'minutes' | 'hourly' | 'daily' | 'weekly' | 'monthly'; every: number; minute: number; time: string; days: number[]; day: number};

export const minuteSteps = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30];

export function emptySimple(): Simple {
  return {kind: 'daily', every: 15, minute: 0, time: '02:00', days: [1, 2, 3, 4, 5], day: 1};
}

export function cronOf({kind, every, minute, time, days, day}: Simple): string {
  const [hours, minutes] = time.split(':').map(Number);
  const clock = `${minutes ?? 0} ${hours ?? 0}`;
  if (kind === 'minutes') return `${every === 1 ? '*' : `*/${every}`} * * * *`;
  if (kind === 'hourly') return `${minute} * * * *`;
  if (kind === 'daily') return `${clock} * * *`;
  if (kind === 'monthly') return `${clock} ${day} * *`;
  const sorted = [...days].sort();
  return `${clock} * * ${sorted.join() === '1,2,3,4,5' ? '1-5' : sorted.join(',') || '1'}`;
}

/** The shape that writes exactly this expression, or null: nothing is shown that would be saved as another text. */
export function simpleOf(cron: string): Simple | null {
  const found = read(cron);
  return found && cronOf(found) === cron ? found : null;
}

function read(cron: string): Simple | null {
  const empty = emptySimple();
  const steps = /^\*(?:\/(\d+))? \* \* \* \*$/.exec(cron);
  if (steps) {
    const every = Number(steps[1] ?? 1);
    return minuteSteps.includes(every) ? {...empty, kind: 'minutes', every} : null;
  }
  const fields = /^(\d{1,2}) (\*|\d{1,2}) (\*|\d{1,2}) \* (\*|1-5|[0-6](?:,[0-6])*)$/.exec(cron);
  if (!fields) return null;
  const [, minute = '0', hour = '*', day = '*', days = '*'] = fields;
  const isClock = Number(minute) < 60 && (hour === '*' || Number(hour) < 24);
  if (!isClock || (day !== '*' && (Number(day) < 1 || Number(day) > 28 || days !== '*'))) return null;
  if (hour === '*') return day === '*' && days === '*' ? {...empty, kind: 'hourly', minute: Number(minute)} : null;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (day !== '*') return {...empty, kind: 'monthly', time, day: Number(day)};
  if (days === '*') return {...empty, kind: 'daily', time};
  return {...empty, kind: 'weekly', time, days: days === '1-5' ? [1, 2, 3, 4, 5] : days.split(',').map(Number)};
}
