import {expect, test} from 'vitest';
import {LogLines} from './log_lines';

test('pieces become lines, and the last one waits for its end', () => {
  const log = new LogLines();
  log.append('one\ntw');
  expect([log.lines, log.unfinished]).toEqual([['one'], 'tw']);
  log.append('o\n');
  expect([log.lines, log.unfinished]).toEqual([['one', 'two'], '']);
});
test('only the newest are kept, and the others are counted', () => {
  const log = new LogLines(3);
  log.append('1\n2\n3\n4\n5\n');
  expect(log.lines).toEqual(['3', '4', '5']);
  expect(log.dropped).toBe(2);
});
test('a line without end is shown in pieces', () => {
  const log = new LogLines();
  log.append('x'.repeat(40_000));
  expect(log.lines.map((line) => line.length)).toEqual([16_384, 16_384]);
  expect(log.unfinished.length).toBe(40_000 - 2 * 16_384);
});
