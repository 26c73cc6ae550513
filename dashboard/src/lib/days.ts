/** Days of a zone: where they begin, and how long they are. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** The wall clock of a zone at an instant, as if it were UTC. */
function wallClock(instant: number, zone: string): number {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {timeZone: zone, year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23'});
    formats.set(zone, format);
  }
  const parts: Record<string, number> = {};
  for (const {type, value} of format.formatToParts(instant)) parts[type] = Number(value);
  return Date.UTC(parts.year ?? 0, (parts.month ?? 1) - 1, parts.day, parts.hour, parts.minute, parts.second);
}

/** The wall clock as a field for date and time takes it. */
export function wallText(instant: number, zone: string): string {
  return new Date(wallClock(instant, zone)).toISOString().slice(0, 19);
}

/** The first instant at which a wall clock of the zone shows this, or has jumped over it. */
export function instantAt(wall: number, zone: string): number {
  const offset = (at: number): number => wallClock(at, zone) - at;
  // A change of clocks lies at most a day away, so that one of the two offsets is the right one.
  const found = [wall - offset(wall - 86_400_000), wall - offset(wall + 86_400_000)].sort((a, b) => a - b);
  return found.find((at) => wallClock(at, zone) >= wall) ?? wall;
}

export type Day = {key: string; year: number; month: number; day: number; from: number; to: number; hours: number; isIn: boolean};

/** `2026-11-18` of an instant in the zone. */
export function dayKey(instant: number, zone: string): string {
  return new Date(wallClock(instant, zone)).toISOString().slice(0, 10);
}
export function monthKey(instant: number, zone: string): string {
  return dayKey(instant, zone).slice(0, 7);
}
export function monthAfter(month: string, by: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
}

/** The weeks of a month (`2026-11`) from Monday on, with the days of its neighbours that fill them. */
export function weeksOf(month: string, zone: string): Day[][] {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const first = Date.UTC(year, number - 1, 1);
  const before = (new Date(first).getUTCDay() + 6) % 7;
  const length = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const count = Math.ceil((before + length) / 7) * 7;
  const days = Array.from({length: count}, (_, i): Day => {
    const wall = first + (i - before) * 86_400_000;
    const from = instantAt(wall, zone);
    const to = instantAt(wall + 86_400_000, zone);
    const date = new Date(wall);
    return {key: date.toISOString().slice(0, 10), year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate(), from, to, hours: (to - from) / 3_600_000, isIn: date.getUTCMonth() === number - 1};
  });
  return Array.from({length: count / 7}, (_, week) => days.slice(week * 7, week * 7 + 7));
}
