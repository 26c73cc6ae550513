/** j and k go from row to row of a table whose rows have a link marked `data-row`; Enter opens it, as of any link. */
import {isCommand} from './keys';

export function onRowKeys(event: KeyboardEvent): void {
  if (!isCommand(event) || (event.key !== 'j' && event.key !== 'k')) return;
  const links = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  if (!links.length) return;
  event.preventDefault();
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? 0 : Math.min(Math.max(0, at + (event.key === 'j' ? 1 : -1)), links.length - 1);
  links[next]?.focus();
}
