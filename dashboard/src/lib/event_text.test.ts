import {expect, test} from 'vitest';
import {EventTextReader} from './event_text';

test('events come out whole, however the text is cut', () => {
  const text = ': hello\n\nid: 7\nevent: run.started\ndata: {"id": "r-1"}\n\nid: 8\nevent: resync\ndata: {}\n\n';
  for (let cut = 0; cut <= text.length; ++cut) {
    const reader = new EventTextReader();
    const events = [...reader.read(text.slice(0, cut)), ...reader.read(text.slice(cut))];
    expect(events).toEqual([
      {id: '7', name: 'run.started', data: {id: 'r-1'}},
      {id: '8', name: 'resync', data: {}},
    ]);
  }
});
test('what is no JSON is nothing', () => {
  expect(new EventTextReader().read('id: 1\ndata: {\n\n')).toEqual([{id: '1', name: 'message', data: null}]);
});
