/** The server's time, ticking once a second; countdowns follow it, not the clock of the viewer's machine. */
class Clock {
  now = $state(Date.now());
  /** Server minus browser, in milliseconds. */
  skew = $state(0);

  constructor() {
    setInterval(() => {
      if (!document.hidden) this.now = Date.now() + this.skew;
    }, 1000);
    document.addEventListener('visibilitychange', () => (this.now = Date.now() + this.skew));
  }
  /** Called with what the server said its time was. */
  learn(serverNow: string): void {
    const skew = Date.parse(serverNow) - Date.now();
    // Below a second it is the time the answer took.
    this.skew = Math.abs(skew) < 1000 ? 0 : skew;
    this.now = Date.now() + this.skew;
  }
}

export const clock = new Clock();
