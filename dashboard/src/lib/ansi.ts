/** Lines of output as pieces with a style. Only colours and bold are read; every other control sequence is left out. */
export type Piece = {text: string; style: string; link?: string};

/** Addresses in a text: only of the web, and only where what is shown is where it leads. */
const address = /https?:\/\/[^\s<>"'`\u00b7]+/g;

function linked(text: string, style: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(address)) {
    // What ends a sentence or closes a bracket is no part of the address.
    const found = match[0].replace(/[.,;:!?)\]}]+$/, '');
    if (!URL.canParse(found) || new URL(found).username !== '') continue;
    if (match.index > from) pieces.push({text: text.slice(from, match.index), style});
    pieces.push({text: found, style, link: found});
    from = match.index + found.length;
  }
  if (from < text.length) pieces.push({text: text.slice(from), style});
  return pieces;
}

const sequence = /\x1b\[([0-9;]*)m|\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b./g;
const controls = /[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]/g;
const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

export function piecesOf(line: string): Piece[] {
  const pieces: Piece[] = [];
  let colour = '';
  let isBold = false;
  let from = 0;
  const add = (text: string): void => {
    const clean = text.replace(controls, '\u00b7');
    if (clean) pieces.push(...linked(clean, [colour && `ansi-${colour}`, isBold && 'ansi-bold'].filter(Boolean).join(' ')));
  };
  // A carriage return goes back to the beginning: what stands last is what a terminal shows.
  const shown = line.replace(/\r+$/, '').replace(/^.*\r/s, '');
  for (const match of shown.matchAll(sequence)) {
    add(shown.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[1] === undefined) continue;
    for (const code of (match[1] || '0').split(';').map(Number)) {
      if (code === 0) [colour, isBold] = ['', false];
      else if (code === 1) isBold = true;
      else if (code === 22) isBold = false;
      else if (code === 39) colour = '';
      else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) colour = colours[code % 10] ?? '';
    }
  }
  add(shown.slice(from));
  return pieces;
}
