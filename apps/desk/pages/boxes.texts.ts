import { texts } from '../texts.ts';

export const t = {
  title: texts.titles.boxes,
  caption: 'Boxes of the store',
  intro:
    'They give your customers what was bought. The box with the lowest priority is asked first; what it lacks, the next one gives.',
  none: 'There is no box yet, so nothing can be delivered. Set one up: it appears here by itself.',
  name: 'Box',
  priority: 'Priority',
  region: 'Region',
  state: 'State',
  states: { registered: 'Active', lost: 'Lost' },
  registered: 'Registered',
  lost: 'Lost since',
  error: 'Last error',
  remove: 'Name and priority stand in the notecard of the box. To remove one that is gone for good:',
  command: 'npx store dispenser remove NAME',
};
