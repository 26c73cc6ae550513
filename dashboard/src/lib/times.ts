/** The one place that turns instants into text. */
const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string, seconds: boolean): Intl.DateTimeFormat {
  const key = `${zone} ${seconds}`;
  let found = formats.get(key);
  if (!found) {
    found = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: seconds ? '2-digit' : undefined,
      hourCycle: 'h23',
      timeZoneName: 'short',
    });
    formats.set(key, found);
  }
  return found;
}

/** Each language knows the short names of its own zones; GMT-5 is what is left where none does. */
const languages = ['en-US', 'en-AU', 'en-CA', 'en-NZ', 'en-IN', 'en-ZA'];
const zoneNames = new Map<string, string>();

function zoneName(instant: number, zone: string, found: string): string {
  if (!/^GMT[+-]/.test(found)) return found;
  const key = `${zone} ${found}`;
  let name = zoneNames.get(key);
  if (name === undefined) {
    const names = languages.map((language) => new Intl.DateTimeFormat(language, {timeZone: zone, timeZoneName: 'short'}).formatToParts(instant).find((part) => part.type === 'timeZoneName')?.value ?? '');
    name = names.find((one) => one && !/^GMT/.test(one)) ?? found;
    zoneNames.set(key, name);
  }
  return name;
}

export type TimeParts = {date: string; time: string; zone: string; day: string};

export function timeParts(instant: number, zone: string, seconds = true): TimeParts {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const part of format(zone, seconds).formatToParts(instant)) parts[part.type] = part.value;
  const time = `${parts.hour}:${parts.minute}${seconds ? `:${parts.second}` : ''}`;
  const day = `${parts.weekday} ${parts.day} ${parts.month}`;
  return {date: `${day} ${parts.year}`, day, time, zone: zoneName(instant, zone, parts.timeZoneName ?? zone)};
}

/** `Wed 18 Nov 13:22:31 UTC`; the year only where it is not this one. */
export function timeText(instant: number, zone: string, now: number, seconds = true): string {
  const parts = timeParts(instant, zone, seconds);
  const date = timeParts(now, zone).date.endsWith(parts.date.slice(-4)) ? parts.day : parts.date;
  return `${date} ${parts.time} ${parts.zone}`;
}

/** `90s`-like words for people: `1m 30s`, `2h 5m`, `3d 4h`. */
export function durationText(ms: number): string {
  const abs = Math.abs(ms);
  if (abs < 1000) return `${Math.round(abs)} ms`;
  if (abs < 10_000) return `${(Math.floor(abs / 100) / 10).toFixed(1)}s`;
  const s = Math.floor(abs / 1000);
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m${s % 60 ? ` ${s % 60}s` : ''}`;
  if (s < 86_400) return `${Math.floor(s / 3600)}h${Math.floor((s % 3600) / 60) ? ` ${Math.floor((s % 3600) / 60)}m` : ''}`;
  const days = Math.floor(s / 86_400);
  const hours = Math.floor((s % 86_400) / 3600);
  return days < 10 && hours ? `${days}d ${hours}h` : `${days}d`;
}

export function relativeText(instant: number, now: number): string {
  const difference = instant - now;
  if (Math.abs(difference) < 1000) return 'now';
  // A countdown in whole seconds: a tenth that stands still looks broken.
  const whole = Math.abs(difference) < 60_000 ? `${Math.floor(Math.abs(difference) / 1000)}s` : durationText(difference);
  return difference > 0 ? `in ${whole}` : `${whole} ago`;
}
