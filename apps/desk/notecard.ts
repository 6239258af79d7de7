import { baseUrl } from './api.ts';

/** The objects inworld, by the preset of their keys. */
export const objectOf = {
  dispenser: 'box',
  vendor: 'vendor',
  shop: 'shelf',
  terminal: 'terminal',
  cashier: 'cashier',
} as const;

export type ObjectPreset = keyof typeof objectOf;
export type ObjectName = (typeof objectOf)[ObjectPreset];

interface NotecardFacts {
  /** Its first line: the object and its store. */
  title: string;
  key: string;
  /** Id of the product that a vendor sells. */
  product?: string;
}

/** The text of the notecard that an object's script reads. */
export const notecardOf = (object: ObjectName, { title, key, product }: NotecardFacts): string => {
  const lines = [
    `# ${title.replaceAll(/\s+/g, ' ')}`,
    `service = ${baseUrl()}`,
    `key = ${key}`,
    ...(product ? [`product = ${product}`] : []),
    ...(object === 'cashier' ? ['limit = 5000'] : []),
    ...(object === 'shelf' ? ['category = '] : []),
  ];
  return `${lines.join('\n')}\n`;
};
