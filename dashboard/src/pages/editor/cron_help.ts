/** Which field the caret stands in, and what may be written there. Only labels: no expression is evaluated in the browser. */
const fields: [string, string][] = [
  ['Second', '0-59'],
  ['Minute', '0-59 · * any · */15 every 15th · 0,30 both · 10-20 from to'],
  ['Hour', '0-23 · 9-17 from to · */6 every 6th'],
  ['Day of month', '1-31 · L the last day · 15W the nearest working day'],
  ['Month', '1-12 or jan-dec'],
  ['Day of week', '0-7 or sun-sat, 0 and 7 are Sunday · mon-fri · 5#1 the first Friday · 5L the last Friday'],
];

export function fieldAt(text: string, caret: number): {name: string; legal: string} | null {
  const before = text.slice(0, caret);
  const begin = before.lastIndexOf('\n') + 1;
  const line = (text.slice(begin).split('\n', 1)[0] ?? '').replace(/^\s*(CRON_)?TZ=\S+\s/, (zone) => ' '.repeat(zone.length));
  if (/^\s*@/.test(line)) return {name: 'Word', legal: '@yearly, @monthly, @weekly, @daily, @hourly'};
  const words = line.trim().split(/\s+/).filter(Boolean).length;
  if (words === 0 || words > 6) return null;
  const index = Math.max(0, line.slice(0, caret - begin).trimStart().split(/\s+/).length - 1);
  const found = fields[Math.min(words === 6 ? index : index + 1, fields.length - 1)];
  return found ? {name: found[0], legal: found[1]} : null;
}

/** Where a fault of the server lies: its line, and the column that the message names. */
export function faultMark(text: string, fault: {pointer: string; message: string}): {line: string; from: number; length: number} | null {
  const number = Number(/\/cron\/(\d+)/.exec(fault.pointer)?.[1] ?? 0);
  const line = text.split('\n').map((one) => one.trim()).filter(Boolean)[number];
  const column = Number(/\(column (\d+)\)/.exec(fault.message)?.[1] ?? 0);
  if (!line || !column) return null;
  const token = /^"([^"]+)"/.exec(fault.message)?.[1] ?? ' ';
  return {line, from: column - 1, length: Math.max(1, line.startsWith(token, column - 1) ? token.length : 1)};
}
