/** The texts for developers that the first view loads. Their pages have others, in `texts.ts`. */
export const texts = {
  title: 'Developers',
  reference: 'API reference',
  titles: { requests: 'Requests', clock: 'Clock and credit', faults: 'Faults' },
  stores: {
    title: 'Stores on this machine',
    help: 'The local service opens them with keys of its own. It answers this machine alone.',
    label: 'Store',
    open: (name: string) => `Open ${name}`,
    create: 'New store',
    createIt: 'Create it',
    name: 'Name',
    nameHelp: 'Your customers see it.',
  },
};
