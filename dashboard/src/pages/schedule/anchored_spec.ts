type Spec = Record<string, unknown>;

/** The same rule with intervals counted from an instant, or null where that makes no difference. */
export function anchoredSpec(spec: Spec, createdAt: string): Spec | null {
  const intervals = Array.isArray(spec.intervals) ? (spec.intervals as Spec[]) : [];
  if (spec.startAt || !intervals.some((one) => (one.anchor ?? 'creation') === 'creation')) return null;
  if (intervals.some((one) => one.anchor === 'start')) return null;
  const startAt = `${createdAt.slice(0, 19)}Z`;
  return {...spec, startAt, intervals: intervals.map((one) => ((one.anchor ?? 'creation') === 'creation' ? {...one, anchor: 'start'} : one))};
}
