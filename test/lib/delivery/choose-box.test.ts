import { expect, test } from 'vitest';
import {
  afterAnswer,
  beforeNextRound,
  beforeRetry,
  type ChosenBox,
  chooseBox,
  mayReconnect,
  type Standing,
} from '../../../lib/delivery/choose-box.ts';

const box = (name: string, more: Partial<ChosenBox> = {}): ChosenBox => ({
  ...{ name, url: `https://${name}`, registeredAt: '1' },
  ...more,
});
const lost = (name: string, registeredAt = '1'): ChosenBox => ({ name, registeredAt });
const [a, b, c] = [box('a'), box('b'), box('c')];
const notHere = (...names: string[]): Standing =>
  names.reduce<Standing>((standing, name) => afterAnswer(standing, box(name), 'not here'), {});
const unconnected = (name: string, standing: Standing = {}): Standing =>
  afterAnswer(standing, box(name), 'unconnected');

/** The name of the box that is asked, or what happens else. */
const chosen = (standing: Standing, boxes: readonly ChosenBox[]): string => {
  const choice = chooseBox(standing, boxes);
  return choice.kind === 'ask' ? choice.box.name : choice.kind;
};

test.each<[string, Standing, ChosenBox[], string]>([
  ['a store without boxes', {}, [], 'wait'],
  ['one box', {}, [a], 'a'],
  ['one box that is lost', {}, [lost('a')], 'wait'],
  ['one box that does not have it', notHere('a'), [a], 'fail'],
  ['one box that does not have it, and was lost since', notHere('a'), [lost('a')], 'fail'],
  ['one box that does not have it, and has registered since', notHere('a'), [box('a', { registeredAt: '2' })], 'a'],
  ['the first of several boxes', {}, [a, b, c], 'a'],
  ['the next one where the first does not have it', notHere('a'), [a, b, c], 'b'],
  ['the next one where the first is lost', {}, [lost('a'), b], 'b'],
  ['the next one where the first has no connection', unconnected('a'), [a, b], 'b'],
  ['a lost box that was not asked, the others do not have it', notHere('a', 'b'), [a, b, lost('c')], 'wait'],
  ['the same once that box has registered', notHere('a', 'b'), [a, b, c], 'c'],
  ['the same once that box is removed', notHere('a', 'b'), [a, b], 'fail'],
  [
    'a box that registers again, while another is lost',
    notHere('a'),
    [box('a', { registeredAt: '2' }), lost('b')],
    'a',
  ],
  ['a new box after all have said that they do not have it', notHere('a', 'b'), [a, b, c], 'c'],
  ['no box with a connection', unconnected('b', unconnected('a')), [a, b], 'wait'],
  ['one without connection, the other without the item', unconnected('b', notHere('a')), [a, b], 'wait'],
  ['a box that may have given it', { box: 'b' }, [a, b], 'b'],
  ['a box that may have given it, and is lost', { box: 'b' }, [a, lost('b')], 'wait'],
  ['a box that may have given it, and has no connection', unconnected('b', { box: 'b' }), [a, b], 'wait'],
  ['a box that may have given it, and is removed', { box: 'b' }, [a], 'wait'],
  ['a retry while the box that may have given it is there', { box: 'b', isRetried: true }, [a, b], 'b'],
  ['a retry while it is lost', { box: 'b', isRetried: true }, [a, lost('b')], 'a'],
  ['a retry while it is removed', { box: 'b', isRetried: true }, [a], 'a'],
  ['a retry while it has no connection', { ...unconnected('b', { box: 'b' }), isRetried: true }, [a, b], 'wait'],
  [
    'a retry while it is lost, the others without it',
    { ...notHere('a'), box: 'b', isRetried: true },
    [a, lost('b')],
    'wait',
  ],
  ['a retry while it is removed, the others without it', { ...notHere('a'), box: 'b', isRetried: true }, [a], 'wait'],
])('asks %s', (_, standing, boxes, expected) => {
  expect(chosen(standing, boxes)).toBe(expected);
});

test('a box that was not reached is asked in the next round, and has still said that it does not have the item', () => {
  const again = box('a', { registeredAt: '2' });
  const standing = afterAnswer(notHere('a', 'b'), again, 'unconnected');

  const next: Standing = { heard: beforeNextRound(standing) };

  expect(chosen(standing, [again, b, lost('c')])).toBe('wait');
  expect(chosen(next, [again, b, lost('c')])).toBe('a');
  expect(chosen(standing, [again, b])).toBe('fail');
});

test('a retry asks a box again that has answered without a word on the item, but none that does not have it', () => {
  const standing = afterAnswer(notHere('a'), b, 'spent');

  expect(chosen(standing, [a, b])).toBe('wait');
  expect(chosen({ heard: beforeRetry(standing) }, [a, b])).toBe('b');
  expect(chosen({ heard: beforeRetry(notHere('a')) }, [a, lost('b')])).toBe('wait');
});

test('another try is worth it only while a box is registered that was not reached', () => {
  expect(mayReconnect(unconnected('a'), [a, b])).toBe(true);
  expect(mayReconnect(unconnected('a'), [lost('a'), b])).toBe(false);
  expect(mayReconnect(afterAnswer({}, a, 'spent'), [a, b])).toBe(false);
  expect(mayReconnect(notHere('a'), [a, lost('b')])).toBe(false);
});
