import {expect, test} from 'vitest';
import {yamlOf} from './yaml';

test('a schedule is written as people write it', () => {
  const text = yamlOf({
    id: 'nightly', enabled: true, description: '', labels: {},
    spec: {cron: ['0 2 * * *'], calendars: [{hour: '9', dayOfWeek: 'mon-fri'}, {hour: [{start: 1}]}], timezone: 'Europe/Berlin', startAt: null},
    action: {command: {argv: ['/bin/sh', '-c', 'echo "hi"\nexit 1']}},
  });
  expect(text).toBe(`id: nightly
enabled: true
description: ""
labels: {}
spec:
  cron:
    - "0 2 * * *"
  calendars:
    - hour: "9"
      dayOfWeek: mon-fri
    - hour:
        - start: 1
  timezone: Europe/Berlin
  startAt: null
action:
  command:
    argv:
      - /bin/sh
      - "-c"
      - "echo \\"hi\\"\\nexit 1"
`);
});
test.each(['no', 'Null', '12', '1e3', 'a: b', '- x', '#x', '*a', '', ' x', '2026-11-18', 'yes', "it's"])('%j stays a text', (value) => {
  expect(yamlOf({value})).toBe(`value: ${JSON.stringify(value)}\n`);
});
