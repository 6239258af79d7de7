/** The words for a delivery that several pages use. */
export const deliveryWords = {
  item: 'Item',
  state: 'State',
  states: { waiting: 'Waiting', failed: 'Failed', queued: 'Queued', delivered: 'Delivered' },
  attempts: 'Attempts',
  error: 'Last error',
};
