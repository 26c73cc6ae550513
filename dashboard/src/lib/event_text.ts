/** Server-sent events from pieces of text, as they arrive. */
export type ServerEvent = {id: string; name: string; data: unknown};

export class EventTextReader {
  #rest = '';

  /** The events that are whole with this piece. */
  read(piece: string): ServerEvent[] {
    const blocks = (this.#rest + piece).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.map(eventOf).filter((event) => event !== null);
  }
}

function eventOf(block: string): ServerEvent | null {
  const event = {id: '', name: 'message', data: ''};
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue; // a comment keeps the connection open
    const value = line.slice(colon + 1).replace(/^ /, '');
    const field = line.slice(0, colon);
    if (field === 'id') event.id = value;
    if (field === 'event') event.name = value;
    if (field === 'data') event.data += event.data ? `\n${value}` : value;
  }
  if (!event.id && !event.data) return null;
  return {id: event.id, name: event.name, data: parsed(event.data)};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
