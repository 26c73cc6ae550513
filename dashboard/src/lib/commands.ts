/** The same action for a terminal: every panel can be copied as a command or a request. */
import {base} from '../api/client';

/** A word of a POSIX shell, quoted where it has to be. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

export function cli(...words: (string | false | null | undefined)[]): string {
  return ['carillon', ...words.filter((word): word is string => Boolean(word))].map(shellWord).join(' ');
}

export function curl(method: string, path: string, body?: unknown): string {
  const parts = ['curl', '-H "Authorization: Bearer $CARILLON_TOKEN"'];
  if (method !== 'GET') parts.push(`-X ${method}`);
  if (body !== undefined) parts.push("-H 'Content-Type: application/json'", `-d ${shellWord(JSON.stringify(body))}`);
  parts.push(shellWord(`${base}/api/v1${path}`));
  return parts.join(' ');
}

/** Also where the clipboard is closed to pages: over plain HTTP from another machine. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'off-screen';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}
