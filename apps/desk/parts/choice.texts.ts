export const t = {
  choose: 'Choose',
  chooseOne: (name: string) => `Choose ${name}`,
  page: 'All on this page',
  all: 'Choose all',
  none: 'Choose none',
};
