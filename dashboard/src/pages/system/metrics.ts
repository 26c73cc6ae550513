/** The few numbers that the page needs of the server's metrics, which are text. */
export type Sample = {name: string; labels: Record<string, string>; value: number};

export function samplesOf(text: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    const found = /^([a-zA-Z_:][\w:]*)(?:\{([^}]*)\})? (\S+)/.exec(line);
    if (!found) continue;
    const labels = Object.fromEntries([...(found[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map((match) => [match[1] ?? '', match[2] ?? '']));
    samples.push({name: found[1] ?? '', labels, value: Number(found[3])});
  }
  return samples;
}

export type Bin = {upTo: string; count: number};

/** How many fell between one bound of a histogram and the next. */
export function binsOf(samples: Sample[], name: string): Bin[] {
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`);
  return buckets.map((bucket, i) => ({upTo: bucket.labels.le ?? '', count: bucket.value - (buckets[i - 1]?.value ?? 0)}));
}
