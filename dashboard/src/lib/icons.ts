/** Line drawings on a square of 16, so that no font has to have them. */
export const icons = {
  overview: 'M2 8.5 8 3l6 5.5M4 7v6h8V7',
  schedules: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.8V8l2.4 1.6',
  runs: 'M5 3.2v9.6L12.5 8z',
  timeline: 'M2 4h6M5 8h8M3.5 12h5',
  load: 'M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z',
  calendar: 'M2.5 4h11v9.5h-11zM2.5 7.2h11M5.5 2.2v3M10.5 2.2v3',
  queues: 'M2.5 4h11M2.5 8h11M2.5 12h6',
  backfills: 'M3 8a5 5 0 1 0 1.6-3.7M3 2.4v3h3',
  activity: 'M3 13l.6-2.8L11 2.8l2.2 2.2-7.4 7.4z',
  system: 'M8 5.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8zM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  resume: 'M3.5 3.5v9M7 3.5v9l6-4.5z',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.4 10.4 14 14',
  auto: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  light: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M12.6 3.4l-1.1 1.1M4.5 11.5l-1.1 1.1',
  dark: 'M12.8 9.8A5.4 5.4 0 0 1 6.2 3.2a5.4 5.4 0 1 0 6.6 6.6z',
} as const;

export type IconName = keyof typeof icons;
