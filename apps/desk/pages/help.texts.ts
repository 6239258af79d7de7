export const t = {
  parts: [
    {
      title: 'Find your way',
      text: 'Ctrl K, or the key /, opens the search: it finds customers, products, sales, gift cards and pages, and opens the form of what you want to do. A list keeps its filters and its place in the address: go back, and it is as you left it.',
    },
    {
      title: 'No answer',
      text: 'Press the button again, even after you have loaded the page again: each change is made once, however often you press. If it keeps happening, the guide “Where to ask” below helps.',
    },
    {
      title: 'When you are done',
      text: 'Press Sign out. The key of a link ends then, in every tab. A key that you have pasted works on until somebody revokes it.',
    },
  ],
  later: (version: string) => `Version ${version} is out: docs/operate/deploy.md says how to update.`,
  guides: 'Guides',
  guidesText: 'Each is a file of the repository from which you have this service.',
  files: [
    ['Try it: from the download to your first sale', 'docs/guides/try.md'],
    ['Every day at the desk', 'docs/guides/every-day.md'],
    ['The desk, page by page', 'docs/operate/desk.md'],
    ['Set up your shop inworld', 'docs/guides/inworld.md'],
    ['How sales and their prices work', 'docs/guides/selling.md'],
    ['Where to ask', 'docs/guides/ask.md'],
    ['Every command', 'npx store help'],
  ],
};
