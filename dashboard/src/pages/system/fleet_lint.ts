import type {Schedule, Warning} from '../../api/types';

type Linted = Pick<Schedule, 'id' | 'namespace' | 'name' | 'warnings'>;
export type LintGroup = {code: string; severity: string; schedules: {path: string[]; name: string; warning: Warning}[]};

/** Findings of one kind together: errors first, then those that most schedules have. */
export function lintGroups(schedules: Linted[]): LintGroup[] {
  const groups = new Map<string, LintGroup>();
  for (const {id, namespace, name, warnings} of schedules)
    for (const warning of warnings) {
      const group = groups.get(warning.code) ?? {code: warning.code, severity: warning.severity, schedules: []};
      if (warning.severity === 'error') group.severity = 'error';
      group.schedules.push({path: ['schedules', namespace, id], name: name || id, warning});
      groups.set(warning.code, group);
    }
  return [...groups.values()].sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error') || b.schedules.length - a.schedules.length || a.code.localeCompare(b.code));
}
