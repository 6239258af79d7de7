declare module 'lucide/dist/esm/icons/*.mjs' {
  const icon: import('./icon-data.ts').IconData;
  export default icon;
}
