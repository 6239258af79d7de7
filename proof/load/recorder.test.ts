import { expect, test } from 'vitest';
import { memoryFaults } from './recorder.ts';

test('finds growing memory, and a run that is too short to compare', () => {
  const faultsOfMemory = (seconds: number, early: [number, number], late: [number, number]) =>
    memoryFaults({
      seconds,
      early: { rss: early[0], heapUsed: early[1] },
      late: { rss: late[0], heapUsed: late[1] },
    });

  expect(faultsOfMemory(900, [400, 36], [500, 38])).toEqual([]);
  expect(faultsOfMemory(900, [400, 36], [418, 46])).toEqual(['the heap grew from 36 MB to 46 MB']);
  expect(faultsOfMemory(900, [400, 36], [501, 36])).toEqual(['the process grew from 400 MB to 501 MB']);
  expect(faultsOfMemory(60, [204, 36], [276, 36])).toEqual([]);
  expect(faultsOfMemory(60, [204, 36], [356, 36])).toEqual(['the process grew from 204 MB to 356 MB']);
  expect(faultsOfMemory(9, [400, 0], [418, 36])).toEqual(['9 s are too short a life to compare memory in']);
});
