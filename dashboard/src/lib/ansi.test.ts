import {expect, test} from 'vitest';
import {piecesOf} from './ansi';

const texts = (line: string): string => piecesOf(line).map((piece) => piece.text).join('');

test('colours and bold become styles', () => {
  expect(piecesOf('a \x1b[1;31mred\x1b[0m b')).toEqual([
    {text: 'a ', style: ''},
    {text: 'red', style: 'ansi-red ansi-bold'},
    {text: ' b', style: ''},
  ]);
});
test('addresses of the web are links to exactly what is shown', () => {
  expect(piecesOf('see \x1b[1mhttps://x.example/a?b=1#c\x1b[0m, or (http://y.example/d).')).toEqual([
    {text: 'see ', style: ''},
    {text: 'https://x.example/a?b=1#c', style: 'ansi-bold', link: 'https://x.example/a?b=1#c'},
    {text: ', or (', style: ''},
    {text: 'http://y.example/d', style: '', link: 'http://y.example/d'},
    {text: ').', style: ''},
  ]);
  for (const bad of ['javascript:alert(1)', 'https://', 'https://good.example@evil.example/', 'data:text/html,x', 'xhttp:/a']) expect(piecesOf(bad).some((piece) => piece.link)).toBe(false);
});
test('HTML stays text', () => {
  expect(texts('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert(1)>');
});
test('other sequences are left out, and controls are shown as a dot', () => {
  expect(texts('\x1b]0;title\x07x\x1b[2Ky\x1b[?25lz')).toBe('xyz');
  expect(texts('a\x00b\u202ec')).toBe('a·b·c');
});
test('what a carriage return has overwritten is gone', () => {
  expect(texts('10 %\r50 %\r100 %\r')).toBe('100 %');
});
