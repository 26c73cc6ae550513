/** Two texts, line by line. */
export type DiffLine = {kind: 'same' | 'added' | 'removed'; text: string};

/** The shortest way from one list of lines to the other (longest common subsequence). Definitions have a few hundred lines. */
export function diffLines(before: string[], after: string[]): DiffLine[] {
  const rows = before.length;
  const columns = after.length;
  const lengths = Array.from({length: rows + 1}, () => new Uint32Array(columns + 1));
  for (let i = rows - 1; i >= 0; --i)
    for (let j = columns - 1; j >= 0; --j)
      lengths[i]![j] = before[i] === after[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < rows || j < columns) {
    if (i < rows && j < columns && before[i] === after[j]) {
      lines.push({kind: 'same', text: before[i]!});
      ++i;
      ++j;
    } else if (i < rows && (j >= columns || lengths[i + 1]![j]! >= lengths[i]![j + 1]!)) lines.push({kind: 'removed', text: before[i++]!});
    else lines.push({kind: 'added', text: after[j++]!});
  }
  return lines;
}

export type DiffPart = DiffLine | {kind: 'left-out'; count: number};

/** Only what changed, with a few lines around it. */
export function diffOf(before: unknown, after: unknown, around = 2): DiffPart[] {
  const text = (value: unknown): string[] => JSON.stringify(value ?? null, null, 2).split('\n');
  const lines = diffLines(text(before), text(after));
  const isNear = (at: number): boolean => lines.slice(Math.max(0, at - around), at + around + 1).some((line) => line.kind !== 'same');
  const parts: DiffPart[] = [];
  for (const [at, line] of lines.entries()) {
    const last = parts.at(-1);
    if (isNear(at)) parts.push(line);
    else if (last?.kind === 'left-out') last.count += 1;
    else parts.push({kind: 'left-out', count: 1});
  }
  return parts;
}
