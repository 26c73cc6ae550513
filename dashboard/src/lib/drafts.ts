/** What was typed and not saved, kept for the life of the tab: a reload, a lost session or a new dashboard loses nothing. */
const prefix = 'carillon.draft ';

export function keepDraft(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // Full or forbidden: then it is only in the page.
  }
}
export function readDraft<T>(name: string): T | null {
  try {
    return JSON.parse(sessionStorage.getItem(prefix + name) ?? 'null') as T | null;
  } catch {
    return null;
  }
}
export function dropDraft(name: string): void {
  sessionStorage.removeItem(prefix + name);
}
