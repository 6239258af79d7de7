/**
 * The gift card that a link asks the page of gift cards to show. Anybody who knows the id of a card may redeem it, so
 * no address has it.
 */
let asked = '';

export const askForCard = (id: string): void => {
  asked = id;
};

/** Answers the card once; empty if none is asked for. */
export const takeAskedCard = (): string => {
  const id = asked;
  asked = '';
  return id;
};
