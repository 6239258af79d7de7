import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { presetNames, presets } from '../../lib/routes/key-presets.ts';
import { type Scope, scopes } from '../../lib/routes/scopes.ts';

/** The page of stolen keys, and the risks that the command tells of, against the scopes that there are. */

const page = readFileSync(new URL('../operate/security.md', import.meta.url), 'utf8');
const [, table = ''] = page.split('## A stolen key');
const rows = table.split('\n## ')[0]?.match(/^\| .*`.*$/gm) ?? [];
const named = rows.flatMap((row) => row.split('|')[1]?.match(/`[^`]+`/g) ?? []).map((one) => one.slice(1, -1));

test('each scope that changes something has a row in the table of stolen keys, and no row has another scope', () => {
  const changing = scopes.filter((scope) => !scope.endsWith(':read'));

  expect(changing.filter((scope) => !named.includes(scope))).toEqual([]);
  expect(named.filter((name) => name !== '...:read' && !scopes.includes(name as Scope))).toEqual([]);
  expect(new Set(named).size).toBe(named.length);
});

/** The words with which a risk says what a scope that changes something allows. */
const words: Partial<Record<Scope, RegExp[]>> = {
  'sales:write': [
    /deliver/,
    /gift cards, which are money/,
    /bonus credit/,
    /shares that are paid out/,
    /spend .*credit/,
  ],
  'sales:refund': [/refund sales|thief of a support key/, /owes the buyers|thief of a support key/],
  'vendors:register': [/vendors that do not exist/],
  'coupons:apply': [/apply your coupons/],
  'giftcards:redeem': [/redeem gift cards/],
  'giftcards:read': [/gift cards.* are money/],
  'products:redeliver': [/sent again|products|thief of a support key/],
  'products:deliver': [/give away .*products|thief of a support key/],
  'credits:write': [/give away credit|thief of a support key/],
  'dispenser:register': [/another box in its place/],
  'payouts:pay': [/mark as paid/],
  'pages:open': [/customer’s page|thief of a support key/],
  'coupons:write': [/make .*coupons/],
  'customers:write': [/ban customers/],
  'giftcards:write': [/make gift cards, which are money/],
  'categories:write': [/change categories/],
  'products:write': [/change .*prices, shares/],
  'vendors:write': [/vendors sell/],
  'store:write': [/rules/, /close the store/],
};

test.each(presetNames.filter((name) => name !== 'all'))(
  'the risk of the preset %s tells of each of its scopes',
  (name) => {
    const { scopes: held, risk } = presets[name];

    for (const scope of held) {
      if (!scope.endsWith(':read')) expect(words, scope).toHaveProperty([scope]);
      for (const word of words[scope] ?? []) expect(risk, scope).toMatch(word);
    }
  },
);
