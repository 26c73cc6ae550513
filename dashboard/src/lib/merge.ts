/** Two people changed one document: what each of them did, and the document with the chosen parts. */
export type Json = unknown;
export type MergeRow = {path: string[]; base: Json; mine: Json; theirs: Json; who: 'mine' | 'theirs' | 'both'; choice: 'mine' | 'theirs'};

const isObject = (value: Json): value is Record<string, Json> => typeof value === 'object' && value !== null && !Array.isArray(value);
export const isEqual = (a: Json, b: Json): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

/** Every place where the three are not the same. Lists are one place: an entry in the middle means nothing alone. */
export function mergeRows(base: Json, mine: Json, theirs: Json, path: string[] = []): MergeRow[] {
  if (isEqual(mine, theirs) || (isEqual(base, mine) && isEqual(base, theirs))) return [];
  if (isObject(mine) && isObject(theirs)) {
    const old = isObject(base) ? base : {};
    const keys = [...new Set([...Object.keys(old), ...Object.keys(theirs), ...Object.keys(mine)])];
    return keys.flatMap((key) => mergeRows(old[key], mine[key], theirs[key], [...path, key]));
  }
  const who = isEqual(base, theirs) ? 'mine' : isEqual(base, mine) ? 'theirs' : 'both';
  return [{path, base, mine, theirs, who, choice: who === 'theirs' ? 'theirs' : 'mine'}];
}

/** Their document with what was chosen of mine. */
export function merged(theirs: Json, rows: MergeRow[]): Json {
  return rows.filter((row) => row.choice === 'mine').reduce((document, row) => placed(document, row.path, row.mine), theirs);
}

function placed(document: Json, [key, ...rest]: string[], value: Json): Json {
  if (key === undefined) return value;
  const copy: Record<string, Json> = {...(isObject(document) ? document : {})};
  const inner = placed(copy[key], rest, value);
  if (inner === undefined) delete copy[key];
  else copy[key] = inner;
  return copy;
}
