import * as z from 'zod';
import { listBoxes } from '../../../lib/delivery/dispensers.ts';
import { columns, type Values } from './columns.ts';
import type { Kind } from './kind.ts';

const text = z.string();

async function* rowsOfBoxes(store: string): AsyncGenerator<Values> {
  for (const { name, priority, region, items, registeredAt, lostAt } of await listBoxes(store))
    yield { name, priority, region, items, registeredAt, lostAt };
}

export const dispensers: Kind = {
  file: {
    name: 'dispensers',
    summary: 'the boxes inworld, without address and secret; exported only, since each registers by itself',
    columns: columns({
      name: ['text', text, 'the name of the box'],
      priority: ['integer', z.int(), 'its place in the order in which boxes are asked; the lowest first'],
      region: ['text', text, 'the region where it registered'],
      items: ['list', z.array(text), 'the items that it said it has'],
      registeredAt: ['text', text, 'when it registered last'],
      lostAt: ['text', text.optional(), 'when it was noted as lost, if it is'],
    }),
    rows: rowsOfBoxes,
  },
};
