/** When attempts would start if every one failed at once: delays as the policy grows them, without jitter. */
const units: Record<string, number> = {w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 0.001};

/** `1h30m` in milliseconds; null for what is no such text (an ISO duration is left to the server). */
export function durationMs(text: string): number | null {
  if (!/^(\d+(ms|us|w|d|h|m|s))+$/.test(text)) return null;
  return [...text.matchAll(/(\d+)(ms|us|w|d|h|m|s)/g)].reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0), 0);
}

export function retryDelays(attempts: number, kind: string, initial: string, factor = 2, maxDelay: string | null = null): number[] | null {
  const first = durationMs(initial);
  const most = maxDelay === null ? (first ?? 0) * 10 : durationMs(maxDelay);
  if (first === null || most === null || !(attempts >= 1)) return null;
  return Array.from({length: Math.min(attempts, 1000) - 1}, (_, i) => {
    const delay = kind === 'fixed' ? first : kind === 'linear' ? first * (i + 1) : first * factor ** i;
    return Math.min(delay, most);
  });
}
