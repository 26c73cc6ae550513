import {settings} from './settings.svelte';

/** Whether a key belongs to what is being typed, so that it is no command. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  if (!target?.closest) return false;
  if (target.closest('dialog, [popover]')) return true;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}

/** Whether a key is a command of one letter: not while typing, not with a modifier, and not where they are switched off. */
export function isCommand(event: KeyboardEvent): boolean {
  return settings.keys && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event);
}
