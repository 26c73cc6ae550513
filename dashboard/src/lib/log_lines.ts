/** The lines of a log that is kept in part: the newest, up to a bound, with the number of those before. */
export class LogLines {
  lines: string[] = [];
  /** Lines that were dropped at the beginning. */
  dropped = 0;
  #rest = '';

  constructor(private readonly countMax = 200_000) {}

  append(text: string): void {
    const parts = (this.#rest + text).split('\n');
    this.#rest = parts.pop() ?? '';
    // A line without end is shown in pieces, so that one of a gigabyte cannot fill the memory.
    while (this.#rest.length > 16_384) {
      parts.push(this.#rest.slice(0, 16_384));
      this.#rest = this.#rest.slice(16_384);
    }
    for (const part of parts) this.lines.push(part);
    const over = this.lines.length - this.countMax;
    if (over > 0) {
      this.lines.splice(0, over);
      this.dropped += over;
    }
  }
  /** What has come of the last line. */
  get unfinished(): string {
    return this.#rest;
  }
}
