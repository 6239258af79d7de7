/** The words of both forms that give credit. */
export const creditWords = {
  type: 'Kind of credit',
  regular: 'Regular',
  restricted: 'Restricted: only for own purchases',
  expires: 'Last day (optional)',
  expiresHelp: 'Empty: it does not expire.',
};
