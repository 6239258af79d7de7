import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventNames, eventTypes } from '../../lib/routes/events.ts';

/** docs/guides/webhooks.md against the types of events, and its snippets against each other. */

const page = readFileSync(new URL('../guides/webhooks.md', import.meta.url), 'utf8');

test('the page names the scope of each type of event', () => {
  const rows = page.split('\n').filter((line) => /^\| `\w+\.\*`/.test(line));
  const lacking = eventNames.filter((name) => {
    const row = rows.find((line) => line.includes(`\`${name.split('.')[0]}.*\``));
    return !row?.includes(eventTypes[name].scope ?? 'none');
  });

  expect(lacking).toEqual([]);
});

test('events are passed on to the port that the receivers of the page listen at', () => {
  const [, forwarded] = /--forward http:\/\/127\.0\.0\.1:(\d+)/.exec(page) ?? [];
  const listening = [...page.matchAll(/\.listen\((\d+)\)|HTTPServer\(\("", (\d+)\)/g)].map(
    ([, node, python]) => node ?? python,
  );

  expect(listening).toEqual([forwarded, forwarded]);
});
