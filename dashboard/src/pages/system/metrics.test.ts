import {expect, test} from 'vitest';
import {binsOf, samplesOf} from './metrics';

const text = `# HELP x y
# TYPE late histogram
late_bucket{le="0.1"} 3
late_bucket{le="1"} 5
late_bucket{le="+Inf"} 6
late_sum 2.5
stalled{loop="api"} 0
plain 7 1700000000
`;

test('samples are read, comments are not', () => {
  expect(samplesOf(text).map(({name, value}) => [name, value])).toEqual([['late_bucket', 3], ['late_bucket', 5], ['late_bucket', 6], ['late_sum', 2.5], ['stalled', 0], ['plain', 7]]);
  expect(samplesOf(text)[4]?.labels).toEqual({loop: 'api'});
});
test('a histogram is counted by bin, not up to it', () => {
  expect(binsOf(samplesOf(text), 'late')).toEqual([{upTo: '0.1', count: 3}, {upTo: '1', count: 2}, {upTo: '+Inf', count: 1}]);
});
