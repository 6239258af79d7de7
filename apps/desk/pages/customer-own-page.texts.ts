export const t = {
  title: (name: string) => `The page of ${name}`,
  text: 'On a page of their own a customer sees their credit and when it ends, what they bought, their gift cards and their coupons. The terminal gives them the link. You can make one for somebody who wrote to you.',
  warning:
    'Whoever opens the link first can redeem this customer’s cards and have their items sent to them again. Give it to nobody else.',
  submit: 'Make a link',
  until: (time: string) => `It opens the page once, until ${time}. The page then stays open for an hour.`,
  copy: 'Copy the link',
  copied: 'Link copied.',
  look: 'Look at it yourself',
  lookHelp: 'If you look yourself, the link is used. What you press there counts as theirs.',
  done: 'Done',
};
