/** The scripts inworld, as texts. */
declare module '*.lsl' {
  const text: string;
  export default text;
}
