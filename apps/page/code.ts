/** The texts that open a page: the code of a link, and the token that it begins. This file imports nothing. */

const code = /sis_me_(?:live|test)_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}(?![0-9A-Za-z])/;

/** The code in a link or in any text around it, such as a line of chat. Undefined if there is no whole one. */
export const codeIn = (text: string): string | undefined => code.exec(text)?.[0];

/** The id of the page that a code or a token is of. Both have the same one. */
export const pageOf = (text: string): string => text.split('_')[3] ?? '';
