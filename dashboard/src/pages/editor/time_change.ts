/** How a new rule changes the times ahead. */
export type TimeChange = {until: number; added: string[]; removed: string[]; kept: number; isCut: boolean};

const week = 7 * 86_400_000;

/** Compares two lists of coming nominal times, as far as both are known: `most` is how many were asked for. */
export function timeChange(before: string[], after: string[], now: number, most: number): TimeChange {
  const end = (list: string[]): number => (list.length >= most ? Date.parse(list.at(-1) ?? '') : Infinity);
  const until = Math.min(now + week, end(before), end(after));
  const within = (list: string[]): string[] => list.filter((one) => Date.parse(one) <= until);
  const [old, young] = [within(before), within(after)];
  const [oldSet, youngSet] = [new Set(old), new Set(young)];
  return {
    until,
    added: young.filter((one) => !oldSet.has(one)),
    removed: old.filter((one) => !youngSet.has(one)),
    kept: young.filter((one) => oldSet.has(one)).length,
    isCut: until < now + week,
  };
}
