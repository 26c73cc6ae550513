/** What a person chose for this browser: zone, theme, single-letter keys. A link may name a zone for itself. */
import {router} from './router.svelte';

export type ZoneChoice = 'utc' | 'local' | 'own';
export type Theme = 'auto' | 'light' | 'dark';

export const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

function stored<T extends string>(name: string, allowed: readonly T[], otherwise: T): T {
  const value = localStorage.getItem(`carillon.${name}`) as T | null;
  return value && allowed.includes(value) ? value : otherwise;
}

const zones = ['utc', 'local', 'own'] as const;
const themes = ['auto', 'light', 'dark'] as const;

class Settings {
  #zone = $state<ZoneChoice>(stored('zone', zones, 'local'));
  theme = $state<Theme>(stored('theme', themes, 'auto'));
  keys = $state(localStorage.getItem('carillon.keys') !== 'off');

  get zone(): ZoneChoice {
    const named = router.param('tz') as ZoneChoice;
    return zones.includes(named) ? named : this.#zone;
  }
  chooseZone(zone: ZoneChoice): void {
    this.#zone = zone;
    localStorage.setItem('carillon.zone', zone);
    if (router.param('tz')) router.set({tz: zone});
  }
  cycleZone(): void {
    this.chooseZone(zones[(zones.indexOf(this.zone) + 1) % zones.length] ?? 'utc');
  }
  /** The zone to show a time in; a schedule's own only where there is one. */
  zoneFor(own?: string | null): string {
    if (this.zone === 'utc') return 'UTC';
    return this.zone === 'own' && own ? own : localZone;
  }
  chooseTheme(theme: Theme): void {
    this.theme = theme;
    localStorage.setItem('carillon.theme', theme);
    this.applyTheme();
  }
  cycleTheme(): void {
    this.chooseTheme(themes[(themes.indexOf(this.theme) + 1) % themes.length] ?? 'auto');
  }
  applyTheme(): void {
    if (this.theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.theme;
  }
  switchKeys(): void {
    this.keys = !this.keys;
    localStorage.setItem('carillon.keys', this.keys ? 'on' : 'off');
  }
}

export const settings = new Settings();
