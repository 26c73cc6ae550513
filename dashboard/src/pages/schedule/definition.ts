import type {Schedule} from '../../api/types';

const definitionMembers = ['id', 'namespace', 'name', 'description', 'labels', 'enabled', 'spec', 'action', 'policies'] as const;

/** The part of a schedule that a person wrote: what is sent back when it is edited. */
export function definitionOf(schedule: Schedule): Record<string, unknown> {
  return Object.fromEntries(definitionMembers.map((member) => [member, schedule[member]]));
}
