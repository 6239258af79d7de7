import { type FieldTexts, timestamp } from './common.ts';

export const dispenserFields: FieldTexts = {
  PutDispenserRequest: {
    url: 'The address that the region gave the script, at most 500 characters: `https`, on a host of the virtual world’s simulators.',
    region: 'Name of the region that the dispenser is in, for the operator.',
    items: 'Names of the items in the dispenser, for the operator. At most 1,000.',
  },
  DispenserResponse: {
    url: 'The address that deliveries are now sent to.',
    region: 'Name of the region.',
    secret: 'What requests to the dispenser are signed with. The same for every registration of a store. Keep it.',
    registeredAt: timestamp('When this registration was made.'),
  },
};
